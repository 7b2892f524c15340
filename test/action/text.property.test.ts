import fc from "fast-check";
import { expect, test } from "vitest";
import { byteCount, cut, quote } from "../../src/action/text.ts";
import { hostileText, wellFormedText } from "../../src/testing/arbitraries.ts";

test("a cut keeps the longest beginning that fits, loses nothing and splits no pair", () => {
  fc.assert(
    fc.property(wellFormedText(), fc.nat({ max: 60 }), (text, limit) => {
      const { kept, dropped } = cut(text, limit);
      expect(kept + dropped).toBe(text);
      expect(kept.length).toBeLessThanOrEqual(limit);
      if (dropped !== "") expect((kept + dropped.slice(0, 2)).length).toBeGreaterThan(limit);
      expect(kept).not.toMatch(/\p{Surrogate}/u);
    }),
  );
});

test("a cut by a measure keeps the longest beginning that fits", () => {
  const measure = (text: string) => Math.ceil(text.length / 4);
  fc.assert(
    fc.property(wellFormedText(), fc.nat({ max: 20 }), (text, limit) => {
      const { kept, dropped } = cut(text, limit, measure);
      expect(kept + dropped).toBe(text);
      expect(measure(kept)).toBeLessThanOrEqual(limit);
      if (dropped !== "") expect(measure(kept + dropped.slice(0, 2))).toBeGreaterThan(limit);
      expect(kept).not.toMatch(/\p{Surrogate}/u);
    }),
  );
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
