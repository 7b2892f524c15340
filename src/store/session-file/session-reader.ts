/**
 * Reads one generation of a session file, forward and each byte once: which lines are ours, which commits count, what
 * they add up to. It goes on from where it stopped; whether it still may is the caller's to know.
 */
import type { FoldPolicy } from "../../event/commit.ts";
import type { RecordedEvent } from "../../event/event.ts";
import { type Evidence, Ledger, madeHere } from "../../line/acceptance.ts";
import type { SealKey } from "../../line/chain.ts";
import { classify, longLineBytes } from "../../line/classify.ts";
import type { Header } from "../../line/decode.ts";
import { entryOf, isOurs, type LineNames, noEntry, type SessionLine } from "../../line/format.ts";
import type { LastValues } from "../../line/legacy.ts";
import { Places } from "../../line/places.ts";
import { PrintedLines, type PrintedMirror } from "../../line/printed.ts";
import { EveryLine, InterestScanner } from "../../line/scan.ts";
import type { LedgerImage } from "../../line/verdict.ts";
import { evolve } from "../../state/evolve.ts";
import { initialState, type ScratchpadState } from "../../state/state.ts";
import type { EventSink } from "../store.ts";
import { BranchEvents } from "./branch-events.ts";
import { DeferredMirrors } from "./deferred-mirrors.ts";
import { newestHostEntry } from "./host-entry.ts";
import { classifyBetween, mayMatterBetween } from "./line-between.ts";
import { damageIn, findingOf, type ReadFinding } from "./read-finding.ts";
import { RecentBytes } from "./recent-bytes.ts";
import type { ByteSource } from "./session-bytes.ts";
import { Tail, type TailImage } from "./tail.ts";
import type { WrittenLines } from "./written-lines.ts";

export interface ReaderSettings {
  readonly names: LineNames;
  readonly fold: FoldPolicy;
  readonly seal?: SealKey | undefined;
  /** Nothing will be appended: what a next line must hang on, and what older runtimes read, does not matter. */
  readonly readonly?: boolean | undefined;
  /** Where a live host stands: a navigation writes no line. Undefined: at the last entry. */
  readonly leafId?: (() => string | null | undefined) | undefined;
}

/** What was read up to `offset`, to go on from there. */
export interface ReaderImage {
  readonly offset: number;
  readonly state: ScratchpadState;
  readonly last: LastValues;
  readonly ledger: LedgerImage;
  readonly tail: TailImage;
}

/** After so many bytes the event loop gets a turn. */
const partBytes = 16 << 20;

const rescanMax = 1 << 20;

export class SessionReader {
  readonly bytes: ByteSource;
  readonly header: Header;
  readonly ledger: Ledger;
  readonly tail = new Tail();
  /** What an older runtime finds under each key. */
  last: LastValues = {};
  state: ScratchpadState = initialState;
  /** Offset past the last whole line. */
  offset = 0;
  /** Offset up to which bytes were seen; beyond `offset` they are a line that has not ended. */
  seen = 0;
  readonly fold: FoldPolicy;
  readonly #settings: ReaderSettings;
  readonly #places: Places;
  readonly #printed: PrintedLines;
  readonly #mirrors = new DeferredMirrors();
  /** Under policy `branch`. */
  readonly #branch: BranchEvents | undefined;
  #findings: ReadFinding[] = [];
  #sink: EventSink | undefined;
  #scanner: InterestScanner | EveryLine | undefined;
  readonly #recent = new RecentBytes();

  constructor(bytes: ByteSource, header: Header, settings: ReaderSettings) {
    this.bytes = bytes;
    this.header = header;
    this.ledger = new Ledger(header, settings.seal);
    this.#settings = settings;
    this.fold = settings.fold;
    this.#places = new Places(settings.names.namespace);
    this.#printed = new PrintedLines(settings.names);
    this.#branch = settings.fold === "branch" ? new BranchEvents() : undefined;
  }

  /**
   * Undefined under policy `branch`: a rewind may bring any earlier line back, so going on would take the whole tree and
   * every event, which is no less than the file itself.
   */
  image(): ReaderImage | undefined {
    if (this.#branch !== undefined) return undefined;
    return {
      offset: this.offset,
      state: this.state,
      last: inOrder(this.last),
      ledger: this.ledger.image(),
      tail: this.tail.image((before) => newestHostEntry(this.bytes, before, this.#settings.names)),
    };
  }

  /** As if it had read the file up to the image's offset. For a reader under policy `file` that has read nothing. */
  restore(image: ReaderImage): void {
    this.offset = image.offset;
    this.seen = image.offset;
    this.state = image.state;
    this.last = image.last;
    this.ledger.restore(image.ledger);
    this.tail.restore(image.tail);
  }

  /** Bytes were added to make it `size`, or a live host has gone to another branch. */
  hasNews(size: number): boolean {
    return size !== this.seen || (this.#branch !== undefined && this.#settings.leafId?.() !== this.#branch.leafId);
  }

  /**
   * Tells `sink` what the lines since `offset` add. Answers what was remarkable about them. `news`: all bytes since
   * `offset`, where the caller has them.
   */
  async read(sink: EventSink, news?: Buffer): Promise<readonly ReadFinding[]> {
    this.#findings = [];
    if (news !== undefined && this.#readAll(news, sink)) return this.#findings;
    while (await this.readPart(sink));
    return this.#findings;
  }

  /** As `read`, but only so far that other work gets its turn. False: the end was reached. */
  async readPart(sink: EventSink): Promise<boolean> {
    this.#sink = sink;
    const scanner = this.#continued();
    const from = this.seen;
    const until = Math.min(this.bytes.size(), from + partBytes);
    this.#recent.startAt(from);
    this.seen = this.bytes.pieces(from, until, (chunk) => {
      scanner.push(chunk, this.#takeLine);
      this.#recent.add(chunk, until);
    });
    this.#conclude(scanner, (start, end) => this.bytes.slice(start, end));
    const more = this.seen - from === partBytes;
    if (more) await new Promise<void>((resume) => setImmediate(resume));
    else if (this.#branch !== undefined) this.#tellBranch(this.#branch, sink);
    return more;
  }

  /** False: a very long line is being gone on with, which is told from its pieces. */
  #readAll(news: Buffer, sink: EventSink): boolean {
    this.#sink = sink;
    const scanner = this.#continued();
    const from = this.offset;
    if (this.seen !== from) return false;
    this.seen = from + news.length;
    scanner.push(news, this.#takeLine);
    this.#conclude(scanner, (start, end) => news.subarray(start - from, end - from));
    if (this.#branch !== undefined) this.#tellBranch(this.#branch, sink);
    return true;
  }

  #conclude(scanner: InterestScanner | EveryLine, slice: (start: number, end: number) => Buffer): void {
    this.offset = scanner.lineStart;
    this.tail.others(this.offset);
    this.#settleMirrors(slice);
  }

  /** Nothing hangs in the balance that only decoding the next lines could tell. */
  get canTakeWritten(): boolean {
    return this.seen === this.offset && this.#branch === undefined;
  }

  /** As `read`, of lines that stand behind what was read so far. */
  takeWritten({ lines, sizes }: WrittenLines, sink: EventSink): readonly ReadFinding[] {
    this.#findings = [];
    this.#sink = sink;
    for (const [index, line] of lines.entries()) {
      const start = this.offset;
      this.offset += sizes[index] ?? 0;
      this.#take(line, start, this.offset, madeHere);
    }
    this.seen = this.offset;
    this.#scanner = undefined;
    return this.#findings;
  }

  /** The end of the last whole line, to be recognised again. */
  tailBytes(): Buffer {
    return this.#recent.before(this.offset) ?? this.bytes.tailBefore(this.offset);
  }

  /** A line that had not ended is scanned again, for its writer may have mended it; a very long one is gone on with. */
  #continued(): InterestScanner | EveryLine {
    const ended = this.seen - this.offset;
    if (this.#scanner !== undefined && (ended === 0 || (ended > rescanMax && this.bytes.size() >= this.seen))) {
      return this.#scanner;
    }
    this.seen = this.offset;
    this.#scanner =
      this.#branch === undefined ? new InterestScanner(this.offset, this.#places) : new EveryLine(this.offset);
    return this.#scanner;
  }

  readonly #takeLine = (start: number, end: number, inChunk: Buffer | undefined): void => {
    const { names } = this.#settings;
    const size = end - start - 1;
    if (inChunk === undefined && this.#branch === undefined && !mayMatterBetween(this.bytes, start, end, this.#places))
      return;
    if (size >= longLineBytes) {
      this.#take(classifyBetween(this.bytes, start, end, names), start, end);
      return;
    }
    const bytes = inChunk ?? this.bytes.slice(start, end - 1);
    const line = this.#printed.classify(bytes);
    if (line.kind !== "mirror") this.#take(line, start, end, undefined, bytes);
    else if (this.#branch === undefined) this.#passOver(line, start, end);
    else this.#take(classify(bytes, names), start, end);
  };

  #passOver({ key, entry }: PrintedMirror, start: number, end: number): void {
    this.tail.line(entry, true, start, end);
    if (this.#settings.readonly !== true) this.#mirrors.defer({ key, start, end }, this.tail.hostEnd);
  }

  /** `bytes`: all of them, where they are at hand. */
  #take(line: SessionLine, start: number, end: number, evidence?: Evidence, bytes?: Buffer): void {
    const entry = entryOf(line);
    this.tail.line(entry, isOurs(line), start, end);
    // The header has an id, but no entry can hang on it.
    const isHeader = line.kind === "host" && line.type === "session";
    const anchor = this.#branch?.lineage.add(isHeader ? noEntry : entry, isOurs(line)) ?? null;
    if (line.kind === "damaged") this.#findings.push(damageIn(line, this.#settings.names, start, bytes));
    if (line.kind === "value") {
      this.last = { ...this.last, [line.key]: line.data };
      this.#mirrors.supersede(line.key);
    }
    const verdict = this.ledger.take(line, start, evidence);
    const finding = findingOf(verdict, start);
    if (finding !== undefined) this.#findings.push(finding);
    for (const recorded of verdict.events) {
      if (this.#branch === undefined) this.#tell(recorded);
      else this.#branch.add(recorded, anchor);
    }
  }

  #settleMirrors(slice: (start: number, end: number) => Buffer): void {
    if (this.#mirrors.isEmpty) return;
    const { last, sound } = this.#mirrors.settle(this.tail.hostEnd, (start, end) =>
      classify(slice(start, end - 1), this.#settings.names),
    );
    this.last = { ...this.last, ...last };
    if (!sound) this.tail.lookAgain(this.offset);
  }

  #tell(recorded: RecordedEvent): void {
    this.state = evolve(this.state, recorded.event);
    this.#sink?.event(recorded, this.state);
  }

  /** Told on where they extend what was told, else told anew. */
  #tellBranch(branch: BranchEvents, sink: EventSink): void {
    const { isOther, events } = branch.select(this.#settings.leafId?.());
    if (isOther) {
      sink.reset("branch");
      this.state = initialState;
    }
    for (const recorded of events) this.#tell(recorded);
  }
}

/** Whatever the order in which the lines were decoded. */
function inOrder(last: LastValues): LastValues {
  return Object.fromEntries(Object.entries(last).sort(([one], [other]) => (one < other ? -1 : 1)));
}
