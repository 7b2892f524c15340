/**
 * The newest turn that has events, held while it goes on and kept in checkpoints: what it changed is asked for most, and
 * takes no reading then, however long the history is.
 */
import type { Json, RecordedEvent, RecordedLimits, ScratchpadEvent, Version } from "../event/event.ts";
import { evolve } from "./evolve.ts";
import { initialState, type ScratchpadState } from "./state.ts";

/** This is where the events before a turn end. `at` and `limits` are those of the newest of them. */
export interface TurnStart {
  readonly version: Version;
  readonly at?: string | undefined;
  readonly limits?: RecordedLimits | undefined;
  readonly state: ScratchpadState;
}

export interface NewestTurn {
  readonly turn: number;
  readonly start: TurnStart;
  /** There is at least one event. */
  readonly events: readonly RecordedEvent[];
}

/** A turn with more is not held. */
const eventsMax = 256;
const unitsMax = 128 * 1024;

export class TurnKeeper {
  #end: TurnStart = { version: 0, state: initialState };
  /** What it began with is not known, or it has too much in it. */
  #isPartial = false;
  #turn = -1;
  #start: TurnStart = this.#end;
  #events: RecordedEvent[] = [];
  #units = 0;
  /** This reads what a checkpoint has of the turn. Who only wants the state never needs it. */
  #held: (() => NewestTurn | undefined) | undefined;

  get newest(): NewestTurn | undefined {
    this.#takeHeld();
    if (this.#isPartial || this.#events.length === 0) return undefined;
    return { turn: this.#turn, start: this.#start, events: [...this.#events] };
  }

  /** `state` is the state after the event. */
  add(recorded: RecordedEvent, state = evolve(this.#end.state, recorded.event)): void {
    this.#takeHeld();
    const { version, at, limits, turn } = recorded;
    if (turn !== this.#turn) this.#begin(turn);
    this.#end = { version, at, limits, state };
    if (this.#isPartial) return;
    this.#events.push(recorded);
    this.#units += unitsIn(recorded.event);
    if (this.#events.length <= eventsMax && this.#units <= unitsMax) return;
    this.#isPartial = true;
    this.#events = [];
  }

  /** Goes on from a checkpoint: `turn` is the one it was made in. `held` is asked when the turn is, or goes on. */
  restore(end: TurnStart, turn: number, held: () => NewestTurn | undefined): void {
    this.#end = end;
    this.#turn = turn;
    this.#held = held;
  }

  #takeHeld(): void {
    if (this.#held === undefined) return;
    const newest = this.#held();
    this.#held = undefined;
    this.#turn = newest?.turn ?? this.#turn;
    this.#start = newest?.start ?? this.#end;
    this.#events = [...(newest?.events ?? [])];
    this.#units = this.#events.reduce((sum, { event }) => sum + unitsIn(event), 0);
    this.#isPartial = newest === undefined && this.#end.version > 0;
  }

  #begin(turn: number): void {
    this.#turn = turn;
    this.#start = this.#end;
    this.#events = [];
    this.#units = 0;
    this.#isPartial = false;
  }
}

/** Roughly as many characters as it takes. */
export function unitsIn(event: ScratchpadEvent): number {
  return sizeOf(event as unknown as Json);
}

function sizeOf(value: Json | undefined): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  let size = 0;
  for (const part of Object.values(value)) size += 8 + sizeOf(part);
  return size;
}
