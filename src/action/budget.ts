import type { Space } from "../event/event.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { Limits } from "./limits.ts";
import { byteCount, type Measure, unitCount } from "./text.ts";

export const spaces: readonly Space[] = ["notes", "plan", "refs", "entries", "sections"];

/** A space over its budget. With `key`: this one entry over the budget of an entry. */
export interface Violation {
  readonly space: Space;
  readonly key?: string;
  readonly used: number;
  readonly limit: number;
}

/** How full a space is: characters of notes and plan, refs, bytes of all entries, sections. */
export interface Use {
  readonly used: number;
  readonly limit: number;
}

export function useOf(space: Space, state: ScratchpadState, limits: Limits, measure: Measure = unitCount): Use {
  switch (space) {
    case "notes":
      return { used: measure(state.notes), limit: limits.notes };
    case "plan":
      return { used: state.plan.length, limit: limits.plan };
    case "refs":
      return { used: state.refs.length, limit: limits.refs };
    case "entries":
      return { used: entryBytes(state), limit: limits.entriesTotal };
    case "sections":
      return { used: Object.keys(state.sections).length, limit: limits.sections };
  }
}

/** Answers what of a state is over budget. Only another runtime, or other budgets, leave a state so. */
export function budgetViolations(state: ScratchpadState, limits: Limits, measure?: Measure): Violation[] {
  const violations = spaces.flatMap((space) => violationsOf(space, state, limits, measure));
  // Whole spaces first.
  return violations.sort((a, b) => Number(a.key !== undefined) - Number(b.key !== undefined));
}

export function violationsOf(space: Space, state: ScratchpadState, limits: Limits, measure?: Measure): Violation[] {
  const use = useOf(space, state, limits, measure);
  const violations: Violation[] = use.used > use.limit ? [{ space, ...use }] : [];
  if (space !== "entries") return violations;
  for (const [key, text] of Object.entries(state.entries)) {
    const used = byteCount(text);
    if (used > limits.entry) violations.push({ space, key, used, limit: limits.entry });
  }
  return violations;
}

/** The first budget that `after` breaks by more than `before` did. */
export function worsened(
  before: ScratchpadState,
  after: ScratchpadState,
  limits: Limits,
  measure?: Measure,
): Violation | undefined {
  return budgetViolations(after, limits, measure).find(({ space, key, used }) => {
    const was =
      key === undefined ? useOf(space, before, limits, measure).used : byteCount(own(before.entries, key) ?? "");
    return used > was;
  });
}

function entryBytes(state: ScratchpadState): number {
  return Object.values(state.entries).reduce((sum, text) => sum + byteCount(text), 0);
}
