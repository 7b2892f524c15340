/** This file says how much of each space changed between two states. */
import type { Space } from "../action/actions.ts";
import type { ScratchpadState } from "../state/state.ts";
import { diffLines, splitLines } from "./lines.ts";

/** The counts are lines of a text, or items of refs. A changed line counts as one removed and one added. */
export interface SpaceChange {
  readonly space: Space;
  /** This is the key of the entry, or the name of the section. */
  readonly key?: string;
  readonly added: number;
  readonly removed: number;
}

/** Only what changed; entries and sections in the order of their keys. A lease alone changes no line. */
export function statBetween(before: ScratchpadState, after: ScratchpadState): SpaceChange[] {
  const sectionTexts = ({ sections }: ScratchpadState): [string, string][] =>
    Object.entries(sections).map(([name, { text }]) => [name, text]);
  return [
    changed({ space: "notes" }, splitLines(before.notes), splitLines(after.notes)),
    changed({ space: "plan" }, splitLines(before.plan), splitLines(after.plan)),
    changed({ space: "refs" }, before.refs, after.refs),
    ...changedKeys("entries", Object.entries(before.entries), Object.entries(after.entries)),
    ...changedKeys("sections", sectionTexts(before), sectionTexts(after)),
  ].filter(({ added, removed }) => added + removed > 0);
}

function changedKeys(
  space: Space,
  before: readonly (readonly [string, string])[],
  after: readonly (readonly [string, string])[],
): SpaceChange[] {
  const [old, now] = [new Map(before), new Map(after)];
  const keys = [...new Set([...old.keys(), ...now.keys()])].sort();
  return keys.map((key) => changed({ space, key }, old.get(key)?.split("\n") ?? [], now.get(key)?.split("\n") ?? []));
}

function changed(
  what: Pick<SpaceChange, "space" | "key">,
  before: readonly string[],
  after: readonly string[],
): SpaceChange {
  const runs = before === after ? [] : diffLines(before, after);
  const count = (kind: "added" | "removed"): number =>
    runs.reduce((sum, run) => (run.kind === kind ? sum + run.lines.length : sum), 0);
  return { ...what, added: count("added"), removed: count("removed") };
}
