/** What every writing to a session file shares: where the next line hangs, how it is put there, what it must start with. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { CorruptEntryError, NotASessionError, StorageError } from "../../errors.ts";
import type { CommitData } from "../../event/commit.ts";
import type { SealKey } from "../../line/chain.ts";
import type { EncodeContext, EncodedLine } from "../../line/encode.ts";
import type { LineNames } from "../../line/format.ts";
import type { MirrorMode } from "../../line/legacy.ts";
import type { EventSink } from "../store.ts";
import type { Appender, Durability } from "./appender.ts";
import { newestHostEntry } from "./host-entry.ts";
import type { SessionReader } from "./session-reader.ts";
import { patienceMs, quietMs, type SessionStream } from "./session-stream.ts";
import type { WrittenLines } from "./written-lines.ts";

export interface WriterSettings {
  readonly file: string;
  readonly names: LineNames;
  readonly seal?: SealKey | undefined;
  readonly mirror: MirrorMode;
  readonly durability: Durability;
  /** Now, as an ISO time. */
  readonly now: () => string;
  /** 15 random hex digits. */
  readonly salt: () => string;
  readonly host?: LiveHost | undefined;
  /** Makes a file that has vanished anew, where that may be done. */
  readonly remake?: (() => Promise<void>) | undefined;
}

/** A host that is running in this process and appends to the session itself. */
export interface LiveHost {
  /** Has the host append a commit. */
  append(data: CommitData): Promise<void>;
  /** Where it stands; undefined where it does not say. */
  leafId(): string | null | undefined;
  /** False: its file is not there yet, or lacks lines that the host has. Then nothing may be written to it. */
  hasWritten(): boolean;
}

/** `line`: what it decodes to, where this process has made it. Others are read back as anybody's. */
type UnreadLine = Pick<EncodedLine, "text"> & Partial<Pick<EncodedLine, "line">>;

/** Makes a line that hangs on `parentId`. */
export type MakeLine = (parentId: string | null) => EncodedLine;

/** A last line without its line feed may be in flight: it counts as torn after so long without a change. */
// @guard line-in-flight
const flightMs = 20;

export class SessionPen {
  readonly settings: WriterSettings;
  readonly stream: SessionStream;
  readonly #appender: Appender;
  /** What was appended last, as long as it has not been read back. */
  #written: WrittenLines | undefined;

  constructor(stream: SessionStream, settings: WriterSettings, appender: Appender) {
    this.stream = stream;
    this.settings = settings;
    this.#appender = appender;
  }

  reader(): SessionReader {
    const { reader } = this.stream;
    if (reader !== undefined) return reader;
    const { file } = this.settings;
    throw new StorageError(`${file} is gone: put it back, or open it with create: true`, "not-written", { file });
  }

  /** `sound`: the newest entry of the host's is on the path of the last entry. */
  parent(): { readonly parentId: string | null; readonly sound: boolean } {
    const reader = this.reader();
    const leafId = this.settings.host?.leafId();
    if (leafId !== undefined) return reader.tail.parentUnder(leafId);
    return reader.tail.parent((before) => newestHostEntry(reader.bytes, before, this.settings.names));
  }

  context(): EncodeContext {
    const { names, now, salt } = this.settings;
    return { names, timestamp: now(), salt };
  }

  /**
   * Throws where the path has come to lead to another session: nothing is written there that was meant for the one before.
   * But once, and what is called then is called on that session. `written`: something was appended before.
   */
  requireSession(written = false): void {
    const { leftSession } = this.stream;
    if (leftSession === undefined) return;
    this.stream.leftSession = undefined;
    const { file } = this.settings;
    const known = JSON.stringify(leftSession);
    const fate = written ? `the commit may stand in ${known}, wherever that is` : "nothing was written";
    throw new NotASessionError(
      `${file} has become session ${JSON.stringify(this.reader().header.id)}, it was ${known} before: ${fate}; refresh to go on with this session, or open the other one where it lies now`,
      { file, line: 1, byte: 0 },
    );
  }

  /**
   * Appends the lines in one write, behind `start`. False: the path leads to another file by now, and nothing was written,
   * as reading back will show.
   */
  append(start: string, lines: readonly UnreadLine[]): boolean {
    const sizes = lines.map(({ text }) => Buffer.byteLength(text));
    const bytes = Buffer.from(start + lines.map(({ text }) => text).join(""));
    const countsFrom = start.length + (sizes[0] ?? 0) - 1;
    const isWritten = this.#appender.append(bytes, this.reader().bytes.identity, countsFrom);
    const known = lines.flatMap(({ line }) => line ?? []);
    const isKnown = isWritten && start === "" && known.length === lines.length;
    this.#written = isKnown ? { bytes, lines: known, sizes } : undefined;
    return isWritten;
  }

  /** A live host's file may lack what the host has, and is its own business until it does not. */
  get mayWrite(): boolean {
    return this.settings.host?.hasWritten() ?? true;
  }

  /** What was appended here, or by a live host. */
  async sync(): Promise<void> {
    if (this.settings.host === undefined) await this.#appender.sync();
    else await this.syncAll();
  }

  /** What others wrote, too. False: the path leads to another file by now. */
  async syncAll(): Promise<boolean> {
    return this.mayWrite ? this.#appender.syncAll(this.reader().bytes.identity) : true;
  }

  /** What was appended is there by now, whatever goes wrong in reading it. */
  async readBack(sink: EventSink): Promise<void> {
    const written = this.#written;
    this.#written = undefined;
    try {
      if (written !== undefined && this.settings.host === undefined && this.stream.takeBack(written, sink)) return;
      await this.stream.advance(sink);
    } catch (error) {
      throw uncertain(error, this.settings.file);
    }
  }

  /** The last line that was seen has ended. */
  get isTailSettled(): boolean {
    const { seen, offset } = this.reader();
    return seen === offset;
  }

  /** What the next line must start with: a line feed, where the last line was torn. */
  async settleTail(sink: EventSink): Promise<string> {
    for (;;) {
      const reader = this.reader();
      const { seen } = reader;
      if (seen === reader.offset) return "";
      await sleep(flightMs);
      await this.stream.advance(sink);
      // @guard newline-repair
      if (this.stream.reader === reader && reader.seen === seen) return "\n";
    }
  }

  /** Waits until nobody has written for a while, but not for ever: there may be one who writes all the time. */
  async quiet(): Promise<void> {
    const deadline = performance.now() + patienceMs;
    for (let size = -1; performance.now() < deadline; ) {
      const now = this.stream.reader?.bytes.size() ?? 0;
      if (now === size) return;
      size = now;
      await sleep(quietMs);
    }
  }
}

/** 15 random hex digits: those of a version 4 UUID, which come out of a pool, without the two that are not all random. */
export function randomSalt(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(15, 18);
}

/** Each line hangs on the one before it. */
export function chained(parentId: string | null, makers: readonly MakeLine[]): EncodedLine[] {
  let parent = parentId;
  return makers.map((make) => {
    const line = make(parent);
    parent = line.id;
    return line;
  });
}

/** For a failure after the commit was written. */
export function uncertain(error: unknown, file: string): Error {
  if (error instanceof CorruptEntryError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new StorageError(`${message} (the commit before it may be in the file)`, "unknown", { file }, error);
}
