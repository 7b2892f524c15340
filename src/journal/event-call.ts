import type { DraftEvent } from "../event/commit.ts";
import type { Version } from "../event/event.ts";
import { evolve } from "../state/evolve.ts";
import { baseAfter } from "./actions-call.ts";
import type { Base, Call, Decided } from "./call.ts";

/** Appends an event that no budget decides: a turn began, a session was forked. */
export class EventCall implements Call {
  readonly expectedVersion?: Version;
  readonly reject: (error: unknown) => void;
  readonly #resolve: (after: Base) => void;
  readonly #draft: DraftEvent;

  constructor(
    draft: DraftEvent,
    resolve: (after: Base) => void,
    reject: (error: unknown) => void,
    expectedVersion?: Version,
  ) {
    this.#draft = draft;
    this.#resolve = resolve;
    this.reject = reject;
    if (expectedVersion !== undefined) this.expectedVersion = expectedVersion;
  }

  decide(base: Base): Decided {
    const state = evolve(base.state, this.#draft.event);
    const after = baseAfter(base, this.#draft, state);
    return { events: [{ ...this.#draft, state }], after, resolve: () => this.#resolve(after) };
  }

  /** Carries no command, so that it is never a repetition. */
  recall(): void {}
}
