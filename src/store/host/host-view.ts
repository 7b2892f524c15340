/**
 * The session as a live host has it: its file, then the entries that it has not written yet, printed as it will print
 * them. So one reader serves both, and a commit counts or not by the same rules before the first flush and after it.
 */
import { NotASessionError } from "../../errors.ts";
import type { Fields } from "../../event/fields.ts";
import { headerLine } from "../../line/encode.ts";
import { lineNames } from "../../line/format.ts";
import type { Session } from "../../stream/log.ts";
import { type ByteSource, type FileIdentity, SessionBytes } from "../session-file/session-bytes.ts";
import { type OpenedSession, openSession } from "../session-file/session-header.ts";
import { entryIdsBackward } from "../session-file/session-lines.ts";

/** An entry as a host holds it in memory. Whatever else it has is its own. */
export interface HostEntry {
  readonly id: string;
  readonly type: string;
}

/**
 * This is what a host that runs in this process offers. With pi's session manager: `append` is `appendCustomEntry`, `entries`
 * is `getEntries`, `leafId` is `getLeafId`, `sessionId` and `file` are `getSessionId()` and `getSessionFile()`.
 */
export interface HostSession {
  /** Appends an entry `{ type: "custom", customType, data }` at the host's leaf. `data` is the host's to keep. */
  append(customType: string, data: unknown): unknown;
  /** This returns all entries in the order of the file, without the header. */
  entries(): readonly HostEntry[];
  /** This returns the entry on which the conversation stands, null before the first. Without it, that is the last entry. */
  leafId?(): string | null;
  readonly sessionId: string;
  /** This is where the host writes, or will; absent for a session in memory only. */
  readonly file?: string | undefined;
}

/** Throws a TypeError that says what is wanted of a host. */
export function requireHost(host: unknown): void {
  const { append, entries, sessionId } = (host ?? {}) as Fields;
  if (typeof append === "function" && typeof entries === "function" && typeof sessionId === "string") return;
  throw new TypeError("hostSessionStore takes a host: { append(customType, data), entries(), sessionId }");
}

export class HostView {
  /** It stays what it was when the store was made. */
  readonly session: Session;
  readonly #host: HostSession;
  /** The host's newest entry that is known to be in the file. */
  #writtenId: string | undefined;

  constructor(host: HostSession) {
    this.#host = host;
    this.session = { id: host.sessionId };
  }

  /** Throws {@link NotASessionError} where the host has gone on to another session. */
  requireSession(): Session {
    const { id } = this.session;
    const { sessionId } = this.#host;
    if (sessionId === id) return this.session;
    throw new NotASessionError(
      `the host has gone on from session ${id} to ${sessionId}: make another hostSessionStore for it`,
    );
  }

  /** Throws {@link NotASessionError} where the host or its file is another session's. */
  open(): OpenedSession {
    this.requireSession();
    const { unwritten } = this.#look();
    const file = this.#openFile();
    if (file !== undefined && unwritten.length === 0) return file;
    const id = this.#host.sessionId;
    const header = file?.header ?? { id, version: 3 };
    const heading = headerLine({ id, timestamp: "", cwd: "" });
    return { bytes: new HostBytes(file?.bytes, file === undefined ? heading : "", unwritten), header };
  }

  /** The host has nothing that its file lacks. */
  isWritten(): boolean {
    const { unwritten, hasFile } = this.#look();
    return hasFile && unwritten.length === 0;
  }

  /** `bytes` are no longer how the session would be opened now. */
  hasMoved({ bytes }: Pick<OpenedSession, "bytes">): boolean {
    const { unwritten, hasFile } = this.#look();
    if (!(bytes instanceof HostBytes)) return !hasFile || unwritten.length > 0;
    return (hasFile && unwritten.length === 0) || !bytes.follow(unwritten);
  }

  #openFile(): OpenedSession | undefined {
    const { file, sessionId } = this.#host;
    const opened = file === undefined ? undefined : openSession(file);
    if (opened === undefined || opened.header.id === sessionId) return opened;
    opened.bytes.close();
    throw new NotASessionError(
      `${file} is session ${opened.header.id}, not ${sessionId} as its host says: pass the host's own file`,
      file === undefined ? {} : { file },
    );
  }

  /** Hosts write in order: unwritten is what comes behind the newest entry that the file has. */
  #look(): { readonly hasFile: boolean; readonly unwritten: readonly HostEntry[] } {
    const entries = this.#host.entries();
    const newest = entries.at(-1);
    const bytes = this.#host.file === undefined ? undefined : SessionBytes.open(this.#host.file);
    if (bytes === undefined) return { hasFile: false, unwritten: entries };
    try {
      if (newest === undefined || newest.id === this.#writtenId) return { hasFile: true, unwritten: [] };
      const unwritten = behindNewestIn(bytes, entries);
      if (unwritten.length === 0) this.#writtenId = newest.id;
      return { hasFile: true, unwritten };
    } finally {
      bytes.close();
    }
  }
}

function behindNewestIn(bytes: ByteSource, entries: readonly HostEntry[]): readonly HostEntry[] {
  const indexes = new Map(entries.map(({ id }, index) => [id, index]));
  for (const id of entryIdsBackward(bytes, lineNames())) {
    const index = indexes.get(id);
    if (index !== undefined) return entries.slice(index + 1);
  }
  return entries;
}

const lineFeed = 0x0a;
const nowhere: FileIdentity = { dev: -1, ino: -1 };

/** The bytes of a file, if there is one, and behind them lines that are only in memory. */
class HostBytes implements ByteSource {
  readonly identity: FileIdentity;
  readonly #file: ByteSource | undefined;
  readonly #fileSize: number;
  #entries: readonly HostEntry[] = [];
  #text: Buffer;

  constructor(file: ByteSource | undefined, heading: string, entries: readonly HostEntry[]) {
    this.identity = file?.identity ?? nowhere;
    this.#file = file;
    this.#fileSize = file?.size() ?? 0;
    const isTorn = this.#fileSize > 0 && file?.slice(this.#fileSize - 1, this.#fileSize)[0] !== lineFeed;
    this.#text = Buffer.from(isTorn ? "\n" : heading);
    this.#add(entries);
  }

  /** Goes on with what the host has added. False: it has done anything else, or the file has changed. */
  follow(entries: readonly HostEntry[]): boolean {
    const held = this.#entries;
    const goesOn = held.length <= entries.length && held.every((entry, index) => entry.id === entries[index]?.id);
    if (!goesOn || (this.#file !== undefined && this.#file.currentSize() !== this.#fileSize)) return false;
    if (entries.length > held.length) this.#add(entries.slice(held.length));
    return true;
  }

  size(): number {
    return this.#fileSize + this.#text.length;
  }

  currentSize(): number {
    return this.size();
  }

  slice(start: number, end: number): Buffer {
    const ofText = this.#text.subarray(Math.max(0, start - this.#fileSize), Math.max(0, end - this.#fileSize));
    if (this.#file === undefined || start >= this.#fileSize) return ofText;
    const ofFile = this.#file.slice(start, Math.min(end, this.#fileSize));
    // Nothing stands behind a file that was cut.
    return start + ofFile.length < Math.min(end, this.#fileSize) ? ofFile : Buffer.concat([ofFile, ofText]);
  }

  pieces(start: number, end: number, take: (piece: Buffer) => void): number {
    const inFile = Math.min(end, this.#fileSize);
    const at = this.#file?.pieces(start, inFile, take) ?? inFile;
    if (at < inFile) return at;
    const behind = Math.max(start, this.#fileSize);
    if (end > behind) take(this.slice(behind, end));
    return Math.min(Math.max(start, end), this.size());
  }

  close(): void {
    this.#file?.close();
  }

  #add(entries: readonly HostEntry[]): void {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
    this.#text = Buffer.concat([this.#text, Buffer.from(lines.join(""))]);
    this.#entries = [...this.#entries, ...entries];
  }
}
