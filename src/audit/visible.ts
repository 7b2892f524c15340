/** Content comes from models, tools and other people's files: nothing of it may steer a terminal or hide from a reader. */

/**
 * What a terminal obeys or does not show: control and format characters, separators of lines, lone surrogates, and what
 * Unicode lets a font ignore. A joiner between two emoji and the two emoji selectors belong to what is seen.
 */
const hidden =
  /(?!(?<=\p{Extended_Pictographic}[\uFE0F\u{1F3FB}-\u{1F3FF}]?)\u200D\p{Extended_Pictographic})(?![\uFE0E\uFE0F])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The result is one line that shows every hidden character: controls as their pictures (␛, ␊), others as <U+202E>. The function
 * is idempotent.
 */
export function visible(text: string): string {
  if (isPlain(text)) return text;
  return text.replace(hidden, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "␡" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** The same for JSON, which stays the same JSON: hidden characters as escapes. */
export function visibleJson(json: string): string {
  if (isPlain(json)) return json;
  return json.replace(hidden, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(""),
  );
}

/**
 * The result says whether each character is seen, and takes a column of its own: those of ASCII and Latin, dashes, arrows, pictures of
 * controls and boxes. Most texts are plain, so this is soon known, and the pattern above, which takes the tables of Unicode, is never
 * compiled.
 */
export function isPlain(text: string): boolean {
  return /^[ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff\u2400-\u2426\u2500-\u25fc]*$/.test(text);
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** The lines of a text, one by one: a list of millions would take several times what the text takes. */
export function* linesIn(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}
