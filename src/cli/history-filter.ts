/** This file selects the events of a history that somebody wants to see. */
import type { RecordedEvent, ScratchpadEvent, Space } from "../event/event.ts";
import { readableTypes, typeNameOf } from "../event/parse.ts";
import { spaceOfEvent } from "../event/types.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { mustBeChoice } from "./options.ts";
import { isFrom } from "./source.ts";

/** A field that is undefined selects everything. */
export interface HistoryFilter {
  readonly space: string | undefined;
  readonly actor: string | undefined;
  /** See `isFrom`. */
  readonly source: string | undefined;
  readonly turn: number | undefined;
  readonly type: string | undefined;
  /** Both times are in milliseconds since 1970, and inclusive. */
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** The event itself holds the text. */
  readonly grep: string | undefined;
  /** The state holds the text more or fewer times after the event than before. */
  readonly pickaxe: string | undefined;
}

/** Selects all of it. */
export const everything: HistoryFilter = {
  space: undefined,
  actor: undefined,
  source: undefined,
  turn: undefined,
  type: undefined,
  since: undefined,
  until: undefined,
  grep: undefined,
  pickaxe: undefined,
};

/** This is an event with the states around it. */
export interface Step {
  readonly recorded: RecordedEvent;
  readonly before: ScratchpadState;
  readonly after: ScratchpadState;
}

/**
 * `history` starts at the initial state. Throws a UsageError, in the end, for a type that neither this version nor the
 * history knows.
 */
export async function* selected(
  history: AsyncIterable<RecordedEvent>,
  filter: HistoryFilter,
): AsyncGenerator<Step, undefined> {
  const types = new Set(readableTypes());
  let before = initialState;
  for await (const recorded of history) {
    const after = evolve(before, recorded.event);
    types.add(typeNameOf(recorded.event));
    const step = { recorded, before, after };
    if (passes(step, filter)) yield step;
    before = after;
  }
  if (filter.type !== undefined) mustBeChoice("--type", filter.type, [...types]);
}

function passes({ recorded, before, after }: Step, filter: HistoryFilter): boolean {
  const { event } = recorded;
  const { space, grep, pickaxe } = filter;
  return (
    isByAndWithin(recorded, filter) &&
    isFrom(recorded.source, filter.source) &&
    (filter.type === undefined || typeNameOf(event) === filter.type) &&
    (space === undefined || concerns(event, space)) &&
    (grep === undefined || textsOf(event).some((text) => text.includes(grep))) &&
    (pickaxe === undefined || occurrences(before, pickaxe, space) !== occurrences(after, pickaxe, space))
  );
}

/** The result says whether the actor was that one, and the turn and the time as they are wanted. */
export function isByAndWithin(
  { actor, turn, at }: Pick<RecordedEvent, "actor" | "turn" | "at">,
  wanted: Pick<HistoryFilter, "actor" | "turn" | "since" | "until">,
): boolean {
  return (
    (wanted.actor === undefined || actor === wanted.actor) &&
    (wanted.turn === undefined || turn === wanted.turn) &&
    (wanted.since === undefined || Date.parse(at) >= wanted.since) &&
    (wanted.until === undefined || Date.parse(at) <= wanted.until)
  );
}

/** A state that came back or was brought along is about every space. */
function concerns(event: ScratchpadEvent, space: string): boolean {
  return "state" in event || spaceOfEvent(event) === space;
}

function occurrences(state: ScratchpadState, text: string, space: string | undefined): number {
  const shown = space === undefined ? state : state[space as Space];
  return textsOf(shown).reduce((sum, each) => sum + each.split(text).length - 1, 0);
}

/** The result has every text in a plain value, but not the names of its fields. */
export function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
