import type { Space } from "../event/event.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { Limits } from "./limits.ts";
import { checkedMeasures, type Measures, measureOf, spaces } from "./measures.ts";
import { byteCount, type Measure } from "./text.ts";

/** A violation is a space that exceeds its budget. With `key`, the entry of this key exceeds the budget of an entry. */
export interface Violation {
  readonly space: Space;
  readonly key?: string;
  readonly used: number;
  readonly limit: number;
}

/** `used` is how full a space is: characters of notes and plan, refs, bytes of all entries, sections, or what its measure counts. */
export interface Use {
  readonly used: number;
  readonly limit: number;
}

export function useOf(space: Space, state: ScratchpadState, limits: Limits, measures?: Measures): Use {
  const measure = measureOf(space, measures);
  switch (space) {
    case "notes":
      return { used: measure?.(state.notes) ?? state.notes.length, limit: limits.notes };
    case "plan":
      return { used: measure?.(state.plan) ?? state.plan.length, limit: limits.plan };
    case "refs":
      return { used: measure === undefined ? state.refs.length : sum(state.refs, measure), limit: limits.refs };
    case "entries":
      return { used: sum(Object.values(state.entries), measure ?? byteCount), limit: limits.entriesTotal };
    case "sections": {
      const { sections } = state;
      const texts = Object.keys(sections).map((name) => own(sections, name)?.text ?? "");
      return { used: measure === undefined ? texts.length : sum(texts, measure), limit: limits.sections };
    }
  }
}

/**
 * Lists what in a state is over budget. Only another runtime, or other budgets, can leave a state like that.
 *
 * @param state The state to look at.
 * @param limits The budgets, such as `defaultLimits`.
 * @param measures What counts texts. The default is the unit of each budget.
 * @throws TypeError if a measure gives something else than a number.
 * @example
 * budgetViolations(journal.state, { ...defaultLimits, plan: 10 }); // [{ space: "plan", used: 15, limit: 10, unit: … }]
 */
export function budgetViolations(state: ScratchpadState, limits: Limits, measures?: Measures): Violation[] {
  const checked = measures === undefined ? undefined : checkedMeasures(measures, "measures");
  const violations = spaces.flatMap((space) => violationsOf(space, state, limits, checked));
  // Whole spaces first.
  return violations.sort((a, b) => Number(a.key !== undefined) - Number(b.key !== undefined));
}

export function violationsOf(space: Space, state: ScratchpadState, limits: Limits, measures?: Measures): Violation[] {
  const use = useOf(space, state, limits, measures);
  const violations: Violation[] = use.used > use.limit ? [{ space, ...use }] : [];
  if (space !== "entries") return violations;
  const measure = measureOf(space, measures) ?? byteCount;
  for (const [key, text] of Object.entries(state.entries)) {
    const used = measure(text);
    if (used > limits.entry) violations.push({ space, key, used, limit: limits.entry });
  }
  return violations;
}

/** The first budget that `after` breaks by more than `before` did. */
export function worsened(
  before: ScratchpadState,
  after: ScratchpadState,
  limits: Limits,
  measures?: Measures,
): Violation | undefined {
  const measure = measureOf("entries", measures) ?? byteCount;
  return budgetViolations(after, limits, measures).find(({ space, key, used }) => {
    const was =
      key === undefined ? useOf(space, before, limits, measures).used : measure(own(before.entries, key) ?? "");
    return used > was;
  });
}

function sum(texts: readonly string[], measure: Measure): number {
  return texts.reduce((used, text) => used + measure(text), 0);
}
