/**
 * Reads one generation of a session file, forward and each byte once: which lines are ours, which commits count, what
 * they add up to. It goes on from where it stopped; whether it still may is the caller's to know.
 */
import type { FoldPolicy } from "../../event/commit.ts";
import type { RecordedEvent } from "../../event/event.ts";
import { type Evidence, Ledger, type LedgerImage, madeHere, type Verdict } from "../../line/acceptance.ts";
import type { SealKey } from "../../line/chain.ts";
import { decodeLine, type Header } from "../../line/decode.ts";
import { type Entry, isOurs, type JournalLine, type LineNames, lineBytesMax } from "../../line/format.ts";
import { isMessageOfUser } from "../../line/glance.ts";
import type { LastValues } from "../../line/legacy.ts";
import type { Anchor } from "../../line/lineage.ts";
import { type Outline, outlineOf } from "../../line/outline.ts";
import { type PrintedLine, PrintedLines } from "../../line/printed.ts";
import { EveryLine, InterestScanner, interestNeedles } from "../../line/scan.ts";
import { evolve } from "../../state/evolve.ts";
import { initialState, type ScratchpadState } from "../../state/state.ts";
import type { EventSink } from "../store.ts";
import { BranchEvents } from "./branch-events.ts";
import { DeferredMirrors } from "./deferred-mirrors.ts";
import { newestHostEntry, outlineBetween } from "./host-entry.ts";
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

const roleOfUser = Buffer.from('"user"');

/** A longer line is not read whole unless it is one of ours. */
const longLineBytes = 1 << 20;

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
  readonly #needle: Buffer;
  readonly #printed: PrintedLines;
  readonly #mirrors = new DeferredMirrors();
  /** Under policy `branch`. */
  readonly #branch: BranchEvents | undefined;
  /** The first commit was written to this very session: what is missing later was not left behind by a branch. */
  #rooted = false;
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
    this.#needle = Buffer.from(`"${settings.names.namespace}`);
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
      last: this.last,
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
      scanner.push(chunk, this.#takeLine, this.#beginTurn);
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
    scanner.push(news, this.#takeLine, this.#beginTurn);
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
      this.#takeOurs(line, start, this.offset, madeHere);
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
      this.#branch === undefined
        ? new InterestScanner(this.offset, interestNeedles(this.#settings.names.namespace))
        : new EveryLine(this.offset);
    return this.#scanner;
  }

  readonly #beginTurn = (): void => this.ledger.beginTurn();

  readonly #takeLine = (start: number, end: number, inChunk: Buffer | undefined): void => {
    const size = end - start - 1;
    const isLong = inChunk === undefined && size > longLineBytes;
    const outline = isLong ? outlineBetween(this.bytes, start, end) : undefined;
    if (outline !== undefined && outline.customType?.startsWith(this.#settings.names.namespace) !== true) {
      this.#takeHost(outline, start, end);
      return;
    }
    const line = inChunk ?? this.bytes.slice(start, start + Math.min(size, lineBytesMax));
    const printed = line.length === size ? this.#printed.read(line) : undefined;
    if (printed?.kind === "mirror" && this.#branch === undefined) {
      this.#passOver(printed, start, end);
      return;
    }
    const ours = printed?.kind === "commit" ? printed.line : this.#decoded(line, size);
    if (ours?.kind === "damaged") this.#findings.push(damageIn(line, this.#settings.names, ours.reason, start));
    if (ours !== undefined) this.#takeOurs(ours, start, end, printed?.kind === "commit" ? printed.hashed : undefined);
    else this.#takeOthers(line, outline, start, end);
  };

  #passOver({ key, entry }: Extract<PrintedLine, { kind: "mirror" }>, start: number, end: number): void {
    this.tail.line(entry, true, start, end);
    if (this.#settings.readonly !== true) this.#mirrors.defer({ key, start, end }, this.tail.hostEnd);
  }

  /** Under policy `file` a line of the host's only counts turns. One that straddled pieces was not searched before. */
  #takeOthers(line: Buffer, outline: Outline | undefined, start: number, end: number): void {
    const ofUser = isMessageOfUser(line);
    if (this.#branch === undefined && outline === undefined && (ofUser || line.indexOf(roleOfUser) === -1)) {
      if (ofUser) this.ledger.beginTurn();
      this.tail.others(end);
    } else this.#takeHost(outline ?? outlineOf(line), start, end, ofUser);
  }

  #decoded(line: Buffer, size: number): JournalLine | undefined {
    return line.indexOf(this.#needle) === -1 ? undefined : decodeLine(line, this.#settings.names, size);
  }

  #takeHost(outline: Outline, start: number, end: number, ofUser = false): void {
    const isTurn = outline.type === "message" && outline.role === "user" && outline.whole;
    if (ofUser || isTurn) this.ledger.beginTurn();
    // The header has an id, but no entry can hang on it.
    this.#takePlace(outline.type === "session" ? {} : outline, false, start, end);
  }

  #takeOurs(line: JournalLine, start: number, end: number, evidence: Evidence | undefined): void {
    const anchor = this.#takePlace(line.entry, isOurs(line), start, end);
    if (line.kind === "value") {
      this.last = { ...this.last, [line.key]: line.data };
      this.#mirrors.supersede(line.key);
    }
    const isFirst = line.kind === "commit" && this.ledger.lastCommit === "";
    const verdict = this.ledger.take(line, start, evidence);
    if (isFirst) this.#rooted = verdict.events.length > 0 && verdict.finding !== "gap";
    this.#noteFinding(verdict, start);
    for (const recorded of verdict.events) {
      if (this.#branch === undefined) this.#tell(recorded);
      else this.#branch.add(recorded, anchor);
    }
  }

  #settleMirrors(slice: (start: number, end: number) => Buffer): void {
    if (this.#mirrors.isEmpty) return;
    const { last, sound } = this.#mirrors.settle(this.tail.hostEnd, (start, end) =>
      decodeLine(slice(start, end - 1), this.#settings.names),
    );
    this.last = { ...this.last, ...last };
    if (!sound) this.tail.lookAgain(this.offset);
  }

  #takePlace({ id, parentId, timestamp }: Partial<Entry>, ours: boolean, start: number, end: number): Anchor {
    const entry = { id, parentId, timestamp };
    this.tail.line(entry, ours, start, end);
    return this.#branch?.lineage.add(entry, ours) ?? null;
  }

  #noteFinding(verdict: Verdict, offset: number): void {
    const isOfBranch = this.header.parentSession !== undefined && !this.#rooted;
    const finding = findingOf(verdict, offset, isOfBranch);
    if (finding !== undefined) this.#findings.push(finding);
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
