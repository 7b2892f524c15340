/**
 * Two sessions that merge each other at the same time each hold what came from the other one, and know no state in which both had all
 * of that. What they took from us is no change of theirs: it is as if it had stood in what both had.
 */
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";
import { splitLines } from "./lines.ts";
import { mergeLines } from "./merge-lines.ts";

/** The result is `base` with what an event that merged ours changed from `before` to `after`. */
export function withReturned(base: ScratchpadState, before: ScratchpadState, after: ScratchpadState): ScratchpadState {
  const text = (space: "notes" | "plan"): string => {
    const [from, held, to] = [before, base, after].map((state) => splitLines(state[space])) as [
      readonly string[],
      readonly string[],
      readonly string[],
    ];
    return mergeLines(from, held, to, "theirs")
      .lines.map((line) => line.text)
      .join("\n");
  };
  const entries: Record<string, string> = Object.assign(Object.create(null), base.entries);
  for (const key of new Set([...Object.keys(before.entries), ...Object.keys(after.entries)])) {
    const now = own(after.entries, key);
    if (now === own(before.entries, key)) continue;
    if (now === undefined) delete entries[key];
    else entries[key] = now;
  }
  const removed = without(before.refs, after.refs);
  const refs = [...without(base.refs, removed), ...without(after.refs, before.refs)];
  return { ...base, notes: text("notes"), plan: text("plan"), refs, entries };
}

/** The result leaves an item out once for each time that it stands in `others`. */
export function without(items: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return items.filter((item) => {
    const place = left.indexOf(item);
    if (place !== -1) left.splice(place, 1);
    return place === -1;
  });
}
