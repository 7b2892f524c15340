import { diffWords, type WordRun } from "../audit/lines.ts";
import type { Output, Span, Style } from "./output.ts";

/** A unified diff, its two lines of names first, in the usual colours; where there are some, changed words are marked. */
export function printUnified(text: string, output: Output): void {
  const lines = text.replace(/\n$/, "").split("\n");
  const [before = "", after = "", ...rest] = lines;
  output.line({ text: before, style: "bold" });
  output.line({ text: after, style: "bold" });
  const rows = output.isColoured ? withWords(rest) : rest.map((line) => [line]);
  for (const row of rows) output.line(...row);
}

const styles: Readonly<Record<string, Style>> = { "+": "green", "-": "red", "@": "cyan" };

/** Removed lines and the added ones in their place, compared pair by pair. */
function withWords(lines: readonly string[]): Span[][] {
  const rows: Span[][] = [];
  for (let at = 0; at < lines.length; ) {
    const removed = runOf("-", lines, at);
    const added = runOf("+", lines, at + removed.length);
    for (const row of changedRows(removed, added)) rows.push(row);
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
