/** Property test for reducers: whatever is asked, in whatever state, budgets hold. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import type { Answer, DecideContext } from "../action/answer.ts";
import { useOf, worsened } from "../action/budget.ts";
import { type Limits, parseLimits } from "../action/limits.ts";
import { spaces } from "../action/measures.ts";
import type { ScratchpadEvent } from "../event/event.ts";
import { given, requireOptions } from "../options.ts";
import { parseState } from "../state/image.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { arbitraryBudgetCase, type BudgetCase } from "./budget-cases.ts";
import { isSameData, unkept } from "./budget-promises.ts";
import { fc } from "./fast-check.ts";
import { fieldsSource, sourceOf } from "./script.ts";

/** This is what a reducer gives. Events and the answer are looked at where it gives them. */
export interface Reduced {
  readonly state: ScratchpadState;
  readonly events?: readonly ScratchpadEvent[];
  readonly answer?: Answer;
}

/** These are the options of {@link budgetProperties}. */
export interface BudgetPropertiesOptions {
  /** The reducer works as the journal's own `reduce`. */
  readonly reduce: (state: ScratchpadState, action: unknown, context: DecideContext) => Reduced;
  /** Those that the reducer is given; what is left out is the default. */
  readonly limits?: Partial<Limits>;
  /** This is what is asked for; by default, the actions of the journal around the edges of these budgets. */
  readonly actions?: fc.Arbitrary<unknown>;
  /** This is how many cases are tried. The default is 300. */
  readonly numRuns?: number;
  /** This repeats the cases that an error names. */
  readonly seed?: number;
  readonly path?: string;
}

/**
 * Puts a reducer through lists of actions, and fails if it
 * - takes a space beyond its budget, or makes one larger that another runtime left beyond it,
 * - cuts a character in two,
 * - gives events that add up to another state than its own, as a resume would show,
 * - loses accepted text, or cuts some off without keeping it in the event and saying so in the answer,
 * - refuses without saying so, without recording what was offered, or changes the state all the same,
 * - throws, changes the state that it is given, or gives another state, other events or another answer the second time.
 *
 * @param options The reducer, the budgets, and how many cases are tried.
 * @throws AssertionError with the shortest list of actions that fails.
 * @throws TypeError for a wrong option.
 * @example
 * test("my reducer keeps its budgets", () => budgetProperties({ reduce: myReduce, limits: { plan: 100 } }));
 */
export function budgetProperties(options: BudgetPropertiesOptions): void {
  requireOptions(options, "reduce", "limits", "actions", "numRuns", "seed", "path");
  const { reduce, actions, numRuns = 300, seed, path } = options;
  const limits = parseLimits(options.limits);
  const property = fc.property(arbitraryBudgetCase(limits, actions), (tried) => {
    if (run(tried, reduce, limits).breach !== undefined) throw new Error("a budget was broken");
  });
  const outcome = fc.check(property, {
    numRuns,
    ...given({ seed, path }),
  });
  if (outcome.counterexample === null) return;
  const [tried] = outcome.counterexample;
  const again = `seed: ${outcome.seed}, path: ${JSON.stringify(outcome.counterexamplePath)}`;
  assert.fail(`${scriptOf(run(tried, reduce, limits), limits)}\nAgain: budgetProperties({ …, ${again} })`);
}

type Reduce = BudgetPropertiesOptions["reduce"];

interface Run {
  readonly start: ScratchpadState;
  /** These are the steps up to the one that went wrong. `after` is undefined if the reducer returned no state. */
  readonly steps: readonly { readonly action: unknown; readonly after: ScratchpadState | undefined }[];
  /** The breach says what was wrong with the last step. */
  readonly breach?: string;
}

function run({ start, asks }: BudgetCase, reduce: Reduce, limits: Limits): Run {
  const steps: { action: unknown; after: ScratchpadState | undefined }[] = [];
  let before = start;
  for (const [index, ask] of asks.entries()) {
    const action = ask(before);
    const context = { limits, actor: "agent", at: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString() };
    const { after, breach } = step(before, action, context, reduce);
    steps.push({ action, after });
    if (breach !== undefined || after === undefined) return { start, steps, breach: breach ?? "gives no state" };
    before = after;
  }
  return { start, steps };
}

/** States are frozen, so that a reducer which changes them throws. */
function step(before: ScratchpadState, action: unknown, context: DecideContext, reduce: Reduce) {
  try {
    const given = reduce(before, action, context);
    const after = parseState(given.state);
    if (after === undefined) return { after, breach: "gives something that is no scratchpad state" };
    const breach =
      overBudget(before, after, context.limits) ??
      halved(before, action, after) ??
      unkept({ before, action, after, given, context }) ??
      otherwise({ ...given, state: after }, reduce(before, action, context));
    return { after, breach };
  } catch (error) {
    return { after: undefined, breach: `throws ${String(error)}` };
  }
}

/** The result says in what the second answer differs. */
function otherwise(first: Reduced, second: Reduced): string | undefined {
  if (!isDeepStrictEqual(parseState(second.state), first.state))
    return "gives another state when it is asked for a second time";
  if (!isSameData(second.events, first.events)) return "gives other events when it is asked for a second time";
  if (isSameData(second.answer, first.answer)) return undefined;
  return "answers otherwise when it is asked for a second time";
}

function overBudget(before: ScratchpadState, after: ScratchpadState, limits: Limits): string | undefined {
  const violation = worsened(before, after, limits);
  if (violation === undefined) return undefined;
  const { space, key, used, limit } = violation;
  const what = key === undefined ? space : `entry ${sourceOf(key)}`;
  return `takes ${what} to ${used}/${limit}: no action may take a space beyond its budget, nor make one larger that is beyond it`;
}

function halved(before: ScratchpadState, action: unknown, after: ScratchpadState): string | undefined {
  if (hasHalf(before) || hasHalf(action)) return undefined;
  const space = spaces.find((name) => hasHalf(after[name]));
  return space && `leaves half a character in ${space}: a cut must not split a surrogate pair`;
}

function hasHalf(value: unknown): boolean {
  if (typeof value === "string") return /\p{Surrogate}/u.test(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasHalf);
}

/** The script says what went wrong, and is the program that shows it: each action stands with the spaces that it changed. */
function scriptOf({ start, steps, breach }: Run, limits: Limits): string {
  const begun = [initialState, start].map((state) => usesOf(state, limits)) as [string[], string[]];
  const filled = Object.entries(start).filter(([, value]) => Object.keys(value).length > 0);
  const state =
    filled.length === 0 ? "initialState" : `{ ...initialState, ${fieldsSource(Object.fromEntries(filled))} }`;
  const lines = [`let state = ${state};${noteOf(...begun)}`];
  let before = start;
  for (const { action, after = before } of steps) {
    const note = noteOf(usesOf(before, limits), usesOf(after, limits));
    lines.push(`state = reduce(state, ${sourceOf(action)}, context).state;${note}`);
    before = after;
  }
  return `reduce ${breach}\n\n  ${lines.join("\n  ")}\n\ncontext: limits ${sourceOf(limits)}`;
}

function usesOf(state: ScratchpadState, limits: Limits): string[] {
  return spaces.map((space) => {
    const { used, limit } = useOf(space, state, limits);
    return `${space} ${used}/${limit}`;
  });
}

/** The result is a comment that names the uses which are new. */
function noteOf(before: readonly string[], after: readonly string[]): string {
  const changed = after.filter((use) => !before.includes(use));
  return changed.length === 0 ? "" : ` // ${changed.join(", ")}`;
}
