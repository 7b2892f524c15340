/** A subscription is one consumer's way through the changes of a journal. */
import { isDeepStrictEqual } from "node:util";
import { ClosedError } from "../errors.ts";
import type { Version } from "../event/event.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import type { Position, ResetReason } from "../stream/delivery.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import type { Change, ChangesOptions } from "./change.ts";
import type { Follower } from "./follower.ts";
import type { Projection } from "./projection.ts";
import type { Readings } from "./readings.ts";

/** Changes that wait for a consumer. One that falls further behind reads on from the store at its own pace. */
const waitingMax = 256;
/** At a close, so many events are read for a consumer that is behind: all of it is held until it is taken. */
const restMax = 10_000;

/** How far a subscription has come. */
interface Reached extends Position {
  readonly state: ScratchpadState;
}

/** This is the error with which a reading of the stream failed. */
export interface ReadFailure {
  readonly error: unknown;
}

export interface SubscriptionParts {
  readonly store: JournalStore;
  readonly projection: Projection;
  readonly readings: Readings;
  readonly follower: Follower;
  /** Hands over each change and each failed reading from now on; answers how to stop. */
  readonly enter: (subscription: Subscription) => () => void;
  /** What makes changes, once it is loaded and those before are made. */
  readonly load: () => Promise<Comparison>;
}

type Comparison = Pick<typeof import("./compared.ts"), "eventChange" | "resetChange">;

/**
 * In step with the journal it is handed each change; behind, it reads from the store until it is in step. Before it is
 * first asked for a change it holds nothing but its place.
 */
export class Subscription {
  readonly #parts: SubscriptionParts;
  readonly #signal: AbortSignal | undefined;
  #reached: Reached;
  /** Up to here changes are followed and not told. */
  #after: Version;
  #waiting: Change[] = [];
  #inStep = false;
  /** The rest of what is to be told is being read. */
  #closing: Promise<void> | undefined;
  #isRestRead = false;
  #ended = false;
  #failure: ReadFailure | undefined;
  #notify: () => void = () => undefined;
  #leave: () => void = () => undefined;

  constructor(parts: SubscriptionParts, { from, signal }: ChangesOptions) {
    const { generation, view } = parts.projection;
    this.#parts = parts;
    this.#signal = signal;
    this.#after = from ?? 0;
    this.#reached =
      from === undefined || from === view.newest
        ? { generation, version: view.newest, state: view.state }
        : { generation, version: 0, state: initialState };
  }

  iterate(): AsyncIterableIterator<Change> {
    const changes = this.#run();
    // Who has aborted does not ask again, and what is held between two changes would be held for ever.
    this.#leave = () => void changes.return(undefined).catch(() => undefined);
    return {
      next: () => changes.next(),
      return: () => {
        this.#end();
        return changes.return(undefined);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** What happened to the journal while this subscription was in step is its next change. With it the journal stood at `position`. */
  receive(change: Change, position: Position): void {
    if (this.#inStep) this.#take(change, position);
    this.#notify();
  }

  /** A reading has ended, or failed. */
  wake(failure?: ReadFailure): void {
    this.#failure ??= failure;
    this.#notify();
  }

  /** Ends it once what the journal shows now was taken. When this resolves, that waits, and the store is needed no more. */
  close(): Promise<void> {
    this.#closing ??= this.#readRest()
      .catch((error: unknown) => this.wake({ error }))
      .finally(() => this.finish());
    this.#notify();
    return this.#closing;
  }

  /** Ends it once what waits was taken: there is nothing to read any more. */
  finish(): void {
    this.#isRestRead = true;
  }

  #end = (): void => {
    this.#ended = true;
    this.#notify();
    this.#leave();
  };

  #take(change: Change, position: Position): void {
    if (this.#waiting.length >= waitingMax) {
      this.#inStep = false;
      return;
    }
    const isNew = change.type === "reset" || change.version > this.#after;
    if (change.type === "reset") this.#after = 0;
    this.#reached = { ...position, state: change.state };
    if (isNew) this.#waiting.push(change);
  }

  async *#run(): AsyncGenerator<Change, undefined> {
    if (this.#signal?.aborted || this.#ended) return;
    this.#signal?.addEventListener("abort", this.#end);
    const leave = this.#parts.enter(this);
    // From the first moment on, for a journal may be closed before there is anything to await.
    this.#inStep = this.#isAbreast();
    try {
      const comparison = await this.#parts.load();
      await this.#parts.follower.start();
      while (!this.#ended) {
        const change = this.#waiting.shift();
        if (change !== undefined) yield change;
        else if (this.#failure !== undefined) throw this.#failure.error;
        else if (this.#isRestRead) return;
        else if (this.#closing !== undefined) await this.#closing;
        else if (this.#inStep) await this.#news();
        else yield* this.#readOn(comparison);
      }
    } finally {
      leave();
      this.#parts.follower.stop();
      this.#signal?.removeEventListener("abort", this.#end);
    }
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#notify = resolve;
    });
  }

  /** Tells what the journal shows and this subscription has not told; comes in step where nothing is left. */
  async *#readOn(comparison: Comparison): AsyncGenerator<Change, undefined> {
    const { projection } = this.#parts;
    const { generation, view } = projection;
    const { version } = this.#reached;
    if (this.#reached.generation !== generation) {
      yield this.#jump(comparison, projection.resetReason);
      return;
    }
    if (this.#isAbreast()) {
      this.#inStep = true;
      return;
    }
    yield* this.#readFrom(version, view.newest, comparison, () => this.#isOver(generation));
    if (this.#reached.version !== version) return;
    const news = this.#news();
    const areDropped = await this.#areDropped(view.newest + 1);
    if (this.#isOver(generation)) return;
    if (areDropped) yield this.#jump(comparison, "rewritten");
    else await news;
  }

  /** What is left waits: nothing can be read any more when it is taken. Throws ClosedError if it is too much to be held. */
  async #readRest(): Promise<void> {
    const { load, projection } = this.#parts;
    const comparison = await load();
    const { generation, view } = projection;
    if (this.#inStep || this.#ended || this.#failure !== undefined) return;
    const { version } = this.#reached;
    if (this.#reached.generation !== generation) this.#waiting.push(this.#jump(comparison, projection.resetReason));
    else if (view.newest - this.#told > restMax) throw this.#untold();
    else
      for await (const change of this.#readFrom(version, view.newest, comparison, () => this.#ended))
        this.#waiting.push(change);
  }

  /** Up to this version nothing is to be told any more. */
  get #told(): Version {
    return Math.max(this.#reached.version, this.#after);
  }

  #untold(): ClosedError {
    const [told, { newest }] = [this.#told, this.#parts.projection.view];
    return new ClosedError(
      `the journal was closed at version ${newest} before what follows on version ${told} was told: open it again, and go on with changes({ from: ${told} })`,
    );
  }

  async *#readFrom(
    from: Version,
    to: Version,
    comparison: Comparison,
    isOver: () => boolean,
  ): AsyncGenerator<Change, undefined> {
    const { store, projection, readings } = this.#parts;
    const { generation } = projection;
    const reading = readings.begin(store.read(from));
    try {
      for await (const recorded of reading) {
        const areDropped = await this.#areDropped(recorded.version);
        if (recorded.version > to || isOver()) return;
        // What was dropped is not told any more, and without it what follows adds up to states that never were.
        if (areDropped) {
          yield this.#jump(comparison, "rewritten");
          return;
        }
        const before = this.#reached.state;
        const state = evolve(before, recorded.event);
        const inStep = recorded.version === projection.view.newest;
        // It was rewritten, and the journal has not seen that yet: a patch from what it shows would lead from what was never told.
        if (inStep && !isDeepStrictEqual(state, projection.view.state)) {
          yield this.#jump(comparison, "rewritten");
          return;
        }
        this.#reached = { generation, version: recorded.version, state };
        this.#inStep = inStep;
        if (recorded.version > this.#after) yield comparison.eventChange(recorded, before, state);
        if (inStep) return;
      }
    } finally {
      readings.end(reading);
    }
  }

  #isAbreast(): boolean {
    const { generation, view } = this.#parts.projection;
    return this.#reached.generation === generation && this.#reached.version === view.newest;
  }

  #isOver(generation: number): boolean {
    return this.#closing !== undefined || this.#ended || this.#parts.projection.generation !== generation;
  }

  /** Events were dropped between what was told and this version. */
  async #areDropped(version: Version): Promise<boolean> {
    return version > this.#reached.version + 1 && (await this.#parts.store.drops());
  }

  /** This jumps to another history, or over what was dropped of this one. It comes in step. */
  #jump({ resetChange }: Comparison, reason: ResetReason): Change {
    const { generation, view } = this.#parts.projection;
    const before = this.#reached.state;
    this.#inStep = true;
    this.#reached = { generation, version: view.newest, state: view.state };
    this.#after = 0;
    return resetChange(reason, before, view);
  }
}
