import { diffSpaces } from "../audit/diff.ts";
import { diffWords, type WordRun } from "../audit/lines.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { OptionSpecs, Options } from "./options.ts";
import type { Output } from "./output.ts";
import type { Span, Style } from "./span.ts";

/** Verbs that print diffs have these options. */
export const diffOptions = {
  "word-diff": { about: "changed words within their lines, as [-removed-]{+added+}" },
} as const satisfies OptionSpecs;

/** These are two states with their names. */
export interface Between {
  readonly before: ScratchpadState;
  readonly after: ScratchpadState;
  readonly names: { readonly before: string; readonly after: string };
}

/** This prints a unified diff for each space that changed, in the usual colours. The result is false if none did. */
export function printDiffs({ before, after, names }: Between, options: Options, output: Output): boolean {
  const diffs = diffSpaces(before, after, names);
  for (const { text } of diffs) printUnified(text, options.flag("word-diff"), output);
  return diffs.length > 0;
}

/** Its two lines of names first; where there are colours, changed words are marked. */
function printUnified(text: string, byWord: boolean, output: Output): void {
  const lines = text.replace(/\n$/, "").split("\n");
  const [before = "", after = "", ...rest] = lines;
  output.line({ text: before, style: "bold" });
  output.line({ text: after, style: "bold" });
  const rows =
    byWord || output.isColoured ? withWords(rest, byWord ? mergedRows : changedRows) : rest.map((line) => [line]);
  for (const row of rows) output.line(...row);
}

const styles: Readonly<Record<string, Style>> = { "+": "green", "-": "red", "@": "cyan" };

type Rows = (removed: readonly string[], added: readonly string[]) => Span[][];

/** Removed lines and the added lines in their place are compared pair by pair. */
function withWords(lines: readonly string[], rowsOf: Rows): Span[][] {
  const rows: Span[][] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = runOf("-", lines, at);
    const added = runOf("+", lines, at + removed.length);
    for (const row of rowsOf(removed, added)) rows.push(row);
    at += removed.length + added.length;
    if (removed.length + added.length > 0) continue;
    const line = lines[at++] ?? "";
    const style = styles[line[0] ?? ""];
    rows.push([style === undefined ? line : { text: line, style }]);
  }
  return rows;
}

function runOf(sign: string, lines: readonly string[], from: number): string[] {
  let end = from;
  while (lines[end]?.startsWith(sign)) end++;
  return lines.slice(from, end).map((line) => line.slice(1));
}

function changedRows(removed: readonly string[], added: readonly string[]): Span[][] {
  const pairs = removed.map((line, index) => [line, added[index]] as const);
  const words = pairs.map(([line, other]) => (other === undefined ? undefined : diffWords(line, other)));
  return [
    ...removed.map((line, index) => signed("-", "red", line, words[index]?.before)),
    ...added.map((line, index) => signed("+", "green", line, words[index]?.after)),
  ];
}

/** A line that has nothing in common with the other is not marked: then all of it would be. */
function signed(sign: string, style: Style, line: string, words: readonly WordRun[] = []): Span[] {
  if (words.every(({ changed }) => changed)) return [{ text: sign + line, style }];
  return [
    { text: sign, style },
    ...words.map(({ text, changed }): Span => (changed ? { text, style, isMarked: true } : { text, style })),
  ];
}

/** Both lines of a pair are merged into one. */
function mergedRows(removed: readonly string[], added: readonly string[]): Span[][] {
  const count = Math.max(removed.length, added.length);
  return Array.from({ length: count }, (_, index) => {
    const [before, after] = [removed[index], added[index]];
    if (before === undefined) return [" ", addedSpan(after ?? "")];
    if (after === undefined) return [" ", removedSpan(before)];
    return [" ", ...merged(diffWords(before, after))];
  });
}

/** What did not change stands in both, in the same order. */
function merged({ before, after }: { before: readonly WordRun[]; after: readonly WordRun[] }): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const { text, changed } of before) {
    if (changed) {
      spans.push(removedSpan(text));
      continue;
    }
    for (let next = after[at++]; next?.changed === true; next = after[at++]) spans.push(addedSpan(next.text));
    spans.push(text);
  }
  return [...spans, ...after.slice(at).map(({ text }) => addedSpan(text))];
}

function removedSpan(text: string): Span {
  return { text: `[-${text}-]`, style: "red" };
}

function addedSpan(text: string): Span {
  return { text: `{+${text}+}`, style: "green" };
}
