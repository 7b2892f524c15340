/** Restores the state at a point: which version that is, and what its state was, is looked up when its turn has come. */
import type { Answer } from "../action/answer.ts";
import type { Point } from "../audit/points.ts";
import type { Version } from "../event/event.ts";
import { ActionsCall, type ActionsCallParts } from "./actions-call.ts";
import type { Base, Call, Decided, FirstTime } from "./call.ts";
import type { ShownHistory } from "./moment.ts";
import type { Projection } from "./projection.ts";

export interface RestoreCallParts extends Omit<ActionsCallParts, "actions" | "stateAt"> {
  readonly point: Point;
  readonly projection: Pick<Projection, "generation">;
  /** The result is the history up to now. */
  readonly history: () => Promise<ShownHistory>;
}

/** Leads to the same version however long the history grows. */
const fixedPoint = /^(v?\d+$|#)/;

/** Who is always overtaken restores what it has seen. */
const lookUpsMax = 64;

export class RestoreCall implements Call {
  readonly command?: string;
  readonly expectedVersion?: Version;
  readonly reject: (error: unknown) => void;
  readonly #resolve: (answers: Answer[]) => void;
  readonly #parts: RestoreCallParts;
  #restoring: ActionsCall | undefined;
  #lookedUpAt: Version = 0;
  #lookedUpIn = 0;
  #lookUps = 0;

  constructor(parts: RestoreCallParts, resolve: (answers: Answer[]) => void, reject: (error: unknown) => void) {
    this.#parts = parts;
    this.#resolve = resolve;
    this.reject = reject;
    if (parts.command !== undefined) this.command = parts.command;
    if (parts.expectedVersion !== undefined) this.expectedVersion = parts.expectedVersion;
  }

  async prepare(): Promise<void> {
    const { point, projection, history: lookBack, ...rest } = this.#parts;
    const history = await lookBack();
    this.#lookedUpAt = history.version;
    this.#lookedUpIn = projection.generation;
    this.#lookUps += 1;
    const first = rest.command === undefined ? undefined : await history.restoredFirst(point, rest.command);
    const { version: to, state } = first ?? (await history.moment(point));
    const stateAt = (version: Version) => (version === to ? state : undefined);
    const parts = { ...rest, actions: [{ action: "restore", to }], stateAt };
    this.#restoring = new ActionsCall(parts, this.#resolve, this.reject);
  }

  /** Others may have written since: what they did must not be undone by a point that has moved on. In another history it is another moment. */
  isStale({ version }: Base): boolean {
    const { point, projection } = this.#parts;
    const moves = typeof point === "string" && !fixedPoint.test(point) && version !== this.#lookedUpAt;
    return (moves || projection.generation !== this.#lookedUpIn) && this.#lookUps < lookUpsMax;
  }

  decide(base: Base, at: string): Decided {
    return this.#prepared().decide(base, at);
  }

  recall(first: FirstTime): void {
    this.#prepared().recall(first);
  }

  #prepared(): ActionsCall {
    if (this.#restoring === undefined) throw new TypeError("a call that was not prepared cannot be decided");
    return this.#restoring;
  }
}
