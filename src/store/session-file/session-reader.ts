/**
 * Reads one generation of a session file, forward and each byte once: which lines are ours, and what the next line of ours
 * depends on. It goes on from where it stopped; whether it still may is the caller's to know. What the lines add up to is
 * not its matter.
 */
import { type Evidence, madeHere } from "../../line/acceptance.ts";
import { classify, longLineBytes } from "../../line/classify.ts";
import { Clues } from "../../line/clues.ts";
import type { Header } from "../../line/decode.ts";
import { EntryTree } from "../../line/entry-tree.ts";
import { EveryLine } from "../../line/every-line.ts";
import { entryOf, isOurs, type JournalLine, type LineNames, type SessionLine } from "../../line/format.ts";
import type { LastValues } from "../../line/legacy.ts";
import { ParentFinder, type ParentFinderImage } from "../../line/parent-finder.ts";
import { InterestScanner } from "../../line/scan.ts";
import { isTornLine } from "../../line/torn.ts";
import { anchorIn, entryIn } from "../../stream/line-pages.ts";
import type { LogEntry } from "../../stream/log.ts";
import { type ByteSource, chunkBytes, lastOf } from "./session-bytes.ts";
import { classifyBetween, newestHostEntry } from "./session-lines.ts";

export interface ReaderSettings {
  readonly names: LineNames;
  /** Nothing will be appended: what a next line must hang on, and what older runtimes read, does not matter. */
  readonly readonly?: boolean | undefined;
  /** This says where a live host stands, because a navigation writes no line. With undefined, it stands at the last entry. */
  readonly leafId?: (() => string | null | undefined) | undefined;
  /** Is told the entry id of every commit that was not made by who reads. */
  readonly met?: ((entryId: string | undefined) => void) | undefined;
}

/** The image has what was read up to `offset`, to go on from there. */
export interface ReaderImage {
  readonly offset: number;
  readonly recordCount: number;
  readonly last: LastValues;
  readonly parents: ParentFinderImage;
}

/** Lines that this process has just appended, and the bytes of each. */
export interface WrittenLines {
  readonly bytes: Buffer;
  readonly lines: readonly JournalLine[];
  readonly sizes: readonly number[];
}

/** So much is read at once: what it holds is in memory at the same time. */
const partBytes = 1 << 20;

const rescanBytesMax = 1 << 20;

/** No cursor stands there. */
const nowhere = -1;

export class SessionReader {
  bytes: ByteSource;
  readonly header: Header;
  readonly names: LineNames;
  readonly parents: ParentFinder;
  /** An older runtime finds this under each key. */
  last: LastValues = {};
  /** This is the offset past the last whole line. */
  offset = 0;
  /** What stands before this is known to be on the disk. */
  synced = 0;
  /** These are the last bytes before `offset`. The file is recognised by them. */
  lastBytes: Buffer = Buffer.alloc(0);
  /** Offset up to which bytes were seen; beyond `offset` they are a line that has not ended. */
  seen = 0;
  /** The last part was not all that there was. */
  hasMore = false;
  /** So many commits and values were read. */
  recordCount = 0;
  /** A commit was met that was written under policy `branch`. */
  isBranched = false;
  readonly #settings: ReaderSettings;
  readonly #clues: Clues;
  /** It is present under policy `branch`. */
  readonly #tree: EntryTree | undefined;
  /** Where a live host stood when the branch was last looked up. */
  #leafId: string | null | undefined;
  /** These are the last bytes before `seen`, while the last line has not ended. */
  #end: Buffer = Buffer.alloc(0);
  #entries: LogEntry[] = [];
  #scanner: InterestScanner | EveryLine | undefined;

  /** `withTree`: every line is looked at, and entries say where they hang. */
  constructor(bytes: ByteSource, header: Header, settings: ReaderSettings, withTree: boolean) {
    this.bytes = bytes;
    this.header = header;
    this.names = settings.names;
    this.#settings = settings;
    this.parents = new ParentFinder(settings.leafId !== undefined);
    this.#clues = new Clues(this.names.namespace, settings.readonly);
    this.#tree = withTree ? new EntryTree() : undefined;
  }

  /** The result is undefined if going on would take the whole tree, which is no less than the file itself. */
  image(): ReaderImage | undefined {
    if (this.#tree !== undefined) return undefined;
    const parents = this.parents.image((before) => newestHostEntry(this.bytes, before, this.names));
    return { offset: this.offset, recordCount: this.recordCount, last: inOrder(this.last), parents };
  }

  /** The reader goes on as if it had read the file up to the image's offset, and `lastBytes` last. It must be a reader without a tree that has read nothing. */
  restore({ offset, recordCount, last, parents }: ReaderImage, lastBytes: Buffer): void {
    this.recordCount = recordCount;
    this.offset = offset;
    this.seen = offset;
    this.last = { ...last };
    this.lastBytes = lastBytes;
    this.parents.restore(parents);
  }

  /** Bytes were added to make it `size`, or a live host has gone to another branch. */
  hasNews(size: number): boolean {
    return size !== this.seen || (this.#tree !== undefined && this.#settings.leafId?.() !== this.#leafId);
  }

  /** The file has grown by so many bytes since it was looked at. */
  get growth(): number {
    return (this.bytes.currentSize() ?? 0) - this.seen;
  }

  /** The result has the entries of the next part of `size` bytes, or is undefined if it was rewritten. `first`: bytes behind the last whole line that are at hand. */
  readPart(size = this.bytes.size(), first?: Buffer): readonly LogEntry[] | undefined {
    const scanner = this.#continued();
    const until = Math.min(size, this.seen + partBytes);
    this.hasMore = until < size;
    const isFirst = first !== undefined && !this.isTailOpen;
    let [from, at, end] = [this.seen, this.seen, this.isTailOpen ? this.#end : this.lastBytes];
    // Where reading fails nothing goes on from here: what was taken until then would be taken again.
    this.offset = nowhere;
    // What is kept of the end is what was read: the file may be another one by now. A chunk may begin before the end of the last one.
    const take = (chunk: Buffer): void => {
      scanner.push(chunk, this.#takeLine);
      const [fresh, whole] = [chunk.subarray(at - from), scanner.lineStart - at];
      if (whole > 0) this.lastBytes = lastOf(end, fresh.subarray(0, whole));
      end = whole === fresh.length ? this.lastBytes : lastOf(end, fresh);
      from += chunk.length;
      at = Math.max(at, from);
    };
    if (isFirst) take(first);
    let isSame = true;
    for (let to = at; at < until && at === to; ) {
      from = scanner.next();
      const start = Math.min(from, at - end.length);
      to = Math.min(until, start + chunkBytes);
      // Each chunk is read together with the end of what was read before it, which shows that both are of one file. It may come in pieces.
      const [last, known] = [end, at - end.length];
      let next = start;
      this.bytes.pieces(start, to, (bytes) => {
        const begin = next;
        next += bytes.length;
        const [first, behind] = [Math.max(known, begin), Math.min(known + last.length, next)];
        if (first < behind)
          isSame &&= bytes.subarray(first - begin, behind - begin).equals(last.subarray(first - known, behind - known));
        if (isSame && next > from) take(bytes.subarray(Math.max(0, from - begin)));
      });
    }
    // A file may have been cut where a live host still says how long it was.
    if (!isSame || at < until) return undefined;
    [this.seen, this.#end] = [at, end];
    this.offset = scanner.lineStart;
    this.parents.others(this.offset);
    return this.#news();
  }

  /** The same of lines that were made here, and stand behind what was read so far. */
  takeWritten({ lines, sizes }: WrittenLines): readonly LogEntry[] {
    for (const [index, line] of lines.entries()) {
      const start = this.offset;
      this.offset += sizes[index] ?? 0;
      this.#take(line, start, this.offset, madeHere);
    }
    this.seen = this.offset;
    this.#scanner = undefined;
    return this.#news();
  }

  /** The last line that was seen has not ended. */
  get isTailOpen(): boolean {
    return this.seen !== this.offset;
  }

  #news(): readonly LogEntry[] {
    const entries = this.#entries;
    this.#entries = [];
    // What was appended since this part was begun comes with the next.
    if (this.#tree !== undefined && !this.hasMore) {
      this.#leafId = this.#settings.leafId?.();
      entries.push({ kind: "branch", path: this.#tree.path(this.#leafId) });
    }
    return entries;
  }

  /** A line that had not ended is scanned again, for its writer may have ended it; a very long one is gone on with. */
  #continued(): InterestScanner | EveryLine {
    const open = this.seen - this.offset;
    const goesOn = open === 0 || this.hasMore || (open > rescanBytesMax && this.bytes.size() >= this.seen);
    if (this.#scanner !== undefined && goesOn) return this.#scanner;
    this.seen = this.offset;
    this.#scanner =
      this.#tree === undefined ? new InterestScanner(this.offset, this.#clues) : new EveryLine(this.offset);
    return this.#scanner;
  }

  readonly #takeLine = (start: number, end: number, inChunk: Buffer | undefined, isTurn: boolean): void => {
    if (isTurn) {
      this.#entries.push({ kind: "turns", count: 1, offset: start });
      return;
    }
    const size = end - start - 1;
    if (size >= longLineBytes) {
      this.#take(classifyBetween(this.bytes, start, end, this.names), start, end);
      return;
    }
    const bytes = inChunk ?? this.bytes.slice(start, end - 1);
    this.#take(classify(bytes, this.names), start, end, undefined, bytes);
  };

  /** `bytes`: all of them, where they are at hand. */
  #take(line: SessionLine, start: number, end: number, evidence?: Evidence, bytes?: Buffer): void {
    if (this.#settings.readonly !== true) this.parents.line(entryOf(line), isOurs(line), start, end);
    const anchor = this.#tree && anchorIn(this.#tree, line);
    if (line.kind === "commit") {
      this.isBranched ||= line.data.fold === "branch";
      if (evidence === undefined) this.#settings.met?.(line.entry.id);
    }
    if (line.kind === "value") this.last[line.key] = line.data;
    const isTorn = (): boolean => bytes !== undefined && isTornLine(bytes, this.names);
    const entry = entryIn(line, { offset: start, anchor }, isTorn, evidence);
    if (entry === undefined) return;
    this.#entries.push(entry);
    if (entry.kind === "commit" || entry.kind === "value") this.recordCount += 1;
  }
}

/** Which line was decoded first says nothing. */
function inOrder(last: LastValues): LastValues {
  return Object.fromEntries(Object.entries(last).sort(([one], [other]) => (one < other ? -1 : 1)));
}
