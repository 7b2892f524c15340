import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryAction, hostileText } from "../../src/testing/arbitraries.ts";
import { sourceOf } from "../../src/testing/script.ts";

/** What a person gets who pastes it. */
function evaluated(source: string): unknown {
  return new Function(`return ${source};`)();
}

test("what is printed is the program of the value, in one line", () => {
  const run = fc.tuple(hostileText({ piecesMax: 2 }), fc.nat({ max: 40 })).map(([text, times]) => text.repeat(times));
  const list = fc.tuple(run, fc.nat({ max: 40 })).map(([item, count]) => Array.from({ length: count }, () => item));
  fc.assert(
    fc.property(fc.oneof(run, list, arbitraryAction(), fc.dictionary(hostileText({ piecesMax: 1 }), run)), (value) => {
      const source = sourceOf(value);
      expect(JSON.stringify(evaluated(source))).toBe(JSON.stringify(value));
      expect(source).not.toMatch(/[\n\r\u2028\u2029]/);
    }),
  );
});

test("long runs are short", () => {
  expect(sourceOf({ a: `${"x".repeat(4000)}😀`, "b-c": Array(50).fill("r") })).toBe(
    '{ a: "x".repeat(4000) + "😀", "b-c": Array(50).fill("r") }',
  );
});
