/** Begins a turn that has an id, once: whether the newest turn has that id is looked up when the call's turn has come. */
import type { DraftEvent } from "../event/commit.ts";
import type { RecordedLimits } from "../event/event.ts";
import type { Base, Call, Decided } from "./call.ts";
import { EventCall } from "./event-call.ts";
import type { ShownHistory } from "./moment.ts";
import type { Projection } from "./projection.ts";

/** What `beginTurn` began last, in this history. Kept by the journal, so that it need not read its history before each turn. */
export interface NewestTurn {
  generation: number;
  turn: number;
  id: string | undefined;
}

export interface TurnCallParts {
  readonly id: string;
  readonly actor: string;
  readonly limits: RecordedLimits | undefined;
  readonly newest: NewestTurn;
  readonly projection: Pick<Projection, "generation" | "view">;
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
    const { projection, history: lookBack } = this.#parts;
    this.#lookUps += 1;
    if (this.#isNewest(projection.view.turn)) return;
    const history = await lookBack();
    const newestTurn = history.turn;
    let id: string | undefined;
    for await (const { event, turn } of history.read())
      if (turn === newestTurn && event.type === "turn.began") id = event.id;
    this.#note(newestTurn, id);
  }

  /** Somebody else began a turn since. */
  isStale({ turn }: Base): boolean {
    return !this.#isNewest(turn) && this.#lookUps < lookUpsMax;
  }

  decide(base: Base): Decided {
    const { id, actor, limits, newest } = this.#parts;
    if (this.#isNewest(base.turn) && newest.id === id)
      return { events: [], after: base, resolve: () => this.#resolve(base) };
    const draft: DraftEvent = { event: { type: "turn.began", id }, actor, limits };
    const began = (after: Base): void => {
      this.#note(after.turn, id);
      this.#resolve(after);
    };
    return new EventCall(draft, began, this.reject).decide(base);
  }

  /** Carries no command, so that it is never a repetition. */
  recall(): void {}

  /** In another history the turn of this number is another one. */
  #isNewest(turn: number): boolean {
    const { newest, projection } = this.#parts;
    return newest.turn === turn && newest.generation === projection.generation;
  }

  #note(turn: number, id: string | undefined): void {
    const { newest, projection } = this.#parts;
    Object.assign(newest, { generation: projection.generation, turn, id } satisfies NewestTurn);
  }
}
