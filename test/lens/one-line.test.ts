import fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine, startOfLine } from "../../src/lens/checklist.ts";

/** As it is said: words with one space between them. */
function plainly(text: string): string {
  return text
    .split(/\s/)
    .filter((word) => word !== "")
    .join(" ");
}

const texts = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "\t", "\u00a0", "\u2028", "😀"), maxLength: 40 });

test("one line of a text is its words, and its beginning the beginning of that line", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 45 }), (text, unitsMax) => {
      expect(oneLine(text)).toBe(plainly(text));
      expect(startOfLine(text, unitsMax)).toBe(plainly(text).slice(0, unitsMax));
    }),
  );
});
