/** This is the half of a journal that only reads: what it shows, what comes next, what was before. `public.ts` says what each does. */
import type { Space } from "../action/actions.ts";
import { spaces } from "../action/measures.ts";
import type { BlamedLine } from "../audit/blame.ts";
import type { Diagnosis } from "../audit/doctor.ts";
import type { Loss, LostOptions } from "../audit/lost.ts";
import type { Point } from "../audit/points.ts";
import type { Verification } from "../audit/verify/finding.ts";
import { ClosedError } from "../errors.ts";
import type { Head } from "../event/commit.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import type { ForeignSession, TurnPrompt } from "../event/foreign.ts";
import type { HostMarker } from "../event/marker.ts";
import { requireOptions } from "../options.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { LogPage } from "../stream/log.ts";
import { Queue } from "../stream/queue.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { wholeHistoryUpTo } from "./beginning.ts";
import { type Change, type ChangesOptions, parseChangesOptions } from "./change.ts";
import { Changes } from "./changes.ts";
import type { TakeIn, VerifyOptions } from "./check.ts";
import { HeldHistory, heldFrom, type RecordedHistory } from "./held-history.ts";
import { type HistoryOptions, headMoment, type Moment, parseHistoryOptions, type ShownHistory } from "./moment.ts";
import { parseVersion, type ReachedOptions } from "./options.ts";
import type { Projection, Step, View } from "./projection.ts";
import { allOf, ofOneHistory, Readings } from "./readings.ts";
import type { Diff, HistorySpan } from "./span.ts";
import { type FollowMessage, followed } from "./tracing.ts";
import type { EventOrHost } from "./with-host.ts";

/** A reading journal is made of these. */
export interface ReadingParts {
  readonly store: JournalStore;
  /** With true, closing the journal closes the store. */
  readonly ownsStore: boolean;
  /** With true, a short history is held, so that it is read once. The default is false. */
  readonly holds?: boolean;
  /** With true, nothing is read before somebody asks for more than verification. The default is false. */
  readonly isUnread?: boolean;
}

export class JournalReading {
  /** One task at a time moves the projection. */
  protected readonly queue = new Queue();
  protected readonly projection: Projection;
  readonly #store: JournalStore;
  readonly #ownsStore: boolean;
  readonly #recorded: RecordedHistory;
  readonly #readings = new Readings();
  readonly #changes: Changes;
  #isUnread: boolean;
  #closing: Promise<void> | undefined;

  constructor({ store, ownsStore, holds = false, isUnread = false }: ReadingParts, projection: Projection) {
    [this.#store, this.#ownsStore, this.#isUnread] = [store, ownsStore, isUnread];
    this.projection = projection;
    this.#recorded = holds ? new HeldHistory(store, projection) : store;
    this.#changes = new Changes({
      store,
      projection,
      readings: this.#readings,
      readOn: (begun) => this.#followOn(begun),
      alone: (task) => this.queue.run(task),
    });
  }

  get state(): ScratchpadState {
    return this.projection.view.state;
  }

  get version(): Version {
    return this.projection.view.version;
  }

  get turn(): number {
    return this.projection.view.turn;
  }

  get head(): Head {
    return this.projection.head;
  }

  get isDamaged(): boolean {
    return this.projection.view.unknown !== undefined || this.#store.isDamaged?.() === true;
  }

  async sessionId(): Promise<string> {
    this.mustBeOpen();
    return this.#store.sessionId();
  }

  async refresh(): Promise<void> {
    this.mustBeOpen();
    await this.#readOn();
  }

  async reached(version: Version, options: ReachedOptions = {}): Promise<void> {
    requireOptions(options, "signal");
    const wanted = parseVersion("version", version);
    const { signal } = options;
    signal?.throwIfAborted();
    await this.refresh();
    if (this.version >= wanted) return;
    for await (const _ of this.changes({ ...options, from: this.version })) if (this.version >= wanted) return;
    signal?.throwIfAborted();
    throw this.#closedError();
  }

  onChange(fn: (change: Change) => void): () => void {
    this.mustBeOpen();
    if (typeof fn !== "function") throw new TypeError("onChange takes a function");
    return this.#changes.listen(fn);
  }

  changes(options?: ChangesOptions): AsyncIterableIterator<Change> {
    const failure = this.#closing === undefined ? undefined : { error: this.#closedError() };
    return this.#changes.subscribe(parseChangesOptions(options), failure);
  }

  history(options?: HistoryOptions): AsyncIterableIterator<RecordedEvent> {
    const { from, to } = parseHistoryOptions(options);
    return this.#events(from, to, this.#closing !== undefined);
  }

  async *#events(from: Version, to: Version, closedBefore: boolean): AsyncGenerator<RecordedEvent, undefined> {
    if (closedBefore) this.mustBeOpen();
    // The held events go as far as what is shown.
    if (this.#recorded !== this.#store) await this.refresh();
    for await (const recorded of this.#read(this.#recorded.read(from))) {
      if (recorded.version > to) return;
      yield recorded;
    }
  }

  async *historyWithHost(): AsyncGenerator<EventOrHost, undefined> {
    this.mustBeOpen();
    const { historyWithHost } = await import("./with-host.ts");
    yield* this.#read(historyWithHost(this.#store));
  }

  /** Until it ends or this journal is closed. */
  #read<Item>(items: AsyncIterable<Item>): AsyncIterable<Item> {
    return this.#readings.until(() => this.#closing !== undefined, items);
  }

  async at(point: Point): Promise<Moment> {
    if (point !== "head") return ofOneHistory(this, this.projection, (view) => this.momentAt(point, view));
    await this.refresh();
    return headMoment(this.projection.view);
  }

  protected async momentAt(point: Point, view: View): Promise<Moment> {
    if (point === "head") return headMoment(view);
    const { momentsAt } = await import("./moments.ts");
    const [moment] = await momentsAt([point], this.#recorded, view);
    return moment as Moment;
  }

  async diff(from?: Point, to?: Point): Promise<Diff> {
    const span = await this.span(from, to, true);
    const { changeIn } = await import("./span.ts");
    return { from: span.from.version, to: span.to.version, ...changeIn(span), events: span.events ?? [] };
  }

  /** Where `diff` begins and ends. What is between is only there `withEvents`: of a long history that may be too much to hold. */
  async span(from?: Point, to?: Point, withEvents = false): Promise<HistorySpan> {
    return ofOneHistory(this, this.projection, async (view) => {
      const { spanBetween } = await import("./span.ts");
      return spanBetween(from, to, this.#recorded, view, withEvents);
    });
  }

  async blame(space?: Space): Promise<readonly BlamedLine[]> {
    if (space !== undefined && !spaces.includes(space)) {
      throw new TypeError(`blame takes ${spaces.join(", ")}, or nothing for all of them`);
    }
    await this.refresh();
    const { attributed, blamedLines, initialAuthorship } = await import("../audit/blame.ts");
    let end = initialAuthorship;
    for await (const { after } of attributed(this.#history())) end = after;
    return blamedLines(end, space);
  }

  async lost(options: LostOptions = {}): Promise<readonly Loss[]> {
    return allOf(this.losses(options));
  }

  /** This yields what `lost` answers, one by one: in a long history they may be too many to hold. */
  async *losses(options: LostOptions = {}): AsyncGenerator<Loss, undefined> {
    requireOptions(options, "all");
    const { all = false } = options;
    if (typeof all !== "boolean") throw new TypeError('option "all" must be true or false');
    await this.refresh();
    const { lostIn } = await import("../audit/lost.ts");
    yield* lostIn(this.#history(), { all });
  }

  async verify(options: VerifyOptions = {}): Promise<Verification> {
    const { checked, checkedFirst, parseVerifyOptions, verifyWith } = await import("./check.ts");
    const parsed = parseVerifyOptions(options);
    const takeIn: TakeIn = (pages, tell) => this.queue.run(() => this.#isUnread && this.#takeIn(pages, tell));
    const first = this.#isUnread ? await checkedFirst(this.#store, parsed, takeIn) : undefined;
    return first ?? checked(this, this.projection, (shown) => verifyWith(this.#store, shown, parsed));
  }

  async diagnose(): Promise<Diagnosis> {
    const [{ checked }, { diagnoseStore }] = await Promise.all([import("./check.ts"), import("./diagnose.ts")]);
    return checked(this, this.projection, (shown) => diagnoseStore(this.#store, shown));
  }

  async foreign(options: { readonly whole?: boolean } = {}): Promise<ForeignSession | undefined> {
    this.mustBeOpen();
    return this.#store.foreign(options);
  }

  async hostMarkers(): Promise<readonly HostMarker[]> {
    return allOf(this.markers());
  }

  /** The markers are those of `hostMarkers`, one by one. */
  async *markers(): AsyncGenerator<HostMarker, undefined> {
    this.mustBeOpen();
    const { markersIn } = await import("./with-host.ts");
    yield* markersIn(this.#store);
  }

  async prompts(): Promise<readonly TurnPrompt[]> {
    this.mustBeOpen();
    const { promptsIn } = await import("./with-host.ts");
    return allOf(promptsIn(this.#store));
  }

  close(): Promise<void> {
    this.#closing ??= this.queue.run(async () => {
      await this.#changes.close();
      await this.#readings.close();
      if (this.#ownsStore) await this.#store.close();
    });
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected follow(): Promise<void> {
    return this.#changes.follow();
  }

  /** Everything up to the version that is shown now, from the beginning. */
  #history(): () => AsyncIterable<RecordedEvent> {
    const { view } = this.projection;
    return heldFrom(() => wholeHistoryUpTo(this.#recorded, view, this.#store));
  }

  /** The result is everything up to the newest version, for a caller that has the queue. */
  protected async newestHistory(): Promise<ShownHistory> {
    const { shownHistory } = await import("./moments.ts");
    await this.#catchUp();
    return shownHistory(this.#store, this.projection.view);
  }

  protected mustBeOpen(): void {
    if (this.#closing !== undefined) throw this.#closedError();
  }

  #closedError(): ClosedError {
    return new ClosedError(`the journal on ${this.#store.where} was closed: open it again`);
  }

  async #readOn(begun: () => void = () => undefined): Promise<void> {
    await this.queue.run(async () => {
      begun();
      await this.#catchUp();
    });
  }

  async #followOn(begun: () => void): Promise<void> {
    if (!followed.hasSubscribers) return this.#readOn(begun);
    const before = this.version;
    await this.#readOn(begun);
    const { version, at } = this.projection.view;
    if (version <= before || at === undefined) return;
    const lagMs = Math.max(0, Date.now() - Date.parse(at));
    followed.publish({ where: this.#store.where, events: version - before, lagMs } satisfies FollowMessage);
  }

  #takeIn(pages: AsyncIterable<LogPage>, tell: (step: Step) => void): Promise<true> {
    const untap = this.projection.tap(tell);
    return this.#catchUp(pages).finally(untap);
  }

  async #catchUp(pages?: AsyncIterable<LogPage>): Promise<true> {
    this.#isUnread = false;
    this.projection.settle(await this.#store.catchUp(this.projection.from(), this.projection, pages));
    return true;
  }
}
