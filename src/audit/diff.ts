/** This file says what changed between two states, for a program (RFC 6902) and for a reader (a unified diff). */
import jsonPatch from "fast-json-patch";
import type { ScratchpadState } from "../state/state.ts";
import { diffLines, unifiedText } from "./lines.ts";
import { longTextUnits } from "./long-text-units.ts";
import { longTextNotice } from "./long-texts.ts";
import { type SpaceText, spaceTexts, stateText } from "./state-text.ts";

/** This is one operation of a JSON patch (RFC 6902); `path` is a JSON pointer (RFC 6901). */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** This is what changed from one state to another. */
export interface StateDiff {
  /** Turns the first state into the second; empty where they are equal. */
  readonly patch: readonly PatchOperation[];
  /** This is one unified diff of the states written as text. It is "" if they are equal. */
  readonly text: string;
}

/**
 * Answers what differs between two states, as an RFC 6902 patch and as a unified diff.
 *
 * @param before The state on the left side.
 * @param after The state on the right side.
 * @param names What the header of the unified diff calls the two.
 * @throws Nothing, if the types hold.
 * @example
 * diffStates(initialState, journal.state).patch; // [{ op: "replace", path: "/plan", value: "1. Fix" }]
 */
export function diffStates(
  before: ScratchpadState,
  after: ScratchpadState,
  names: { readonly before: string; readonly after: string } = { before: "before", after: "after" },
): StateDiff {
  return { patch: patchBetween(before, after), text: unifiedText(stateText(before), stateText(after), names) };
}

/** What changed in one space, or in one entry or section of it. */
export interface SpaceDiff extends Omit<SpaceText, "text"> {
  /**
   * This is a unified diff with the line numbers of that text alone. For texts that are too long, it says by which length and
   * hash they are known.
   */
  readonly text: string;
}

/** A text of a state that is too long to be compared. */
export function hasLongText(state: ScratchpadState): boolean {
  return spaceTexts(state).some(({ text }) => text.length > longTextUnits);
}

/** Only what changed; `names` stand in the headers, before that of the space. */
export function diffSpaces(
  before: ScratchpadState,
  after: ScratchpadState,
  names: { readonly before: string; readonly after: string } = { before: "before", after: "after" },
): SpaceDiff[] {
  const [old, now] = [textsByTitle(before), textsByTitle(after)];
  const titles = [...new Set([...old.keys(), ...now.keys()])].sort(byOrder);
  return titles.flatMap((title) => {
    const { text: _, ...what } = (now.get(title) ?? old.get(title)) as SpaceText;
    const headers = { before: `${names.before} ${title}`, after: `${names.after} ${title}` };
    const text = diffOf(old.get(title)?.text ?? "", now.get(title)?.text ?? "", headers);
    return text === "" ? [] : [{ ...what, text }];
  });
}

/** A diff would be as long as both of them. */
function diffOf(before: string, after: string, names: { readonly before: string; readonly after: string }): string {
  if (Math.max(before.length, after.length) <= longTextUnits) return unifiedText(before, after, names);
  if (before === after) return "";
  const sides = [`-${known(before)}`, `+${known(after)}`].filter((side) => side.length > 1);
  return `--- ${names.before}\n+++ ${names.after}\n${sides.join("\n")}\n`;
}

function known(text: string): string {
  return text === "" ? "" : longTextNotice(text.replace(/\n$/, ""), "no diff of it is made");
}

const titleOrder = ["notes", "plan", "refs", "entry", "section"];

function byOrder(a: string, b: string): number {
  const place = (title: string): number => titleOrder.indexOf(title.split(" ", 1)[0] ?? "");
  return place(a) - place(b) || (a < b ? -1 : 1);
}

function textsByTitle(state: ScratchpadState): Map<string, SpaceText> {
  return new Map(spaceTexts(state).map((each) => [titleOf(each), each]));
}

function titleOf({ space, key }: SpaceText): string {
  if (key === undefined) return space;
  return space === "entries" ? `entry ${key}` : `section ${key}`;
}

/** Small for refs too: dropping the oldest and adding one is two operations. */
export function patchBetween(before: ScratchpadState, after: ScratchpadState): readonly PatchOperation[] {
  const { refs: refsBefore, ...restBefore } = before;
  const { refs: refsAfter, ...restAfter } = after;
  const rest = jsonPatch.compare(restBefore, restAfter) as PatchOperation[];
  return [...rest, ...refsPatch(refsBefore, refsAfter)];
}

/** Moves through both lists at once: the index of an operation counts what the operations before it did. */
function refsPatch(before: readonly string[], after: readonly string[]): PatchOperation[] {
  const whole: PatchOperation = { op: "replace", path: "/refs", value: [...after] };
  const operations: PatchOperation[] = [];
  let index = 0;
  for (const { kind, lines: refs } of diffLines(before, after)) {
    for (const ref of refs) {
      if (kind === "removed") operations.push({ op: "remove", path: `/refs/${index}` });
      else if (kind === "added") operations.push({ op: "add", path: `/refs/${index++}`, value: ref });
      else index += 1;
    }
  }
  return operations.length > after.length + 1 ? [whole] : operations;
}
