/** Begins a turn that has an id, once: whether the newest turn has that id is looked up when the call's turn has come. */
import type { DraftEvent } from "../event/commit.ts";
import type { RecordedLimits } from "../event/event.ts";
import type { Base, Call, Decided } from "./call.ts";
import { EventCall } from "./event-call.ts";
import type { ShownHistory } from "./moment.ts";

/** What `beginTurn` began last. Kept by the journal, so that it need not read its history before each turn. */
export interface NewestTurn {
  turn: number;
  id: string | undefined;
}

export interface TurnCallParts {
  readonly id: string;
  readonly actor: string;
  readonly limits: RecordedLimits | undefined;
  readonly newest: NewestTurn;
  /** It returns the newest turn without reading anything. */
  readonly turn: () => number;
  /** The result is the history up to now. */
  readonly history: () => Promise<ShownHistory>;
}

/** Who is always overtaken takes what it has seen. */
const lookUpsMax = 64;

export class TurnCall implements Call {
  readonly reject: (error: unknown) => void;
  readonly #resolve: (after: Base) => void;
  readonly #parts: TurnCallParts;
  #lookUps = 0;

  constructor(parts: TurnCallParts, resolve: (after: Base) => void, reject: (error: unknown) => void) {
    this.#parts = parts;
    this.#resolve = resolve;
    this.reject = reject;
  }

  async prepare(): Promise<void> {
    const { newest, turn, history: lookBack } = this.#parts;
    this.#lookUps += 1;
    if (turn() === newest.turn) return;
    const history = await lookBack();
    const newestTurn = history.turn;
    let id: string | undefined;
    for await (const { event, turn } of history.read())
      if (turn === newestTurn && event.type === "turn.began") id = event.id;
    Object.assign(newest, { turn: newestTurn, id });
  }

  /** Somebody else began a turn since. */
  isStale({ turn }: Base): boolean {
    return turn !== this.#parts.newest.turn && this.#lookUps < lookUpsMax;
  }

  decide(base: Base): Decided {
    const { id, actor, limits, newest } = this.#parts;
    if (base.turn === newest.turn && newest.id === id)
      return { events: [], after: base, resolve: () => this.#resolve(base) };
    const draft: DraftEvent = { event: { type: "turn.began", id }, actor, limits };
    const began = (after: Base): void => {
      Object.assign(newest, { turn: after.turn, id });
      this.#resolve(after);
    };
    return new EventCall(draft, began, this.reject).decide(base);
  }

  /** Carries no command, so that it is never a repetition. */
  recall(): void {}
}
