import fc from "fast-check";
import { expect, test } from "vitest";
import { visible, visibleJson } from "../../src/audit/visible.ts";
import { shorten, widthOf } from "../../src/audit/width.ts";
import { anyText } from "../../src/testing/any-text.ts";

const text = fc.oneof(
  anyText,
  fc.string({
    unit: fc.constantFrom(
      "\u001b",
      "[",
      "\u009b",
      "\u202e",
      "\u200d",
      "\u200b",
      "👩",
      "🚀",
      "\ud83d",
      "\u2028",
      "漢",
      "é",
      "\n",
      "\u{e0041}",
    ),
  }),
);

test("what is visible holds nothing that a terminal obeys or hides, and stays as it is", () => {
  fc.assert(
    fc.property(text, (given) => {
      const shown = visible(given);
      expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\u200b\u2060\ufeff\u{e0000}-\u{e007f}]/u);
      expect(visible(shown)).toBe(shown);
    }),
  );
});

test("visible JSON is the same JSON", () => {
  fc.assert(
    fc.property(text, (given) => {
      const json = visibleJson(JSON.stringify([given]));
      expect(JSON.parse(json)).toEqual([given]);
      expect(json).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
    }),
  );
});

test("a shortened text fits, and says that it was cut", () => {
  fc.assert(
    fc.property(text.map(visible), fc.integer({ min: 1, max: 40 }), (given, columns) => {
      const short = shorten(given, columns);
      expect(widthOf(short)).toBeLessThanOrEqual(columns);
      if (short !== given) {
        expect(short.endsWith("…")).toBe(true);
        expect(given.startsWith(short.slice(0, -1))).toBe(true);
      }
    }),
  );
});
