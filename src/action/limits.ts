import type { RecordedLimits, Space } from "../event/event.ts";
import { isFields } from "../event/fields.ts";
import { isCount } from "../options.ts";
import { type Measures, measureOf } from "./measures.ts";
import { nearest } from "./nearest.ts";

/** Limits are budgets. They apply when an action is decided, never when a line is read. */
export interface Limits {
  /** The unit is a UTF-16 code unit, or what `measure` counts. */
  readonly notes: number;
  /** The unit is a UTF-16 code unit, or what `measure` counts. */
  readonly plan: number;
  /** The unit is an item, or what `measure.refs` counts in all refs together. */
  readonly refs: number;
  /** The unit is a UTF-8 byte of one entry's text, or what `measure` counts. */
  readonly entry: number;
  /** The unit is a UTF-8 byte of the texts of all entries together, or what `measure` counts. */
  readonly entriesTotal: number;
  /** The unit is a section, or what `measure.sections` counts in the texts of all sections together. */
  readonly sections: number;
}

/** These are the budgets that apply unless you set others. */
export const defaultLimits: Limits = Object.freeze({
  notes: 4000,
  plan: 2000,
  refs: 50,
  entry: 65_536,
  entriesTotal: 262_144,
  sections: 20,
});

export const limitNames = Object.keys(defaultLimits) as readonly (keyof Limits)[];

/**
 * The result is recorded beside an event: it has the budgets that differ from the defaults. A budget that a measure counts is in a unit
 * that no reader knows, and is left out.
 */
export function recordedLimits(limits: Limits, measures?: Measures): RecordedLimits | undefined {
  const { notes, plan, refs, entry, entriesTotal, sections } = defaultLimits;
  const isDefault =
    limits.notes === notes &&
    limits.plan === plan &&
    limits.refs === refs &&
    limits.entry === entry &&
    limits.entriesTotal === entriesTotal &&
    limits.sections === sections;
  if (isDefault) return undefined;
  const stated = limitNames.filter(
    (name) => limits[name] !== defaultLimits[name] && measureOf(spaceOfLimit[name], measures) === undefined,
  );
  return stated.length === 0 ? undefined : Object.fromEntries(stated.map((name) => [name, limits[name]]));
}

const spaceOfLimit: { readonly [Name in keyof Limits]: Space } = {
  notes: "notes",
  plan: "plan",
  refs: "refs",
  entry: "entries",
  entriesTotal: "entries",
  sections: "sections",
};

/** The budgets that an event was decided under, as far as it says. */
export function limitsWhen(
  { limits }: { readonly limits?: RecordedLimits },
  otherwise: Limits = defaultLimits,
): Limits {
  return limits === undefined ? otherwise : { ...defaultLimits, ...limits };
}

/** The same for whoever repeats the action with the budgets `now`: one that a measure counts is not recorded, and is the same now. */
export function limitsFirst(recorded: { readonly limits?: RecordedLimits }, now: Limits, measures?: Measures): Limits {
  const measured = limitNames.filter((name) => measureOf(spaceOfLimit[name], measures) !== undefined);
  return { ...limitsWhen(recorded), ...Object.fromEntries(measured.map((name) => [name, now[name]])) };
}

/** A text that is longer than this is not even recorded as refused. The unit is UTF-16 code units. */
export const contentUnitsMax = 100_000;
export const refUnitsMax = 4096;
export const keyUnitsMax = 128;

/**
 * UTF-8 bytes of all texts of one action as a line escapes them. A commit line holds at most 1 MiB; what remains is for
 * what an event adds to its action, such as the ref that it evicts.
 */
export const actionBytesMax = 917_504;

/** The given budgets over the defaults; a TypeError names what is wrong with them. */
export function parseLimits(given: unknown = {}): Limits {
  if (!isFields(given)) throw new TypeError('option "limits" must be an object');
  const names = Object.keys(defaultLimits);
  for (const [name, value] of Object.entries(given)) {
    if (!names.includes(name)) {
      throw new TypeError(`limits.${name} is not a limit: did you mean limits.${nearest(name, names)}?`);
    }
    if (value !== undefined && !isCount(value)) {
      throw new TypeError(
        `limits.${name} must be a whole number of at least 0, not ${typeof value === "string" ? JSON.stringify(value) : String(value)}`,
      );
    }
  }
  const stated = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.freeze({ ...defaultLimits, ...Object.fromEntries(stated) });
}
