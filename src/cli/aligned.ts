/** Rows as lines whose columns stand below each other, as far as the width of a terminal allows. */
import { visible } from "../audit/visible.ts";
import { shorten, widthOf } from "../audit/width.ts";
import { highest } from "./highest.ts";
import { restyled, type Span, textOf } from "./span.ts";

type Row = readonly Span[];

const gap = "  ";
/** The last column gets at least so many columns of the terminal. */
const lastMin = 20;

interface Widths {
  readonly widths: readonly number[];
  /** The column that is cut. */
  readonly last: number;
}

/** `before`: how wide the columns of rows above were. Only the last cell of a row is cut. */
export function aligned(
  rows: readonly Row[],
  before: readonly number[],
  columns: number,
): { readonly lines: readonly Row[]; readonly widths: readonly number[] } {
  const last = highest(rows, (row) => row.length) - 1;
  const widths = Array.from({ length: Math.max(last, before.length) }, (_, column) =>
    highest(rows, (row) => (column < last ? widthOf(visible(textOf(row[column] ?? ""))) : 0), before[column]),
  );
  const left = columns - widths.reduce((sum, width) => sum + width + gap.length, 0);
  const lines =
    left < lastMin
      ? rows.flatMap((row) => folded(row, { widths, last, columns }))
      : rows.map((row) => flat(row, { widths, last, left }));
  return { lines, widths };
}

function flat(row: Row, { widths, last, left }: Widths & { readonly left: number }): Row {
  return row.map((span, column) => {
    const text = visible(textOf(span));
    if (column === last) return restyled(span, shorten(text, left));
    const isEnd = row.slice(column + 1).every((next) => textOf(next) === "");
    return restyled(span, isEnd ? text : text + " ".repeat((widths[column] ?? 0) - widthOf(text)) + gap);
  });
}

/** What has no room beside the cells before it goes on in a line of its own, behind the first column. */
function folded(row: Row, { widths, last, columns }: Widths & { readonly columns: number }): Row[] {
  const indent = (widths[0] ?? 0) + gap.length;
  const lines: Span[][] = [[]];
  let [used, free] = [0, 0];
  for (const [column, span] of row.entries()) {
    const text = visible(textOf(span));
    if (text === "") continue;
    const needed = column === last ? Math.min(widthOf(text), lastMin) : widthOf(text);
    if (used > 0 && used + free + needed > columns) {
      lines.push([]);
      [used, free] = [0, indent];
    }
    const shown = column === last ? shorten(text, Math.max(columns - used - free, lastMin)) : text;
    lines.at(-1)?.push(" ".repeat(free), restyled(span, shown));
    used += free + widthOf(shown);
    free = gap.length + (lines.length === 1 ? Math.max((widths[column] ?? 0) - widthOf(text), 0) : 0);
  }
  return lines;
}
