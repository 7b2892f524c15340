/** What changed between two states, for a program (RFC 6902) and for a reader (a unified diff). */
import { createTwoFilesPatch, diffArrays, FILE_HEADERS_ONLY } from "diff";
import jsonPatch from "fast-json-patch";
import type { ScratchpadState } from "../state/state.ts";
import { stateText } from "./text.ts";

/** One operation of a JSON patch (RFC 6902); `path` is a JSON pointer (RFC 6901). */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

export interface StateDiff {
  /** Turns the first state into the second; empty where they are equal. */
  readonly patch: readonly PatchOperation[];
  /** One unified diff over the states written as text; "" where they are equal. */
  readonly text: string;
}

/** Beyond this many changed lines or refs the search for the smallest difference is given up. */
const editsMax = 1000;

/** `names` stand in the header of the unified diff. */
export function diffStates(
  before: ScratchpadState,
  after: ScratchpadState,
  names: { readonly before: string; readonly after: string } = { before: "before", after: "after" },
): StateDiff {
  return { patch: patchBetween(before, after), text: textBetween(stateText(before), stateText(after), names) };
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
  const parts = diffArrays([...before], [...after], { maxEditLength: editsMax });
  if (parts === undefined) return [whole];
  const operations: PatchOperation[] = [];
  let index = 0;
  for (const { added, removed, value } of parts) {
    if (!added && !removed) index += value.length;
    else {
      for (const ref of value) {
        if (removed) operations.push({ op: "remove", path: `/refs/${index}` });
        else operations.push({ op: "add", path: `/refs/${index++}`, value: ref });
      }
    }
  }
  return operations.length > after.length + 1 ? [whole] : operations;
}

function textBetween(
  before: string,
  after: string,
  names: { readonly before: string; readonly after: string },
): string {
  if (before === after) return "";
  const header = [names.before, names.after] as const;
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  return (
    createTwoFilesPatch(...header, before, after, undefined, undefined, { ...options, maxEditLength: editsMax }) ??
    wholePatch(before, after, names)
  );
}

/** Everything out, everything in: right for any two texts, and linear. */
function wholePatch(before: string, after: string, names: { readonly before: string; readonly after: string }): string {
  const removed = lines(before);
  const added = lines(after);
  return [
    `--- ${names.before}`,
    `+++ ${names.after}`,
    `@@ -${removed.length === 0 ? 0 : 1},${removed.length} +${added.length === 0 ? 0 : 1},${added.length} @@`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    "",
  ].join("\n");
}

function lines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
