/**
 * Follows a log: reads on from where it stopped, tells what is new, and where something may be due to what it missed reads
 * from the beginning, which decides. Written once, for every backend.
 */
import { isDeepStrictEqual } from "node:util";
import { because } from "../diagnostics.ts";
import type { FoldPolicy } from "../event/commit.ts";
import type { RecordedEvent } from "../event/event.ts";
import type { Ledger } from "../line/acceptance.ts";
import { genesisHash } from "../line/chain.ts";
import { fold } from "../state/fold.ts";
import { type NewestTurn, TurnKeeper } from "../state/newest-turn.ts";
import type { ScratchpadState } from "../state/state.ts";
import {
  type Delivered,
  type Delivery,
  deliveredWith,
  type EventSink,
  eventsIn,
  isBeginning,
  nobody,
  nothingDelivered,
  type Position,
  type ResetReason,
  type StreamEnd,
} from "./delivery.ts";
import type { Cursor, Log, LogPage, Session } from "./log.ts";
import { each, sessionIn } from "./pages.ts";
import { type OwnCommit, Reading, type ReadingImage, type ReadingSettings } from "./reading.ts";
import { requirePage, requireSession } from "./require-log.ts";

export interface StreamSettings extends ReadingSettings {
  /** If it is absent, the policy is that of the journal itself. */
  readonly fold?: FoldPolicy | undefined;
}

/** What was read and told so far, to go on from there. */
export interface StreamImage {
  readonly session: Session;
  readonly cursor: Cursor;
  readonly reading: ReadingImage;
  readonly delivered: Delivered;
  /** Absent where it has too many events. */
  readonly newest?: NewestTurn | undefined;
}

export class EventStream {
  /** Counts the histories that were seen. */
  generation = 0;
  /** It goes on from a checkpoint, and has not read from the beginning since. */
  isResumed = false;
  /** The session that the log was before it became another one, until a writer was told. */
  leftSession: string | undefined;
  /** Behind what was read. */
  cursor: Cursor;
  /** How much was read of this history. */
  bytes = 0;
  /** Of what was told. */
  turns = new TurnKeeper();
  readonly #log: Log;
  readonly #settings: StreamSettings;
  #reading: Reading | undefined;
  #delivered = nothingDelivered;
  /** Reading failed on the way: what the ledger took was not told, and it cannot go on from where it stopped. */
  #isBroken = false;
  #isFirst = false;

  constructor(log: Log, settings: StreamSettings) {
    this.#log = log;
    this.#settings = settings;
  }

  get isBegun(): boolean {
    return this.#reading !== undefined;
  }

  get session(): Session | undefined {
    return this.#reading?.session;
  }

  /** Of what was read. Throws a TypeError before anything was. */
  get ledger(): Ledger {
    if (this.#reading === undefined) throw new TypeError(`${this.#log.where} was not read yet`);
    return this.#reading.ledger;
  }

  get state(): ScratchpadState | undefined {
    return this.#reading?.state;
  }

  get isDamaged(): boolean {
    return this.#reading?.damaged === true;
  }

  get fold(): FoldPolicy {
    return this.#reading?.fold ?? this.#settings.fold ?? "file";
  }

  get end(): StreamEnd {
    const ledger = this.#reading?.ledger;
    if (ledger === undefined) return { generation: this.generation, version: 0, hash: genesisHash(""), turn: 0 };
    const hash = this.session?.unchained === true ? "" : ledger.hash;
    return { generation: this.generation, version: ledger.version, hash, turn: ledger.turn };
  }

  /** Tells `sink` what is new. */
  async advance(sink: EventSink): Promise<void> {
    if (this.#reading === undefined) return this.#begin(sink);
    let pages: LogPage[] | undefined;
    for await (const page of this.#log.read(this.cursor)) {
      requirePage(page, this.#log.where);
      if (pages !== undefined || sessionIn(page) !== undefined) pages = [...(pages ?? []), page];
      else if (!this.take(page, sink)) return this.readAgain(sink);
    }
    if (pages === undefined) return;
    const [first] = pages[0]?.entries ?? [];
    const reason = first?.kind === "begin" ? first.reason : undefined;
    const what = this.isResumed ? "its snapshot is ignored, for" : "reads again from the beginning, for";
    because("%s: %s it is not what was read before: %s", this.#log.where, what, reason ?? "rewritten");
    this.#adopt(await this.#readWhole(each(pages)), sink, reason ?? "rewritten");
  }

  /**
   * Tells `sink` what the page adds. False: it was told nothing, for reading from the beginning must decide. `own`: what
   * this process has just appended.
   */
  take(page: LogPage, sink: EventSink, own?: OwnCommit): boolean {
    const reading = this.#reading;
    requirePage(page, this.#log.where);
    if (reading === undefined || this.#isBroken || sessionIn(page) !== undefined) return false;
    return this.#go(reading, page, sink, own);
  }

  #go(reading: Reading, page: LogPage, sink: EventSink, own?: OwnCommit): boolean {
    if (page.entries.length > 0) {
      const told: Delivery[] = [];
      this.#isBroken = true;
      reading.doubtful = false;
      reading.take(page.entries, told, own);
      const isUnder = reading.isUnder(this.#settings.fold);
      if (!isUnder || (this.#mayDoubt(reading) && reading.doubtful)) {
        const why = isUnder
          ? "for a commit does not count, or one before it is missing"
          : "under the journal's own policy";
        because("%s: reads again from the beginning, %s", this.#log.where, why);
        return false;
      }
      this.#isBroken = false;
      for (const each of told) this.#tell(each, sink);
    }
    this.cursor = page.cursor;
    this.bytes += page.bytes ?? 0;
    return true;
  }

  /** Reads from the beginning, and tells what is not known of it; all of it where what was told is no part of it. */
  async readAgain(sink: EventSink): Promise<void> {
    const whole = await this.#readWhole();
    this.#adopt(whole, sink, isBeginning(this.#delivered, whole.events) ? undefined : "rewritten");
  }

  /** Reads from the beginning for a follower who was told something else than this stream told last. */
  async tellAgain(from: Position | undefined, sink: EventSink): Promise<void> {
    const whole = await this.#readWhole();
    this.#adopt(whole, nobody, isBeginning(this.#delivered, whole.events) ? undefined : "rewritten");
    const { generation, version } = this.end;
    const lags = from !== undefined && from.generation === generation && from.version <= version;
    if (from !== undefined && !lags) sink.reset("rewritten");
    const after = lags ? from.version : 0;
    for (const recorded of whole.events) if (recorded.version > after) sink.event(recorded);
  }

  /** Undefined where going on from an image would hide something. */
  image(): StreamImage | undefined {
    const reading = this.#reading?.image();
    const session = this.session;
    if (reading === undefined || session === undefined || this.#isBroken || this.#delivered.hasUnknown)
      return undefined;
    return { session, cursor: this.cursor, reading, delivered: this.#delivered, newest: this.turns.newest };
  }

  /** Goes on from an image, as if all up to there had been read. */
  resume({ session, cursor, reading, delivered, newest }: StreamImage): void {
    const resumed = this.#read(session);
    resumed.restore(reading);
    this.#reading = resumed;
    this.#delivered = delivered;
    const { ledger, state } = reading;
    const { at, limits } = delivered;
    this.turns.restore({ version: ledger.head.version, at, limits, state }, ledger.turn, newest);
    this.cursor = cursor;
    this.isResumed = true;
  }

  /** A first reading is told while it goes on: a long history is not to be held in memory. */
  async #begin(sink: EventSink): Promise<void> {
    let reading = this.#read(requireSession(await this.#log.session(), this.#log.where), this.#settings.fold);
    this.#reading = reading;
    this.#isFirst = true;
    try {
      for await (const page of this.#log.read(undefined)) {
        requirePage(page, this.#log.where);
        const session = sessionIn(page);
        if (session !== undefined && this.#delivered.count === 0) {
          reading = this.#read(session, this.#settings.fold);
          this.#reading = reading;
        }
        if (this.#go(reading, page, sink)) continue;
        this.#adopt(await this.#readWhole(), sink, this.#delivered.count > 0 ? "branch" : undefined);
        break;
      }
    } catch (error) {
      this.#reading = undefined;
      this.#isBroken = false;
      this.cursor = undefined;
      if (this.#delivered.count > 0) this.#tell({ reset: "rewritten" }, sink);
      throw error;
    } finally {
      this.#isFirst = false;
    }
  }

  /** What a first reading meets is as it is; and where old entries are dropped, no reading knows more. */
  #mayDoubt({ session }: Reading): boolean {
    return !this.#isFirst && session.drops !== true;
  }

  #read(session: Session, policy: FoldPolicy = "file"): Reading {
    return new Reading(session, policy, this.#settings, this.#reading?.ledger.version);
  }

  async #readWhole(pages: AsyncIterable<LogPage> = this.#log.read(undefined)): Promise<Whole> {
    const session = this.session ?? (await this.#log.session());
    let whole = await this.#foldWhole(pages, session, this.#settings.fold);
    // Under the policy of the journal itself, where none was asked for.
    for (let attempt = 0; attempt < 2 && !whole.reading.isUnder(this.#settings.fold); attempt++) {
      const { policy } = whole.reading.ledger;
      whole = await this.#foldWhole(this.#log.read(undefined), session, policy);
    }
    return whole;
  }

  async #foldWhole(pages: AsyncIterable<LogPage>, session: Session, policy: FoldPolicy | undefined): Promise<Whole> {
    let reading = this.#read(session, policy);
    let told: Delivery[] = [];
    let cursor: Cursor;
    let bytes = 0;
    for await (const page of pages) {
      const begun = sessionIn(page);
      if (begun !== undefined) {
        reading = this.#read(begun, policy);
        told = [];
        bytes = 0;
      }
      reading.take(page.entries, told);
      cursor = page.cursor;
      bytes += page.bytes ?? 0;
    }
    return { reading, events: eventsIn(told), cursor, bytes };
  }

  /** Without a reason, what was told is the beginning of this, and only the rest is told. Never of another session. */
  #adopt({ reading, events, cursor, bytes }: Whole, sink: EventSink, reason: ResetReason | undefined): void {
    const known = this.#reading?.session.id ?? reading.session.id;
    const isOther = known !== reading.session.id;
    if (isOther) this.leftSession = known;
    // A checkpoint that somebody forged may name the right events and another state.
    const isForged = this.isResumed && !isDeepStrictEqual(fold(events.slice(0, this.#delivered.count)), this.state);
    this.#reading = reading;
    this.cursor = cursor;
    this.bytes = bytes;
    this.isResumed = false;
    this.#isBroken = false;
    if (reason !== undefined || isOther || isForged) this.#tell({ reset: reason ?? "rewritten" }, sink);
    for (const recorded of events.slice(this.#delivered.count)) this.#tell({ recorded, state: undefined }, sink);
    // What was told before may stand elsewhere now.
    this.turns = new TurnKeeper(events);
  }

  #tell(told: Delivery, sink: EventSink): void {
    if ("reset" in told) {
      this.generation += 1;
      this.#delivered = nothingDelivered;
      this.turns = new TurnKeeper();
      sink.reset(told.reset);
    } else {
      this.#delivered = deliveredWith(this.#delivered, told.recorded);
      this.turns.add(told.recorded, told.state);
      sink.event(told.recorded, told.state);
    }
  }
}

/** A history that was read from its beginning. */
interface Whole {
  readonly reading: Reading;
  readonly events: readonly RecordedEvent[];
  readonly cursor: Cursor;
  readonly bytes: number;
}
