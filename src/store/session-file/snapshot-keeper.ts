/**
 * Keeps the snapshot of a session file: a cache of everything that resuming needs, so that opening a session takes the
 * reading of what was appended since. A new one is taken when that has come to outweigh it.
 *
 * Without a snapshot the whole file is read, forward. Reading it backwards would not do: whether a commit counts depends
 * on every id, command and version before it, so a reader that stopped at the newest commit that looks right could count
 * one that all others refuse. Forward, only the bytes of our lines are looked at; see `bench/resume.mjs`.
 */
import { StorageError } from "../../errors.ts";
import type { SealKey } from "../../line/chain.ts";
import type { LineNames } from "../../line/format.ts";
import type { Snapshot, StreamEnd } from "../store.ts";
import type { OpenedSession } from "./session-header.ts";
import type { SidePaths } from "./session-path.ts";
import type { SessionStream, StreamImage } from "./session-stream.ts";
import { faultInSnapshot } from "./snapshot-check.ts";
import { markOfSnapshot, readSnapshotFile, writeSnapshotFile } from "./snapshot-file.ts";
import { parseSnapshot, printSnapshot, type SessionSnapshot, type SnapshotKey, tailPrint } from "./snapshot-format.ts";

export interface KeeperSettings {
  readonly names: LineNames;
  readonly paths: SidePaths;
  readonly seal?: SealKey | undefined;
}

/** So much is read in less time than a snapshot is worth. */
const tailBytesMin = 256 * 1024;

/** The newest snapshot that a handle knows of, in the history of `epoch`. `mark`: see `markOfSnapshot`. */
interface Kept {
  readonly epoch: number;
  readonly offset: number;
  readonly size: number;
  readonly mark?: string | undefined;
}

export class SnapshotKeeper {
  readonly #stream: SessionStream;
  readonly #settings: KeeperSettings;
  #kept: Kept = { epoch: 0, offset: 0, size: 0 };

  #writing: Promise<void> | undefined;

  constructor(stream: SessionStream, settings: KeeperSettings) {
    this.#stream = stream;
    this.#settings = settings;
  }

  /** Lets a stream that has read nothing go on from the snapshot. Undefined: it must read the file from the start. */
  load(): Snapshot | undefined {
    const { settings } = this.#stream;
    if (this.#stream.reader !== undefined || settings.fold === "branch") return undefined;
    this.#kept = { ...this.#kept, mark: markOfSnapshot(this.#settings.paths) };
    const found = this.#found();
    if (found === undefined) return undefined;
    const { opened, image, size } = found;
    if (settings.strict && image.damaged) {
      opened.bytes.close();
      return undefined;
    }
    this.#stream.resume(opened, image);
    this.#note(image.reader.offset, size);
    const { at, refusal } = image.told;
    return {
      end: this.#stream.end(),
      state: image.reader.state,
      ...(at === undefined ? {} : { at }),
      ...(refusal === undefined ? {} : { refusal }),
    };
  }

  /** What the snapshot that lies there says, and the lines do not; undefined also where there is none to go on from. */
  async fault(): Promise<string | undefined> {
    const { settings } = this.#stream;
    const found = settings.fold === "branch" ? undefined : this.#found();
    if (found === undefined) return undefined;
    try {
      const fault = await faultInSnapshot(found.opened, found.image, settings);
      const { snapshot } = this.#settings.paths;
      return fault && `${snapshot} does not say what the lines say: ${fault}; remove it`;
    } finally {
      found.opened.bytes.close();
    }
  }

  /** The snapshot of this very file, with the file opened. */
  #found(): { readonly opened: OpenedSession; readonly image: StreamImage; readonly size: number } | undefined {
    const text = readSnapshotFile(this.#settings.paths);
    const snapshot = text === undefined ? undefined : parseSnapshot(text, this.#settings.seal);
    if (text === undefined || snapshot === undefined) return undefined;
    const opened = this.#stream.settings.open();
    if (opened === undefined) return undefined;
    if (this.#isOf(snapshot, opened)) return { opened, image: snapshot.image, size: Buffer.byteLength(text) };
    opened.bytes.close();
    return undefined;
  }

  /**
   * Takes a snapshot where one is due, and no other writer has just done so: syncing them keeps the disk from the commits.
   * What prevents it is no concern of a caller who did not ask for one.
   */
  keep(): void {
    if (this.#writing !== undefined || !this.#isDue()) return;
    const { offset = 0 } = this.#stream.reader ?? {};
    if (markOfSnapshot(this.#settings.paths) !== this.#kept.mark) {
      this.#note(offset, this.#kept.size);
      return;
    }
    const text = this.#print();
    if (text === undefined) return;
    const size = Buffer.byteLength(text);
    if (size > offset - this.#kept.offset) {
      this.#kept = { ...this.#kept, size };
      return;
    }
    this.#writing = this.#write(text, { epoch: this.#stream.epoch, offset, size });
  }

  /** While other calls go on. */
  async #write(text: string, kept: Kept): Promise<void> {
    try {
      await writeSnapshotFile(this.#settings.paths, text);
    } catch {
      // Tried again when as much has been appended once more.
    }
    this.#kept = { ...kept, mark: markOfSnapshot(this.#settings.paths) };
    this.#writing = undefined;
  }

  /** Resolves when no snapshot is being written. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  /** Takes one of the stream at `end`. Does nothing where the stream is elsewhere, or is none to go on from. */
  async save(end: StreamEnd): Promise<void> {
    await this.idle();
    const { epoch, version, hash } = this.#stream.end();
    if (epoch !== end.epoch || version !== end.version || hash !== end.hash) return;
    const { offset = 0 } = this.#stream.reader ?? {};
    const text = this.#print();
    if (text === undefined) return;
    try {
      const isWritten = await writeSnapshotFile(this.#settings.paths, text);
      if (isWritten) this.#note(offset, Buffer.byteLength(text));
    } catch (error) {
      throw this.#unwritten(error);
    }
  }

  #isDue(): boolean {
    const { reader, epoch } = this.#stream;
    if (reader === undefined || reader.fold === "branch") return false;
    if (this.#kept.epoch !== epoch) this.#kept = { epoch, offset: 0, size: 0, mark: this.#kept.mark };
    return reader.offset - this.#kept.offset > Math.max(this.#kept.size, tailBytesMin);
  }

  #print(): string | undefined {
    const { reader } = this.#stream;
    const image = this.#stream.image();
    if (reader === undefined || image === undefined) return undefined;
    const { bytes, header } = reader;
    const tail = tailPrint(this.#stream.tailBytes);
    return printSnapshot({ ...this.#keyOf({ bytes, header }), tailPrint: tail, image }, this.#settings.seal);
  }

  #isOf(snapshot: SessionSnapshot, opened: OpenedSession): boolean {
    const { namespace, session, file } = this.#keyOf(opened);
    const { offset } = snapshot.image.reader;
    return (
      snapshot.namespace === namespace &&
      snapshot.session === session &&
      snapshot.file.dev === file.dev &&
      snapshot.file.ino === file.ino &&
      opened.bytes.size() >= offset &&
      tailPrint(opened.bytes.tailBefore(offset)) === snapshot.tailPrint
    );
  }

  #keyOf({ bytes, header }: OpenedSession): SnapshotKey {
    return { namespace: this.#settings.names.namespace, session: header.id, file: bytes.identity };
  }

  #note(offset: number, size: number): void {
    this.#kept = { epoch: this.#stream.epoch, offset, size, mark: markOfSnapshot(this.#settings.paths) };
  }

  #unwritten(cause: unknown): StorageError {
    const file = this.#settings.paths.snapshot;
    const { code, message } = cause as NodeJS.ErrnoException;
    return new StorageError(
      `cannot write ${file} (${code ?? message}): check the folder's permissions and the disk; the journal works without`,
      "not-written",
      { file },
      cause,
    );
  }
}
