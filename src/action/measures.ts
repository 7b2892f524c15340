/** Measures: the units of the budgets, where they are not those that the budgets have by themselves. */
import type { Space } from "../event/event.ts";
import { checkedMeasure, type Measure } from "./text.ts";

export const spaces: readonly Space[] = ["notes", "plan", "refs", "entries", "sections"];

/**
 * This is what counts texts. One function counts those of notes, plan and entries. By name each space can have one of its own,
 * refs and sections too, which are otherwise counted by number; a space that is not named keeps its unit.
 */
export type Measures = Measure | { readonly [Name in Space]?: Measure };

/** The result is the measure for the texts of this space, if there is one. */
export function measureOf(space: Space, measures: Measures | undefined): Measure | undefined {
  if (typeof measures !== "function") return measures?.[space];
  return space === "refs" || space === "sections" ? undefined : measures;
}

/** The result measures notes by `notes`, and every other space as `measures` does. */
export function withNotes(measures: Measures | undefined, notes: Measure | undefined): Measures {
  return bySpace((space) => (space === "notes" ? notes : measureOf(space, measures)));
}

/** Measures from outside. Throws a TypeError that names what is wrong with them. */
export function checkedMeasures(measures: unknown, name: string): Measures {
  if (typeof measures === "function") return checkedMeasure(measures, name);
  if (typeof measures !== "object" || measures === null || Array.isArray(measures))
    throw new TypeError(`${name} must be a function from text to number, or an object of them by space`);
  const unknown = Object.keys(measures).find((space) => !spaces.some((known) => known === space));
  if (unknown !== undefined) throw new TypeError(`${name}.${unknown} is no space: use ${spaces.join(", ")}`);
  const named = new Map<string, unknown>(Object.entries(measures));
  return bySpace((space) => {
    const measure = named.get(space);
    return measure === undefined ? undefined : checkedMeasure(measure, `${name}.${space}`);
  });
}

function bySpace(measureIn: (space: Space) => Measure | undefined): Measures {
  const found = spaces.map((space) => [space, measureIn(space)] as const);
  return Object.freeze(Object.fromEntries(found.filter(([, measure]) => measure !== undefined)));
}
