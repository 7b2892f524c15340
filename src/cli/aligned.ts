/** Rows as lines whose columns stand below each other, as far as the width of a terminal allows. */
import { visible } from "../audit/visible.ts";
import { shorten, widthOf } from "../audit/width.ts";
import { highest } from "./highest.ts";
import { restyled, type Span, textOf } from "./span.ts";

type Row = readonly Span[];

interface Cell {
  readonly span: Span;
  /** This is its text, made visible. */
  readonly text: string;
  /** The last cell of a row is not measured: it has 0. */
  readonly width: number;
}

/**
 * What becomes of a last cell that has no room: "cut" keeps its beginning, "wrapped" goes on below between its words, and "whole"
 * stands below in one piece, because somebody copies it.
 */
export type LastCell = "cut" | "wrapped" | "whole";

const gap = "  ";
/** The last column gets at least so many columns of the terminal. */
const lastMin = 20;

interface Room {
  readonly widths: readonly number[];
  /** This is the index of the last column. `lastCell` says what becomes of its cells. */
  readonly last: number;
  readonly lastCell: LastCell;
  readonly columns: number;
}

/** `before` has the widths that the columns of rows above had. Only the last cell of a row has no room. */
export function aligned(
  rows: readonly Row[],
  before: readonly number[],
  columns: number,
  lastCell: LastCell,
): { readonly lines: readonly Row[]; readonly widths: readonly number[] } {
  const last = highest(rows, (row) => row.length) - 1;
  const cells = rows.map((row) => row.map((span, column) => cellOf(span, column < last)));
  const widths = Array.from({ length: Math.max(last, before.length) }, (_, column) =>
    highest(cells, (row) => row[column]?.width ?? 0, before[column]),
  );
  const left = columns - widths.reduce((sum, width) => sum + width + gap.length, 0);
  const room = { widths, last, lastCell, columns };
  const lines = cells.flatMap((row) => (left < lastMin ? folded(row, room) : flat(row, left, room)));
  return { lines, widths };
}

function cellOf(span: Span, isMeasured: boolean): Cell {
  const text = visible(textOf(span));
  return { span, text, width: isMeasured ? widthOf(text) : 0 };
}

function flat(row: readonly Cell[], left: number, room: Room): Row[] {
  const { widths, last, lastCell, columns } = room;
  const { span: end, text } = row[last] ?? { span: "", text: "" };
  if (lastCell === "whole" && widthOf(text) > left) return folded(row, room);
  const [first = "", ...others] = inRoom(text, left, lastCell);
  const lastFull = row.findLastIndex((cell) => cell.text !== "");
  const line = row.map((cell, column) => {
    if (column === last) return restyled(cell.span, first);
    const gapBehind = column < lastFull ? " ".repeat((widths[column] ?? 0) - cell.width) + gap : "";
    return restyled(cell.span, cell.text + gapBehind);
  });
  return [line, ...others.map((other) => [" ".repeat(columns - left), restyled(end, other)])];
}

/** What has no room beside the cells before it goes on in a line of its own, behind the first column. */
function folded(row: readonly Cell[], { widths, last, lastCell, columns }: Room): Row[] {
  const indent = Math.max(Math.min((widths[0] ?? 0) + gap.length, columns - lastMin), gap.length);
  const lines: Span[][] = [[]];
  let [used, free] = [0, 0];
  const cells = [...row.entries()].filter(([, { text }]) => text !== "");
  for (const [column, { span, text }] of cells) {
    const cell = column === last ? lastCell : "whole";
    const needed = Math.min(widthOf(text), cell === "whole" ? Number.POSITIVE_INFINITY : lastMin);
    if (used > 0 && used + free + needed > columns) {
      lines.push([]);
      [used, free] = [0, indent + needed > columns ? gap.length : indent];
    }
    const [shown = "", ...others] = inRoom(text, Math.max(columns - used - free, lastMin), cell);
    lines.at(-1)?.push(" ".repeat(free), restyled(span, shown));
    lines.push(...others.map((other) => [" ".repeat(used + free), restyled(span, other)]));
    used += free + widthOf(shown);
    free = gap.length + (lines.length === 1 ? Math.max((widths[column] ?? 0) - widthOf(text), 0) : 0);
  }
  return lines;
}

function inRoom(text: string, columns: number, cell: LastCell): readonly string[] {
  switch (cell) {
    case "cut":
      return [shorten(text, columns)];
    case "wrapped":
      return betweenWords(text, columns);
    case "whole":
      return [text];
  }
}

/** A word that is wider than `columns` stays whole: the terminal breaks it. */
function betweenWords(text: string, columns: number): readonly string[] {
  if (columns === Number.POSITIVE_INFINITY) return [text];
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(" ")) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line === undefined || widthOf(longer) <= columns) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line ?? ""];
}
