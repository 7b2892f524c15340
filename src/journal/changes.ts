/** Live: what happens to the stream, as it happens, to each who follows it, in order and exactly once. */
import type { Position } from "../stream/delivery.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import type { Change, ChangesOptions } from "./change.ts";
import { Follower } from "./follower.ts";
import type { Projection, Step } from "./projection.ts";
import type { Readings } from "./readings.ts";
import { type ReadFailure, Subscription } from "./subscription.ts";

export interface ChangesParts {
  readonly store: JournalStore;
  readonly projection: Projection;
  readonly readings: Readings;
  /** Reads what is new; calls `begun` first. */
  readonly readOn: (begun: () => void) => Promise<void>;
  /** Nothing moves the projection until the task is done. */
  readonly alone: (task: () => Promise<unknown>) => Promise<unknown>;
}

/** A step that was taken while the comparison was loaded. */
interface Early {
  readonly step: Step;
  /** The journal stood there then. */
  readonly position: Position;
  /** A subscriber that came later is not told of it. */
  readonly hearers: ReadonlySet<unknown>;
}

type Comparison = Pick<typeof import("./compared.ts"), "changeOf" | "eventChange" | "resetChange">;

export class Changes {
  readonly #parts: ChangesParts;
  readonly #follower: Follower;
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #subscriptions = new Set<Subscription>();
  #untap: (() => void) | undefined;
  #comparison: Comparison | undefined;
  #early: Early[] = [];
  #closed = false;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
    const { store, readOn } = parts;
    this.#follower = new Follower({ store, readOn, onRead: (failure) => this.#wake(failure) });
  }

  /** Keeps the journal in step until it is closed. */
  follow(): Promise<void> {
    return this.#follower.start();
  }

  /** Answers how to stop. What `fn` throws is thrown where nobody's work depends on it: as an uncaught exception. */
  listen(fn: (change: Change) => void): () => void {
    const listener = (change: Change): void => {
      try {
        fn(change);
      } catch (error) {
        throwLater(error);
      }
    };
    this.#listeners.add(listener);
    this.#tap();
    if (this.#comparison === undefined) this.#parts.alone(this.#load).catch(throwLater);
    this.#follower.start().catch(throwLater);
    return () => {
      if (!this.#listeners.delete(listener)) return;
      this.#tap();
      this.#follower.stop();
    };
  }

  /** The iteration throws `failure` at once. */
  subscribe(options: ChangesOptions, failure?: ReadFailure): AsyncIterableIterator<Change> {
    const { store, projection, readings } = this.#parts;
    const load = async (): Promise<Comparison> => this.#comparison ?? (await this.#load());
    const parts = { store, projection, readings, follower: this.#follower, enter: this.#enter, load };
    const subscription = new Subscription(parts, options);
    subscription.wake(failure);
    return subscription.iterate();
  }

  /** Ends every iteration. Nothing may move the projection meanwhile. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    this.#tap();
    await Promise.all([...this.#subscriptions].map((subscription) => subscription.close()));
    await this.#follower.close();
  }

  readonly #enter = (subscription: Subscription): (() => void) => {
    if (this.#closed) subscription.finish();
    this.#subscriptions.add(subscription);
    this.#tap();
    return () => {
      this.#subscriptions.delete(subscription);
      this.#tap();
    };
  };

  /** A change costs a comparison of two states: none is made where nobody listens. */
  #tap(): void {
    const isHeard = this.#listeners.size + this.#subscriptions.size > 0;
    if (isHeard === (this.#untap !== undefined)) return;
    this.#untap?.();
    this.#untap = isHeard ? this.#parts.projection.tap((step) => this.#tell(step)) : undefined;
  }

  #tell(step: Step): void {
    const { generation, view } = this.#parts.projection;
    const position = { generation, version: view.newest };
    if (this.#comparison === undefined)
      this.#early.push({ step, position, hearers: new Set([...this.#listeners, ...this.#subscriptions]) });
    else this.#hand(this.#comparison.changeOf(step), position, () => true);
  }

  #hand(change: Change, position: Position, hears: (hearer: unknown) => boolean): void {
    for (const listener of this.#listeners) if (hears(listener)) listener(change);
    for (const subscription of this.#subscriptions) if (hears(subscription)) subscription.receive(change, position);
  }

  readonly #load = async (): Promise<Comparison> => {
    const { changeOf, eventChange, resetChange } = await import("./compared.ts");
    this.#comparison = { changeOf, eventChange, resetChange };
    for (const { step, position, hearers } of this.#early.splice(0))
      this.#hand(changeOf(step), position, (hearer) => hearers.has(hearer));
    return this.#comparison;
  };

  /** A reading that failed is tried again at the next wake-up; who iterates is told, for it may miss something. */
  #wake(error: unknown): void {
    for (const subscription of this.#subscriptions) subscription.wake(error === undefined ? undefined : { error });
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
