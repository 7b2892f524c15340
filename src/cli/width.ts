/** Widths in columns of a terminal. The only file that names string-width. */
import stringWidth from "string-width";

export const widthOf = (text: string): number => stringWidth(text);

/** The text in at most `columns`, its end replaced by "…" where it is longer. Whole graphemes only. */
export function shorten(text: string, columns: number): string {
  if (text.length <= columns && isAscii(text)) return text;
  let kept = "";
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    const next = width + widthOf(segment);
    if (next > columns) return `${backTo(kept, columns - 1)}…`;
    kept += segment;
    width = next;
  }
  return kept;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

function backTo(text: string, columns: number): string {
  const segments = Array.from(graphemes.segment(text), ({ segment }) => segment);
  let width = segments.reduce((sum, segment) => sum + widthOf(segment), 0);
  while (width > columns) width -= widthOf(segments.pop() ?? "");
  return segments.join("");
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
