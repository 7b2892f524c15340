import { deepStrictEqual, match } from "node:assert/strict";
import type { Answer, DecideContext } from "../action/answer.ts";
import { type Decision, reduce } from "../action/decide.ts";
import { defaultLimits } from "../action/limits.ts";
import type { ScratchpadEvent } from "../event/event.ts";
import { eventTypes } from "../event/types.ts";
import { requireChoice, requireOptions } from "../options.ts";
import { fold } from "../state/fold.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";

/** An outcome has the answer to an action, its events, and the state after it. */
export type Outcome = Decision & { readonly state: ScratchpadState };

/** Each part that is given is compared: the events whole, of the answer and the state only the fields that are named. */
export interface ExpectedOutcome {
  readonly events?: readonly object[];
  readonly answer?: Partial<Omit<Answer, "message">> & { readonly message?: string | RegExp };
  readonly state?: Partial<ScratchpadState>;
}

/** This is the first part of an example of one action. */
export interface Given {
  /** Lets `action` be decided; what the context leaves out is the default budget, actor "agent", and {@link givenAt}. */
  when(action: unknown, context?: Partial<DecideContext>): When;
}

/** This is the second part of an example of one action. */
export interface When {
  readonly outcome: Outcome;
  /** Throws an AssertionError, which every test runner understands, or hands the outcome to `expected`. */
  then(expected: ExpectedOutcome | ((outcome: Outcome) => void)): void;
}

/** `when` decides at this time unless its context has another one. */
export const givenAt = "2026-11-21T20:00:00.000Z";

/**
 * Tests one action: given this history, when this action, then this outcome.
 *
 * @param history The events before the action.
 * @param from The state before those events.
 * @throws What `history` throws, if it is a generator, and a TypeError for an event of an unknown type, and for a part of a context or an
 * expectation that does not exist: a misspelt one would pass. `then` throws an AssertionError.
 * @example
 * given([]).when({ action: "set_plan", content: "1. Fix" }).then({ events: [{ type: "plan.set", text: "1. Fix" }] });
 */
export function given(history: Iterable<ScratchpadEvent>, from: ScratchpadState = initialState): Given {
  const events = [...history];
  for (const { type } of events) requireChoice([...Object.keys(eventTypes), "unknown"], type, "type");
  const state = fold(events, from);
  return {
    when(action, context = {}) {
      requireOptions(context, ...Object.keys(contextParts));
      const outcome = reduce(state, action, { limits: defaultLimits, actor: "agent", at: givenAt, ...context });
      return {
        outcome,
        // Awaiting it is harmless: a promise hands in a function and gets the outcome.
        // biome-ignore lint/suspicious/noThenProperty: the third word of given, when, then
        then: (expected) => (typeof expected === "function" ? expected(outcome) : compare(outcome, expected)),
      };
    },
  };
}

/** The compiler finds what is missing. */
const contextParts: Readonly<Record<keyof DecideContext, true>> = {
  limits: true,
  actor: true,
  at: true,
  measure: true,
  dedupe: true,
  version: true,
  stateAt: true,
  singleKey: true,
};

function compare({ events, answer, state }: Outcome, expected: ExpectedOutcome): void {
  requireOptions(expected, "events", "answer", "state");
  if (expected.events !== undefined) deepStrictEqual(plain(events), plain(expected.events));
  const { message, ...fields } = expected.answer ?? {};
  if (message instanceof RegExp) match(answer.message, message);
  else if (message !== undefined) deepStrictEqual(answer.message, message);
  deepStrictEqual(plain(picked(answer, fields)), plain(fields));
  deepStrictEqual(plain(picked(state, expected.state ?? {})), plain(expected.state ?? {}));
}

function picked(whole: object, fields: object): object {
  return Object.fromEntries(Object.entries(whole).filter(([name]) => Object.hasOwn(fields, name)));
}

/** The result is the value as it would be read back from a file: the records of a state have no prototype, a literal has one. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
