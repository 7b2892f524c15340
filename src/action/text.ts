/** Counts a text in the unit of its budget. Must grow with the text. */
export type Measure = (text: string) => number;

export const unitCount: Measure = (text) => text.length;

/** This counts tokens where nobody else does: one for every four UTF-16 code units begun. */
export const fourUnits: Measure = (text) => Math.ceil(text.length / 4);

/** Lone surrogates become U+FFFD: UTF-8 cannot carry them. */
export function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** The result is the length in UTF-8. A lone surrogate counts as the three bytes of U+FFFD. */
export function byteCount(text: string): number {
  encoder ??= new TextEncoder();
  return encoder.encode(text).length;
}

/** Making one takes as long as a tenth of a millisecond. */
let encoder: InstanceType<typeof TextEncoder> | undefined;

/**
 * The text is cut into its longest beginning within `limit`, and the rest. What a reader sees as one character (a grapheme)
 * stays whole, even where nothing is kept then.
 */
export function cut(text: string, limit: number, measure: Measure = unitCount): { kept: string; dropped: string } {
  if (measure(text) <= limit) return { kept: text, dropped: "" };
  const end = graphemeStart(text, measure === unitCount ? limit : longestWithin(text, limit, measure));
  return { kept: text.slice(0, end), dropped: text.slice(end) };
}

function longestWithin(text: string, limit: number, measure: Measure): number {
  let fits = 0;
  let tooLong = text.length;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (measure(text.slice(0, middle)) <= limit) fits = middle;
    else tooLong = middle;
  }
  return fits;
}

/** The grapheme that the unit at `at` belongs to begins there. */
function graphemeStart(text: string, at: number): number {
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return graphemes.segment(text).containing(at)?.index ?? at;
}

/** It takes a while to make, and most texts are never cut. */
let graphemes: Intl.Segmenter | undefined;

/** The result is a text of others as it stands inside a one-line message: quoted, escaped, and short. */
export function quote(text: string): string {
  const { kept, dropped } = cut(text, quotedUnitsMax);
  return escapedLine(JSON.stringify(dropped === "" ? kept : `${kept}…`));
}

/** JSON as our lines write it. */
export function escapedLine(json: string): string {
  return json.replace(lineBreakers, escaped);
}

const quotedUnitsMax = 80;

/**
 * These characters are left alone by JSON, but not by a terminal or a parser of lines: DEL, C1 controls, line and paragraph
 * separators.
 */
const lineBreakers = /[\u007f-\u009f\u2028\u2029]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The measure comes from outside: it may return what is no number, such as a promise. The result throws a TypeError as soon as it does. */
export function checkedMeasure(measure: unknown, name: string): Measure {
  if (typeof measure !== "function") throw new TypeError(`${name} must be a function from text to number`);
  return (text) => {
    const count: unknown = measure(text);
    if (typeof count === "number" && count >= 0 && count < Number.POSITIVE_INFINITY) return count;
    throw new TypeError(`${name} must give a number of at least 0, not ${String(count)}`);
  };
}
