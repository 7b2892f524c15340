/** A stream follows a log and delivers what is new. If it may have missed something, it reads from the beginning, which decides. */
import { because } from "../diagnostics.ts";
import type { FoldPolicy } from "../event/commit.ts";
import type { Ledger } from "../line/acceptance.ts";
import { genesisHash } from "../line/chain.ts";
import { TurnKeeper } from "../state/newest-turn.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { StreamImage } from "./checkpoint.ts";
import { type Attempt, Comparison } from "./comparison.ts";
import {
  type Delivery,
  deliveredWith,
  type EventSink,
  nobody,
  nothingDelivered,
  type Position,
  type ResetReason,
  type StreamEnd,
  sinkAfter,
} from "./delivery.ts";
import type { Cursor, Log, LogPage, LogPages, Session } from "./log.ts";
import { behind, iteratorOf, type PageIterator, sessionIn } from "./pages.ts";
import { type OwnCommit, Reading, type ReadingSettings } from "./reading.ts";
import { requirePage, requireSession } from "./require-log.ts";
import { Unread } from "./unread.ts";

export interface StreamSettings extends ReadingSettings {
  /** If it is absent, the policy is that of the journal itself. */
  readonly fold?: FoldPolicy | undefined;
}

export class EventStream {
  /** Counts the histories that were seen. */
  generation = 0;
  /** It goes on from a checkpoint, and has not read from the beginning since. */
  isResumed = false;
  /** The checkpoint that it goes on from was found to be wrong: what is delivered next rests on none. */
  isDoubted = false;
  /** Reading or appending has failed since the log last went on: it need not know any more where it stood. */
  hasFailed = false;
  /** This is the session that the log was before it became another one. It is kept until a writer has heard of it. */
  leftSession: string | undefined;
  /** The cursor stands behind what was read. */
  cursor: Cursor;
  /** So many bytes of this history were read. */
  bytes = 0;
  /** These are the turns of what was delivered. */
  turns = new TurnKeeper();
  readonly unread: Unread;
  readonly #log: Log;
  readonly #settings: StreamSettings;
  #reading: Reading | undefined;
  #delivered = nothingDelivered;
  /** Reading failed on the way: what the ledger took was not delivered, and it cannot go on from where it stopped. */
  #isBroken = false;

  constructor(log: Log, settings: StreamSettings) {
    this.#log = log;
    this.#settings = settings;
    this.unread = new Unread(log.where);
  }

  get isBegun(): boolean {
    return this.#reading !== undefined;
  }

  get session(): Session | undefined {
    return this.#reading?.session;
  }

  /** The ledger is that of what was read. Before anything was read, this throws a TypeError. */
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

  /** Delivers to `sink` what is new. */
  async advance(sink: EventSink, whole?: LogPages): Promise<void> {
    if (this.#reading === undefined) return this.#begin(sink, whole);
    if (this.isDoubted) return this.readAgain(sink);
    let pages: PageIterator | undefined;
    try {
      pages = iteratorOf(this.#log.read(this.cursor));
      for (;;) {
        const next = pages.next();
        // A page that is at hand is not waited for.
        const { done, value: page } = "then" in next ? await next : next;
        if (done === true) return this.unread.cameInStep();
        requirePage(page, this.#log.where);
        if (sessionIn(page) !== undefined) return await this.#startOver(page, pages, sink);
        if (!this.take(page, sink)) return await this.readAgain(sink);
      }
    } catch (error) {
      this.hasFailed = true;
      throw error;
    } finally {
      if (pages?.return !== undefined) await pages.return();
    }
  }

  /** `pages` follow on the page that begins another history. */
  async #startOver(page: LogPage, pages: PageIterator, sink: EventSink): Promise<void> {
    const [first] = page.entries;
    const said = first?.kind === "begin" ? first.reason : undefined;
    const reason = said ?? (this.hasFailed ? undefined : "rewritten");
    const what = this.isResumed ? "its snapshot is ignored, for" : "reads again from the beginning, for";
    because("%s: %s it is not what was read before: %s", this.#log.where, what, reason ?? "reading failed");
    await this.#readWhole(sink, nobody, behind(page, pages), reason);
  }

  /** Gives `sink` what the page adds, `own` among it. The result is false if only reading from the beginning can decide. */
  take(page: LogPage, sink: EventSink, own?: OwnCommit): boolean {
    const reading = this.#reading;
    requirePage(page, this.#log.where);
    // What follows on another beginning does not follow on what was read.
    if (sessionIn(page) !== undefined) this.#isBroken = true;
    if (reading === undefined || this.#isBroken) return false;
    if (page.entries.length > 0) {
      const deliveries: Delivery[] = [];
      this.#isBroken = true;
      reading.doubtful = false;
      this.unread.during(reading, page.entries, deliveries, () => reading.take(page.entries, deliveries, own));
      const isUnder = reading.isUnder(this.#settings.fold);
      // Where old entries are dropped, no reading knows more.
      if (!isUnder || (reading.doubtful && reading.session.drops !== true)) {
        const why = isUnder
          ? "for a commit does not count, or one before it is missing"
          : "under the journal's own policy";
        because("%s: reads again from the beginning, %s", this.#log.where, why);
        return false;
      }
      [this.#isBroken, this.hasFailed] = [false, false];
      for (const each of deliveries) this.#deliver(each, sink);
    } else if (reading.session.drops === true) this.unread.passed(this.cursor, page.cursor);
    this.cursor = page.cursor;
    this.bytes += page.bytes ?? 0;
    return true;
  }

  /** Reads from the beginning, and delivers what is not known of it; all of it where what was delivered is no part of it. */
  async readAgain(sink: EventSink): Promise<void> {
    await this.#readWhole(sink);
  }

  /** Reads from the beginning for a follower who was given something else than this stream delivered last. */
  async tellAgain(from: Position | undefined, sink: EventSink): Promise<void> {
    const { generation } = this;
    const lags = from !== undefined && from.generation === generation;
    if (from !== undefined && !lags) sink.reset("rewritten");
    const after = lags ? from.version : 0;
    const rest = sinkAfter(after, sink, () => this.generation === generation);
    await this.#readWhole(rest, rest);
    // Whoever was given more than there is was given something else.
    if (after > this.end.version && this.generation === generation)
      await this.tellAgain({ generation: -1, version: 0 }, sink);
  }

  /** The result is undefined if going on from an image would hide something. */
  image(): StreamImage | undefined {
    const [reading, session] = [this.#reading?.image(), this.session];
    if (reading === undefined || session === undefined || this.#isBroken || this.#delivered.hasUnknown)
      return undefined;
    return { session, cursor: this.cursor, reading, delivered: this.#delivered, newest: () => this.turns.newest };
  }

  /** Goes on from an image, as if all up to there had been read. */
  resume({ session, cursor, reading, delivered, newest }: StreamImage): void {
    const resumed = new Reading(session, "file", this.#settings);
    resumed.restore(reading);
    this.#reading = resumed;
    this.#delivered = delivered;
    const [{ ledger, state }, { at, limits }] = [reading, delivered];
    this.turns.restore({ version: ledger.head.version, at, limits, state }, ledger.turn, newest);
    this.cursor = cursor;
    this.isResumed = true;
  }

  async #begin(sink: EventSink, whole?: LogPages): Promise<void> {
    try {
      await this.#readWhole(sink, nobody, whole);
      // Pages of another reading do not say where to go on.
      this.hasFailed = whole !== undefined;
    } catch (error) {
      this.#isBroken = false;
      if (this.#delivered.count > 0) this.#deliver({ reset: "rewritten" }, sink);
      throw error;
    }
  }

  /** Reads all and holds none of it: what was delivered is compared, and the rest is delivered; all of it if that was another beginning. */
  async #readWhole(
    sink: EventSink,
    known = nobody,
    pages = this.#log.read(undefined),
    reason?: ResetReason,
  ): Promise<void> {
    this.unread.requireNone();
    const session = this.session ?? requireSession(await this.#log.session(), this.#log.where);
    const first: Attempt = { fold: this.fold, isLast: false, reason, otherwise: "rewritten", known };
    let next = await this.#readOnce(first, session, sink, pages);
    while (next !== undefined) next = await this.#readOnce(next, session, sink, this.#log.read(undefined));
  }

  /** Answers how to read it instead, where it goes by another policy or does not begin with what was delivered. */
  async #readOnce(attempt: Attempt, session: Session, sink: EventSink, pages: LogPages): Promise<Attempt | undefined> {
    let reading = new Reading(session, attempt.fold, this.#settings, this.#reading?.ledger.version);
    // A checkpoint that somebody forged may name the right events and another state.
    const comparison = new Comparison(attempt, this.#delivered, this.isResumed ? this.state : undefined);
    let cursor: Cursor;
    let bytes = 0;
    for await (const page of pages) {
      requirePage(page, this.#log.where);
      reading = reading.at(page);
      const deliveries: Delivery[] = [];
      reading.take(page.entries, deliveries);
      if (deliveries.length > 0 && this.#isElsewhere(reading, attempt)) break;
      for (const each of deliveries)
        if (!this.#retell(each, comparison, reading, sink)) return comparison.fromTheStart();
      ({ cursor } = page);
      bytes += page.bytes ?? 0;
    }
    if (this.#isElsewhere(reading, attempt)) return comparison.under(reading.ledger.policy);
    if (!this.#mayTell(comparison, reading, sink)) return comparison.fromTheStart();
    this.#adopt(reading, cursor, bytes);
    return undefined;
  }

  #adopt(reading: Reading, cursor: Cursor, bytes: number): void {
    this.unread.read(reading);
    if (this.#isOther(reading)) this.leftSession = this.session?.id;
    this.#reading = reading;
    this.cursor = cursor;
    this.bytes = bytes;
    [this.isResumed, this.isDoubted, this.#isBroken, this.hasFailed] = [false, false, false, false];
  }

  #isElsewhere(reading: Reading, { isLast }: Attempt): boolean {
    return !isLast && !reading.isUnder(this.#settings.fold);
  }

  /** It is of another session than what was read before. */
  #isOther({ session }: Reading): boolean {
    return this.#reading !== undefined && this.#reading.session.id !== session.id;
  }

  /** False: what is read does not begin with what was delivered. */
  #retell(each: Delivery, comparison: Comparison, reading: Reading, sink: EventSink): boolean {
    const isDue = comparison.isDue || this.#isOther(reading);
    if (isDue && !this.#mayTell(comparison, reading, sink)) return false;
    if (comparison.isOver || "reset" in each) this.#deliver(each, sink);
    else comparison.add(each.recorded, each.state);
    return true;
  }

  #mayTell(comparison: Comparison, reading: Reading, sink: EventSink): boolean {
    if (comparison.isOver) return true;
    const { reason } = comparison.attempt;
    if (reason !== undefined || this.#isOther(reading)) this.#deliver({ reset: reason ?? "rewritten" }, sink);
    else if (comparison.isSame) this.turns = comparison.turns;
    else return false;
    comparison.isOver = true;
    // Until all is delivered, what was delivered is ahead of what is known to have been read.
    this.#isBroken = true;
    this.cursor = undefined;
    return true;
  }

  #deliver(delivery: Delivery, sink: EventSink): void {
    if ("reset" in delivery) {
      this.generation += 1;
      this.#delivered = nothingDelivered;
      this.turns = new TurnKeeper();
      sink.reset(delivery.reset);
    } else {
      this.#delivered = deliveredWith(this.#delivered, delivery.recorded);
      this.turns.add(delivery.recorded, delivery.state);
      sink.event(delivery.recorded, delivery.state);
    }
  }
}
