import type { RecordedRefusalCode, ScratchpadEvent, Space, Version } from "../event/event.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { Limits } from "./limits.ts";
import type { Measures } from "./measures.ts";
import type { Dedupe } from "./ref-form.ts";

/** Codes of refusals that are never recorded: the version stays as it is. */
export type UnrecordedRefusalCode = "unknown_action" | "invalid_argument" | "invalid_key" | "too_large";

/** An action that stood beside a refused one in `applyAll` has the code `not_applied`. */
export type AnswerCode = RecordedRefusalCode | UnrecordedRefusalCode | "not_applied";

/** An answer says what an action came to. Refusals are answers, too. */
export interface Answer {
  /** It is true if the action was accepted, and false if it was refused. */
  readonly ok: boolean;
  /** This is one line for a model, with use against budget. */
  readonly message: string;
  /** This says why the action was refused. It is absent if it was not. */
  readonly code?: AnswerCode;
  /** This is the version of the stream after the action. */
  readonly version: Version;
  /** This is what `used` and `limit` are of; null where the action is unknown or has no space of its own. */
  readonly space: Space | null;
  /** This is how full `space` is after the action, in the units of its budget. It is 0 if `space` is null. */
  readonly used: number;
  /** This is the budget of `space`. It is 0 if `space` is null. */
  readonly limit: number;
  /** This is what was cut off, and what is over budget: one line each. */
  readonly warnings: readonly string[];
  /** These are the events that were appended. */
  readonly events: readonly ScratchpadEvent[];
  /** This is the ref that was there already, so nothing was appended. It is present only under `dedupe`. */
  readonly existing?: string;
}

/** This is what an answer is computed from besides the event and the states around it. */
export interface AnswerContext {
  readonly limits: Limits;
  /** This is the time of the event and of its commit, as an ISO time. */
  readonly at: string;
  /** It counts texts in the units of the budgets, instead of those that the budgets have by themselves. */
  readonly measure?: Measures;
  /** Keeps a ref once, instead of as often as it comes. */
  readonly dedupe?: Dedupe;
  /** This is the version of the stream before the event. The default is 0. */
  readonly version?: Version;
}

/** This is what deciding needs besides the state. */
export interface DecideContext extends AnswerContext {
  /** This is who acts: leases are held under this name. */
  readonly actor: string;
  /** This gives the state at a version. It is needed only where `restore` is allowed. */
  readonly stateAt?: (version: Version) => ScratchpadState | undefined;
  /** With true, changes of notes are written as the single key of older runtimes: `legacy.set` with the whole text. */
  readonly singleKey?: boolean;
}
