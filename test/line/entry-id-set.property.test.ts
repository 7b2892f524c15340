import fc from "fast-check";
import { expect, test } from "vitest";
import { EntryIdSet } from "../../src/line/entry-id-set.ts";

const hex = (number: number): string => (number >>> 0).toString(16).padStart(8, "0");

/** Their product with the multiplier of the table is small, so all of them fall on one place. */
const inverse = 0x0e8b2f51;
const crowded = Array.from({ length: 255 }, (_, index) => hex(Math.imul(index + 1, inverse)));

const odd = fc.constantFrom(
  "",
  "00000000",
  "0000000A",
  "ABCDEF01",
  "abcdefg1",
  "0000000",
  "000000001",
  ":::::::1",
  "é0000000",
);
const anyId = fc.oneof(
  fc.nat({ max: 0xffffffff }).map(hex),
  fc.nat({ max: 20 }).map(hex),
  odd,
  fc.uuid(),
  fc.constantFrom(...crowded),
);

test("ids that were added are known, and no others", () => {
  fc.assert(
    fc.property(fc.array(anyId, { maxLength: 300 }), fc.array(anyId), (added, asked) => {
      const ids = new EntryIdSet();
      const expected = new Set<string>();
      for (const id of added) {
        expect(ids.has(id)).toBe(expected.has(id));
        expect(ids.add(id)).toBe(!expected.has(id));
        expected.add(id);
      }
      for (const id of [...added, ...asked]) expect(ids.has(id)).toBe(expected.has(id));
    }),
  );
});

test("ids that all fall on one place are known, before the table grows and after", () => {
  expect(Math.imul(0x9e3779b1, inverse)).toBe(1);
  const ids = new EntryIdSet();
  const half = crowded.slice(0, 200);
  for (const id of half) ids.add(id);
  const many = Array.from({ length: 10_000 }, (_, index) => hex(Math.imul(index, 0x01000193) ^ 0x80000000));
  for (const id of many) ids.add(id);
  expect([...half, ...many].every((id) => ids.has(id))).toBe(true);
  expect([...half, ...many].some((id) => ids.add(id))).toBe(false);
  expect(crowded.slice(200).some((id) => ids.has(id))).toBe(false);
});
