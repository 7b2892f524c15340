/**
 * Two sessions that merge each other at the same time each hold what came from the other one, and know no state in which both had all
 * of that. What they took from us is no change of theirs: it is as if it had stood in what both had.
 */
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";
import { splitLines } from "./lines.ts";
import { type MergedLine, mergeLines } from "./merge-lines.ts";

/** The result is `base` with what an event that merged ours changed from `before` to `after`. */
export function withReturned(base: ScratchpadState, before: ScratchpadState, after: ScratchpadState): ScratchpadState {
  const text = (space: "notes" | "plan"): string => {
    const linesOf = (state: ScratchpadState) => splitLines(state[space]);
    const { lines } = mergeLines(linesOf(before), linesOf(base), linesOf(after), "theirs");
    return lines.map(({ text }) => text).join("\n");
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

/**
 * Each of two that merged each other has what both added in an order of its own. What theirs removed since may stand elsewhere in ours, and
 * look as if ours had put it there. The result is `merged` without it.
 */
export function withoutRemoved(
  merged: readonly MergedLine[],
  [base, ours, theirs]: readonly [readonly string[], readonly string[], readonly string[]],
): readonly MergedLine[] {
  const removed = without(without(base, theirs), without(base, ours));
  const expected = [...without(ours, removed), ...without(theirs, base)];
  const texts = merged.map(({ text }) => text);
  const surplus = without(texts, expected).filter((text) => removed.includes(text));
  return merged.filter(({ text }) => {
    const place = surplus.indexOf(text);
    if (place !== -1) surplus.splice(place, 1);
    return place === -1;
  });
}
