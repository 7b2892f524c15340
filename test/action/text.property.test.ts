import fc from "fast-check";
import { expect, test } from "vitest";
import { byteCount, cut, quote } from "../../src/action/text.ts";
import { hostileText, wellFormedText } from "../../src/testing/arbitraries.ts";

/** Texts whose graphemes are longer than a code point: marks, flags, families, skin tones, syllables of Hangul, ends of lines. */
const graphemeText = () =>
  fc
    .array(
      fc.constantFrom(
        "a",
        "e\u0301",
        "e\u0301\u0323",
        "\ud83c\udde9\ud83c\uddea",
        "👨‍👩‍👧‍👦",
        "👍🏽",
        "한",
        "\r\n",
        "ก็",
        "😀",
        "\u0301",
      ),
      { maxLength: 20 },
    )
    .map((pieces) => pieces.join(""));

const graphemesOf = (text: string) =>
  Array.from(new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text), ({ segment }) => segment);

/** What is kept are whole graphemes, and the next one would not fit. */
function expectCut(text: string, limit: number, measure: (text: string) => number): void {
  const { kept, dropped } = cut(text, limit, measure);
  expect(kept + dropped).toBe(text);
  expect(measure(kept)).toBeLessThanOrEqual(limit);
  const whole = graphemesOf(text);
  const count = graphemesOf(kept).length;
  expect(whole.slice(0, count).join("")).toBe(kept);
  if (dropped !== "") expect(measure(kept + (whole[count] ?? ""))).toBeGreaterThan(limit);
}

test("a cut keeps the longest beginning that fits, loses nothing and splits no grapheme", () => {
  const texts = fc.oneof(wellFormedText(), graphemeText());
  fc.assert(fc.property(texts, fc.nat({ max: 60 }), (text, limit) => expectCut(text, limit, (kept) => kept.length)));
});

test("a cut by a measure keeps the longest beginning that fits", () => {
  const measure = (text: string) => Math.ceil(text.length / 4);
  const texts = fc.oneof(wellFormedText(), graphemeText());
  fc.assert(fc.property(texts, fc.nat({ max: 20 }), (text, limit) => expectCut(text, limit, measure)));
});

test("a text cut to its budget ends before a grapheme that does not fit, also where that is the first", () => {
  expect(cut("ab👨‍👩‍👧‍👦", 5)).toEqual({ kept: "ab", dropped: "👨‍👩‍👧‍👦" });
  expect(cut("xe\u0301\u0323", 3)).toEqual({ kept: "x", dropped: "e\u0301\u0323" });
  expect(cut("a\r\nb", 2)).toEqual({ kept: "a", dropped: "\r\nb" });
  expect(cut("👨‍👩‍👧‍👦", 5)).toEqual({ kept: "", dropped: "👨‍👩‍👧‍👦" });
});

test("bytes are counted as UTF-8 writes them", () => {
  fc.assert(
    fc.property(hostileText(), (text) => {
      expect(byteCount(text)).toBe(Buffer.byteLength(text));
    }),
  );
});

test("a quoted text is one short line, whatever it holds", () => {
  fc.assert(
    fc.property(hostileText({ piecesMax: 40 }), (text) => {
      expect(quote(text)).not.toMatch(/[\p{Control}\u2028\u2029\p{Surrogate}]/u);
      expect(quote(text).length).toBeLessThan(600);
    }),
  );
});
