/** This file measures widths in columns of a terminal. It is the only file that names get-east-asian-width. */
import { eastAsianWidth } from "get-east-asian-width";
import { isPlain } from "./visible.ts";

/** The text must not have control characters. */
export function widthOf(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes().segment(text)) width += graphemeWidth(segment);
  return width;
}

/** An emoji takes two columns, a mark without its letter none, anything else what its first character takes. */
function graphemeWidth(grapheme: string): number {
  if (emoji.test(grapheme)) return 2;
  if (invisible.test(grapheme)) return 0;
  return eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}

const emoji = /\p{Emoji_Presentation}|\p{Extended_Pictographic}\uFE0F|\u20E3/u;
const invisible = /^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u;

/** The result has at most `columns`. The end of a longer text is replaced by "…". Graphemes stay whole. */
export function shorten(text: string, columns: number): string {
  if (columns === Number.POSITIVE_INFINITY) return text;
  if (isAscii(text.slice(0, columns + 2))) return text.length <= columns ? text : `${text.slice(0, columns - 1)}…`;
  let kept = "";
  let width = 0;
  for (const { segment } of graphemes().segment(text)) {
    const next = width + graphemeWidth(segment);
    if (next > columns) return `${backTo(kept, columns - 1)}…`;
    kept += segment;
    width = next;
  }
  return kept;
}

/**
 * The line is cut into pieces of at most `columns`; "" is one piece. Graphemes stay whole, and each counts as many columns as
 * any terminal may give it: some terminals count every part of a grapheme.
 */
export function wrap(line: string, columns: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let width = 0;
  for (const { segment } of graphemes().segment(line)) {
    const fits = widthAtMost(segment) <= columns;
    const next = fits ? widthAtMost(segment) : 1;
    if (width + next > columns) {
      pieces.push(piece);
      piece = "";
      width = 0;
    }
    piece += fits ? segment : "…";
    width += next;
  }
  return [...pieces, piece];
}

/** Every character of a grapheme is counted. */
export function widthAtMost(text: string): number {
  if (isAscii(text)) return text.length;
  return Array.from(text).reduce((sum, character) => sum + characterWidth(character), 0);
}

function characterWidth(character: string): number {
  return !isAscii(character) && /\p{Emoji}/u.test(character) ? 2 : eastAsianWidth(character.codePointAt(0) ?? 0);
}

let segmenter: Intl.Segmenter | undefined;

/** Made for the first text that needs one: that takes as long as half a command. */
function graphemes(): Intl.Segmenter {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter;
}

function backTo(text: string, columns: number): string {
  const segments = Array.from(graphemes().segment(text), ({ segment }) => segment);
  let width = segments.reduce((sum, segment) => sum + graphemeWidth(segment), 0);
  while (width > columns) width -= graphemeWidth(segments.pop() ?? "");
  return segments.join("");
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
