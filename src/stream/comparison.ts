/** Whether a history that is read again begins with what was delivered of it. Nothing of it is held. */
import { isDeepStrictEqual } from "node:util";
import type { FoldPolicy } from "../event/commit.ts";
import type { RecordedEvent } from "../event/event.ts";
import { TurnKeeper } from "../state/newest-turn.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { type Delivered, deliveredWith, type EventSink, nothingDelivered, type ResetReason } from "./delivery.ts";

export interface Attempt {
  readonly fold: FoldPolicy;
  /** Whatever policy it turns out to be under. */
  readonly isLast: boolean;
  /** This says why what was delivered before is void, if that is known. */
  readonly reason: ResetReason | undefined;
  /** This says why it is void, if what is read turns out not to begin with it. */
  readonly otherwise: ResetReason;
  /** This is given again what it was given before. */
  readonly known: EventSink;
}

export class Comparison {
  readonly attempt: Attempt;
  /** What was delivered may stand in other turns now. */
  readonly turns = new TurnKeeper();
  /** The events that are read now are delivered. */
  isOver = false;
  readonly #delivered: Delivered;
  readonly #stateDelivered: ScratchpadState | undefined;
  #passed = nothingDelivered;
  #state = initialState;

  /** `stateDelivered`: where what was delivered need not add up to it. */
  constructor(attempt: Attempt, delivered: Delivered, stateDelivered?: ScratchpadState) {
    this.attempt = attempt;
    this.#delivered = delivered;
    this.#stateDelivered = stateDelivered;
  }

  /** The comparison is at its end. */
  get isDue(): boolean {
    return this.attempt.reason !== undefined || this.#passed.count === this.#delivered.count;
  }

  get isSame(): boolean {
    const isSameState = this.#stateDelivered === undefined || isDeepStrictEqual(this.#state, this.#stateDelivered);
    const { count, fingerprint } = this.#delivered;
    return this.#passed.count === count && this.#passed.fingerprint === fingerprint && isSameState;
  }

  add(recorded: RecordedEvent, state: ScratchpadState): void {
    this.#passed = deliveredWith(this.#passed, recorded);
    this.#state = state;
    this.turns.add(recorded, state);
    this.attempt.known.event(recorded, state);
  }

  /** The result is the next attempt, if this one was not the same. */
  fromTheStart(): Attempt {
    return { ...this.attempt, reason: this.attempt.otherwise };
  }

  /** The result is the next attempt, if the journal goes by another policy. */
  under(fold: FoldPolicy): Attempt {
    const reason = this.isOver ? undefined : this.attempt.reason;
    return { ...this.attempt, fold, isLast: fold === "file", reason, otherwise: "branch" };
  }
}
