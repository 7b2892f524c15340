import type { DraftEvent } from "../event/commit.ts";
import { baseAfter } from "./actions-call.ts";
import type { Base, Call, Decided } from "./call.ts";

/** Marks the beginning of a turn. */
export class TurnCall implements Call {
  readonly reject: (error: unknown) => void;
  readonly #resolve: (turn: number) => void;
  readonly #draft: DraftEvent;

  constructor(draft: DraftEvent, resolve: (turn: number) => void, reject: (error: unknown) => void) {
    this.#draft = draft;
    this.#resolve = resolve;
    this.reject = reject;
  }

  decide(base: Base): Decided {
    const after = baseAfter(base, this.#draft);
    return { events: [this.#draft], after, resolve: () => this.#resolve(after.turn) };
  }

  /** Carries no command, so that it is never a repetition. */
  recall(): void {}
}
