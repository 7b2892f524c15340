/**
 * Follows a session file through whatever its host does to it. Before each read it makes sure that the file is still the
 * one it knows (device, inode, size, the last line's bytes); if not, it reads from the start and says so. While a
 * rewrite is under way, it stays with what it knew.
 */
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { NotASessionError } from "../../errors.ts";
import type { Cursor, LogEntry, LogPage, LogPages } from "../../stream/log.ts";
import { sessionIn } from "../../stream/pages.ts";
import { FileCursor, imageOfFile } from "./file-cursor.ts";
import { isSameFile, lastBytesMax } from "./session-bytes.ts";
import { isStill, type OpenedSession } from "./session-header.ts";
import { goneAt, rewrittenWhileRead } from "./session-path.ts";
import { type ReaderSettings, SessionReader, type WrittenLines } from "./session-reader.ts";

export interface FollowerSettings extends ReaderSettings {
  readonly where: string;
  /** The result is undefined if nothing is there. This throws as `openSession` does. */
  readonly open: () => OpenedSession | undefined;
  /** The session is folded by branch, whatever the lines say. */
  readonly isBranched: boolean;
  /** The bytes are no longer how the session would be opened now. */
  readonly hasMoved?: ((opened: OpenedSession) => boolean) | undefined;
}

/** A history that got shorter is believed once the file has been quiet for so long. */
const quietMs = 100;
/** The wait is no longer than this. */
// @guard rewrite-under-way
const patienceMs = 900;
const pollMs = 20;
/** More is read piece by piece. All followers read into the same memory. */
const newsBytesMax = 32 * 1024;
let newsRoom: Buffer | undefined;
/** A history that may be under way is held while it is looked at; a longer one is read once more. */
const heldBytesMax = 4 * 1024 * 1024;
/** After so many parts the event loop gets a turn. */
const turnParts = 16;
/** So often a file is read that is rewritten each time before it was read. */
const attemptsMax = 8;

export class SessionFollower {
  /** What goes on, once something was read on from a cursor. */
  reader: SessionReader | undefined;
  /** When it was last looked for, the file was there. */
  isPresent = false;
  readonly #settings: FollowerSettings;
  /** This reader has read the whole file last, and is still open. */
  #newest: SessionReader | undefined;
  /** A commit under policy `branch` was met: the next reading from the start says where lines hang. */
  #isBranched: boolean;
  #isClosed = false;

  constructor(settings: FollowerSettings) {
    this.#settings = settings;
    this.#isBranched = settings.isBranched;
  }

  read(after: Cursor | undefined): LogPages {
    if (after === undefined) return this.#readWhole();
    const page = this.#readOn(after);
    return page === undefined || page.hasMore === true ? this.#parts(page, true) : [page];
  }

  /** This goes on behind the first part of what is new, or reads another history from its beginning. */
  async *#parts(first: LogPage | undefined, onlyReads = false): AsyncGenerator<LogPage, undefined> {
    let page = first;
    for (let part = 1; page !== undefined; part++) {
      yield page;
      if (page.hasMore !== true) return;
      if (part % turnParts === 0) await turn();
      // The file may have become another one between two parts.
      page = this.#readOn(page.cursor);
    }
    yield* this.#startOver();
    // Who only reads is told where something else stands for good. A file that was emptied may be about to be written.
    const isOther = onlyReads && !this.isPresent && this.reader?.bytes.currentSize() !== 0;
    if (isOther) this.#settings.open()?.bytes.close();
  }

  /** The result has what is new, or a part of it if it is much, most of the time without waiting; of a new history, the first page. */
  readNews(after: Cursor | undefined): LogPage | Promise<LogPage> {
    return (after === undefined ? undefined : this.#readOn(after)) ?? this.#joined(after);
  }

  /** The result is the same, and whole. */
  readAll(after: Cursor | undefined): LogPage | Promise<LogPage> {
    const first = this.readNews(after);
    return "entries" in first && first.hasMore === true ? this.#joined(first.cursor, first) : first;
  }

  /** The result is the same. Throws StorageError where no session is there any more: nobody here makes the file of a host anew. */
  async readPresent(after: Cursor | undefined): Promise<LogPage> {
    const page = await this.readAll(after);
    if (!this.isPresent) throw goneAt(this.#settings.where);
    return page;
  }

  async #joined(after: Cursor | undefined, first: LogPage = { entries: [], cursor: after }): Promise<LogPage> {
    let all = first;
    for await (const page of after === undefined ? this.#readWhole() : this.#parts(this.#readOn(after))) {
      if (sessionIn(page) !== undefined) return page;
      all = joined(all, page);
    }
    return all;
  }

  /** The result is that of reading on up to there, if `written` stands right behind what was read; undefined if the file may hold something else. */
  takeBack(written: WrittenLines): LogPage | undefined {
    const { reader } = this;
    if (reader === undefined || reader.isTailOpen) return undefined;
    const end = reader.offset + written.bytes.length;
    const size = reader.bytes.currentSize();
    const isThere = size === end || (size !== undefined && size > end && !this.#isBranched);
    const found = isThere ? this.#lookFrom(reader, end) : undefined;
    // @guard read-back-bytes
    if (found?.subarray(reader.lastBytes.length).equals(written.bytes) !== true) return undefined;
    const [before, entries] = [reader.offset, reader.takeWritten(written)];
    reader.lastBytes = Buffer.from(found.subarray(-lastBytesMax));
    return this.#pageOf(reader, entries, before);
  }

  /** What is still being read is closed at its end. */
  close(): void {
    this.#isClosed = true;
    this.reader?.bytes.close();
    this.#newest?.bytes.close();
    [this.reader, this.#newest] = [undefined, undefined];
  }

  /** False: there is no such place in what is there now. */
  #goTo(after: Cursor): boolean {
    const known = after instanceof FileCursor ? after : undefined;
    if (known !== undefined && known.reader.offset !== known.offset) return false;
    if (known !== undefined && known.reader === this.reader) return true;
    const opened = known !== undefined && known.reader === this.#newest ? known.reader : this.#opened();
    if (opened === undefined) return false;
    const reader = known === undefined ? this.#resumed(after, opened) : known.reader;
    if (reader === undefined || !isSameFile(opened.bytes.identity, reader.bytes.identity)) {
      opened.bytes.close();
      return false;
    }
    if (this.reader !== this.#newest) this.reader?.bytes.close();
    this.reader = reader;
    reader.bytes = opened.bytes;
    return true;
  }

  /** It closes what was opened if it throws. */
  #resumed(printed: Cursor, { bytes, header }: OpenedSession): SessionReader | undefined {
    try {
      const image = this.#isBranched ? undefined : imageOfFile(printed, { bytes, header }, this.#settings.names);
      if (image === undefined) return undefined;
      const reader = new SessionReader(bytes, header, this.#settings, false);
      reader.restore(image, image.lastBytes);
      return reader;
    } catch (error) {
      bytes.close();
      throw error;
    }
  }

  /** The result is the first part of what is new. It is undefined if the file is another, or none. */
  #readOn(after: Cursor): LogPage | undefined {
    const reader = this.#goTo(after) ? this.reader : undefined;
    const hasMoved = reader !== undefined && this.#settings.hasMoved?.(reader) === true;
    const size = reader?.bytes.currentSize();
    // @guard generation
    const found = reader === undefined || size === undefined || hasMoved ? undefined : this.#lookFrom(reader, size);
    this.isPresent = found !== undefined;
    if (reader === undefined || size === undefined || found === undefined) return undefined;
    if (!reader.hasNews(size)) return { entries: [], cursor: after };
    const before = reader.offset;
    const entries = reader.readPart(size, found.subarray(reader.lastBytes.length));
    return entries && this.#pageOf(reader, entries, before);
  }

  /** The reading has a descriptor of its own. It begins once more where the file is rewritten before a part of it was handed on, or `mayRestart`. */
  async *#readWhole(mayRestart = false): AsyncGenerator<LogPage, undefined> {
    for (let left = attemptsMax; ; left--) {
      const opened = this.#opened();
      this.isPresent = opened !== undefined;
      if (opened === undefined) return;
      const reader = new SessionReader(opened.bytes, opened.header, this.#settings, this.#isBranched);
      let other: number | undefined;
      try {
        other = yield* this.#partsOf(reader);
      } finally {
        if (other === 0 && !this.#isClosed) {
          // The last that was read whole is likely to be gone on with.
          if (this.#newest !== this.reader) this.#newest?.bytes.close();
          this.#newest = reader;
        } else opened.bytes.close();
      }
      if (other === 0) return;
      if (left === 1 || (other > 1 && !mayRestart)) throw rewrittenWhileRead(this.#settings.where);
    }
  }

  /** The result is the first part that is of another file than what was read before it, be that the header; 0 if none is. */
  async *#partsOf(reader: SessionReader): AsyncGenerator<LogPage, number> {
    const begin: LogEntry = { kind: "begin", session: reader.header };
    yield { entries: [begin], cursor: new FileCursor(reader) };
    for (let part = 1; ; part++) {
      const { offset } = reader;
      const entries = reader.readPart();
      if (entries === undefined || (part === 1 && !isStill(reader))) return part;
      const { hasMore } = reader;
      yield this.#pageOf(reader, entries, offset);
      if (!hasMore) return 0;
      if (part % turnParts === 0) await turn();
    }
  }

  #pageOf(reader: SessionReader, entries: readonly LogEntry[], before: number): LogPage {
    this.#isBranched ||= reader.isBranched;
    return { entries, cursor: new FileCursor(reader), bytes: reader.offset - before, hasMore: reader.hasMore };
  }

  /**
   * Waits while the file is missing, without a header or shorter than what was known and still changing, and longest
   * while it holds nothing, as at the beginning of a slow rewrite: but not for ever, for its host may write all the time.
   * Another session is no rewrite, and nothing to wait for.
   */
  async *#startOver(): AsyncGenerator<LogPage, undefined> {
    this.isPresent = false;
    const { reader } = this;
    const deadline = performance.now() + patienceMs;
    let quietSince = performance.now();
    for (let size = -1; ; await sleep(pollMs)) {
      const fresh = await this.#fresh();
      const sizeNow = fresh?.size ?? -1;
      if (sizeNow !== size) quietSince = performance.now();
      size = sizeNow;
      const isQuiet = fresh?.recordCount !== 0 && performance.now() - quietSince >= quietMs;
      const isSettled = performance.now() >= deadline || isQuiet;
      const isOther = reader === undefined || fresh?.id !== reader.header.id || fresh.recordCount >= reader.recordCount;
      if (fresh !== undefined && (isSettled || isOther)) {
        this.isPresent = true;
        yield* fresh.pages;
        return;
      }
      if (isSettled) return;
    }
  }

  async #fresh() {
    let held: LogPage[] | undefined;
    let cursor: Cursor;
    for await (const page of this.#readWhole(true)) {
      if (sessionIn(page) !== undefined) held = [];
      ({ cursor } = page);
      if (cursor instanceof FileCursor && cursor.reader.offset > heldBytesMax) held = undefined;
      held?.push(page);
    }
    if (!(cursor instanceof FileCursor)) return undefined;
    const { header, recordCount, seen } = cursor.reader;
    return { pages: held ?? this.#readWhole(), id: header.id, recordCount, size: seen };
  }

  /** What is no session (any more) while a rewrite may be under way is taken for missing. */
  #opened(): OpenedSession | undefined {
    if (this.reader === undefined) return this.#settings.open();
    try {
      return this.#settings.open();
    } catch (error) {
      if (error instanceof NotASessionError) return undefined;
      throw error;
    }
  }

  /** The result has the last bytes that were read and what stands behind them, or its beginning if it is much, until the next look; undefined if they are not there. */
  #lookFrom(reader: SessionReader, size: number): Buffer | undefined {
    const { lastBytes: known, offset: end } = reader;
    if (size < end || known.length < Math.min(end, lastBytesMax)) return undefined;
    newsRoom ??= Buffer.allocUnsafe(lastBytesMax + newsBytesMax);
    const found = reader.bytes.slice(end - known.length, Math.min(size, end + newsBytesMax), newsRoom);
    return found.length >= known.length && known.compare(found, 0, known.length) === 0 ? found : undefined;
  }
}

/** The result is one page made of two. What begins anew takes the place of what was before. */
export function joined(one: LogPage, other: LogPage): LogPage {
  const isAll = one.entries.length === 0 || sessionIn(other) !== undefined;
  return {
    entries: isAll ? other.entries : [...one.entries, ...other.entries],
    cursor: other.cursor,
    bytes: (one.bytes ?? 0) + (other.bytes ?? 0),
    hasMore: other.hasMore,
  };
}
