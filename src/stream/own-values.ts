/** What a writer knows of its own commit before it is read back. */
import { isDeepStrictEqual } from "node:util";
import type { Draft } from "../event/commit.ts";
import type { MirroredValues } from "../line/format.ts";
import type { ScratchpadState } from "../state/state.ts";

/** What these make depends on the log: on what was written before, and on the order in which it prints what they hold. */
const settledLater: ReadonlySet<string> = new Set(["legacy.set", "state.restored", "session.forked"]);

/** The result has the state after each event. It is empty if one of them is not known for certain. */
export function statesOf({ events }: Draft): readonly ScratchpadState[] {
  const states: ScratchpadState[] = [];
  for (const { event, state } of events) {
    if (state === undefined || settledLater.has(event.type)) return [];
    states.push(state);
  }
  return states;
}

/** The result has what older runtimes have to be told. */
export function changedBetween(before: ScratchpadState, after: ScratchpadState): Partial<MirroredValues> {
  const { notes, plan, refs } = after;
  const changed: { -readonly [Space in keyof MirroredValues]?: MirroredValues[Space] } = {};
  if (notes !== before.notes) changed.notes = notes;
  if (plan !== before.plan) changed.plan = plan;
  if (refs !== before.refs && !isDeepStrictEqual(refs, before.refs)) changed.refs = refs;
  return changed;
}
