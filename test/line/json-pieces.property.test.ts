/** JSON in pieces is the JSON of the whole, wherever it is cut. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonPieces, withoutMethods } from "../../src/line/json-pieces.ts";

const pieceUnits = 64 * 1024;

test("a checkpoint in pieces is another text than in one", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
      return [...jsonPieces(value)].join("") === JSON.stringify(value);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["a pair", "\u{1f600}"],
  ["half of a pair", "\ud83d\ud83d\ude00"],
  ["an escape", '\n\u2028"'],
])("a long text is cut within %s", (_, sign) => {
  for (const before of [-3, -2, -1, 0, 1]) {
    const value = { notes: `${"x".repeat(pieceUnits + before)}${sign}${"y".repeat(2 * pieceUnits)}`, refs: [sign] };
    const pieces = [...jsonPieces(value)];
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join("")).toBe(JSON.stringify(value));
  }
});

test("what a cursor prints of itself is not what JSON keeps of it", () => {
  const cursor = { toJSON: () => ({ at: [new Date(0), undefined, () => 1], none: undefined }) };
  expect(JSON.stringify(withoutMethods(cursor))).toBe(JSON.stringify(cursor));
  expect(withoutMethods({ toJSON: () => undefined })).toBeUndefined();
});
