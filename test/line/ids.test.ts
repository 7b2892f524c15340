import fc from "fast-check";
import { expect, test } from "vitest";
import { IdMap } from "../../src/line/id-map.ts";
import { IdSet } from "../../src/line/id-set.ts";

/** More than are kept as they are. */
const many = 5000;

test("a map forgets none of many texts, and gives each its newest number", () => {
  const map = new IdMap();
  for (let index = 0; index < many; index++) map.set(`id-${index}`, index);
  for (let index = 0; index < many; index += 7) map.set(`id-${index}`, -index);
  for (let index = 0; index < many; index++) expect(map.get(`id-${index}`)).toBe(index % 7 === 0 ? -index : index);
  expect([map.get("id"), map.has("id-1"), map.has(`id-${many}`)]).toEqual([undefined, true, false]);
});

test("a map and a set say of few texts and of many what a plain one says", () => {
  const texts = fc.array(fc.tuple(fc.string({ maxLength: 2 }), fc.integer()), { maxLength: 40 });
  fc.assert(
    fc.property(texts, fc.boolean(), (pairs, isMany) => {
      const [map, set, plain] = [new IdMap(), new IdSet(), new Map<string, number>()];
      const others = isMany ? Array.from({ length: many }, (_, index) => [`other ${index}`, index] as const) : [];
      for (const [text, number] of [...others, ...pairs]) {
        map.set(text, number);
        set.add(text);
        plain.set(text, number);
      }
      for (const [text] of pairs) expect([map.get(text), set.has(text)]).toEqual([plain.get(text), true]);
      expect([map.has("not there"), set.has("not there"), map.get("not there")]).toEqual([false, false, undefined]);
    }),
    { numRuns: 10 },
  );
});
