/**
 * This file compares texts line by line. It is the only file that names the diff library. The library looks for the shortest
 * edit script, which costs lines × edits. Two cuts keep a whole history cheap and change no answer: equal lines at both ends
 * are set aside, and so are lines that only one side has, because they cannot be part of a common subsequence.
 */
import { createTwoFilesPatch, diffArrays, diffWordsWithSpace, FILE_HEADERS_ONLY } from "diff";
import { longTextUnits } from "./long-text-units.ts";

/** A run consists of consecutive lines that are all kept, all removed or all added. */
export interface LineRun {
  readonly kind: "same" | "removed" | "added";
  readonly lines: readonly string[];
}

/** This is a piece of a line. `changed` is true where the other line differs. */
export interface WordRun {
  readonly text: string;
  readonly changed: boolean;
}

/** Beyond so many edits two texts count as unrelated: nobody reads such a diff, and finding it would take seconds. */
const editsMax = 1000;

/** Lines longer than this are compared as a whole, not word by word. */
const wordDiffUnitsMax = 2000;

/**
 * The result has the lines of a text; an empty text has none, and a long one is one. The lines are the text, once they are joined by "\n".
 */
export function splitLines(text: string): readonly string[] {
  // Millions of lines would take several times what the text takes.
  if (text.length > longTextUnits) return [text];
  return text === "" ? [] : text.split("\n");
}

/**
 * For each line of `after`, the result has the index in `before` of the line that it matches, or -1 for a new line. Each index is larger
 * than the ones before it.
 */
export function matchLines(before: readonly string[], after: readonly string[]): number[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;

  const matches = new Array<number>(after.length).fill(-1);
  for (let line = 0; line < head; line++) matches[line] = line;
  for (let line = 1; line <= tail; line++) matches[after.length - line] = before.length - line;
  matchMiddle(before, after, head, tail, matches);
  return matches;
}

function matchMiddle(
  before: readonly string[],
  after: readonly string[],
  head: number,
  tail: number,
  matches: number[],
): void {
  const oldLines = indices(before, head, before.length - tail);
  const newLines = indices(after, head, after.length - tail);
  const inOld = new Set(oldLines.map((line) => before[line]));
  const inNew = new Set(newLines.map((line) => after[line]));
  const oldShared = oldLines.filter((line) => inNew.has(before[line]));
  const newShared = newLines.filter((line) => inOld.has(after[line]));
  if (oldShared.length === 0) return;

  const runs = diffArrays(
    oldShared.map((line) => before[line]),
    newShared.map((line) => after[line]),
    { maxEditLength: editsMax },
  );
  let oldAt = 0;
  let newAt = 0;
  for (const run of runs ?? []) {
    for (let step = 0; step < run.count; step++) {
      const from = run.added ? undefined : oldShared[oldAt++];
      const to = run.removed ? undefined : newShared[newAt++];
      if (from !== undefined && to !== undefined) matches[to] = from;
    }
  }
}

function indices(lines: readonly string[], from: number, to: number): number[] {
  const found: number[] = [];
  for (let line = from; line < Math.min(to, lines.length); line++) found.push(line);
  return found;
}

/** What became of each line, in reading order, removed lines before the added ones that stand in their place. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly LineRun[] {
  const runs: { kind: LineRun["kind"]; lines: string[] }[] = [];
  const put = (kind: LineRun["kind"], line: string): void => {
    const last = runs.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else runs.push({ kind, lines: [line] });
  };
  const matches = matchLines(before, after);
  let oldAt = 0;
  let pending: string[] = [];
  const removeUpTo = (end: number): void => {
    while (oldAt < end) put("removed", before[oldAt++] ?? "");
    for (const line of pending) put("added", line);
    pending = [];
  };
  after.forEach((line, newAt) => {
    const match = matches[newAt] ?? -1;
    if (match === -1) {
      pending.push(line);
      return;
    }
    removeUpTo(match);
    put("same", line);
    oldAt = match + 1;
  });
  removeUpTo(before.length);
  return runs;
}

/** A unified diff of two texts, as `diff -u` writes it, `names` in its header; "" when they are equal. */
export function unifiedText(
  before: string,
  after: string,
  names: { readonly before: string; readonly after: string },
): string {
  if (before === after) return "";
  const options = { headerOptions: FILE_HEADERS_ONLY, context: 3, maxEditLength: editsMax };
  const patch = createTwoFilesPatch(names.before, names.after, before, after, undefined, undefined, options);
  return patch ?? wholesaleText(before, after, names);
}

/** This diff removes everything and adds everything. It is right for any two texts, and linear. */
function wholesaleText(
  before: string,
  after: string,
  names: { readonly before: string; readonly after: string },
): string {
  const removed = patchLines(before, "-");
  const added = patchLines(after, "+");
  const range = ({ count }: { count: number }): string => `${count === 0 ? 0 : 1},${count}`;
  const hunk = `@@ -${range(removed)} +${range(added)} @@\n`;
  return `--- ${names.before}\n+++ ${names.after}\n${hunk}${removed.text}${added.text}`;
}

function patchLines(text: string, sign: "-" | "+"): { count: number; text: string } {
  const lines = splitLines(text.endsWith("\n") ? text.slice(0, -1) : text);
  const noNewline = text === "" || text.endsWith("\n") ? "" : "\\ No newline at end of file\n";
  return { count: lines.length, text: lines.map((line) => `${sign}${line}\n`).join("") + noNewline };
}

/** Two versions of a line, cut into words, with what differs marked. Joined, the pieces of a side are that line. */
export function diffWords(before: string, after: string): { before: readonly WordRun[]; after: readonly WordRun[] } {
  const whole = { before: [{ text: before, changed: true }], after: [{ text: after, changed: true }] };
  if (before.length > wordDiffUnitsMax || after.length > wordDiffUnitsMax) return whole;
  const runs = diffWordsWithSpace(before, after, { maxEditLength: editsMax }) ?? [];
  const side = (not: "added" | "removed"): WordRun[] =>
    runs.filter((run) => !run[not]).map((run) => ({ text: run.value, changed: run.added || run.removed }));
  const shared = runs.some((run) => !run.added && !run.removed && run.value.trim() !== "");
  return shared ? { before: side("added"), after: side("removed") } : whole;
}
