import fc from "fast-check";
import { expect, test } from "vitest";
import { LeftSpans, type Span } from "../../src/lens/left-spans.ts";

const spans = fc
  .array(fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 60 })), { maxLength: 12 })
  .map((all) => all.map(([from, to]): Span => [Math.min(from, to), to]).sort((one, other) => one[1] - other[1]));

test("a line is left behind if one of the spans has it, wherever they begin", () => {
  fc.assert(
    fc.property(spans, fc.nat({ max: 70 }), (all, offset) => {
      expect(new LeftSpans(all).has(offset)).toBe(all.some(([from, to]) => offset >= from && offset < to));
    }),
  );
});

test("what was found is known if it is how the spans begin", () => {
  fc.assert(
    fc.property(spans, spans, (all, found) => {
      const begins = JSON.stringify(all.slice(0, found.length)) === JSON.stringify(found);
      expect(new LeftSpans(all).knows(found)).toBe(begins);
      expect(new LeftSpans(all).knows(all)).toBe(true);
    }),
  );
});
