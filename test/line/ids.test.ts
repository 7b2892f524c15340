import fc from "fast-check";
import { expect, test } from "vitest";
import { IdMap } from "../../src/line/id-map.ts";
import { IdSet } from "../../src/line/id-set.ts";
import { NewestIds } from "../../src/line/newest-ids.ts";

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
        expect(set.add(text)).toBe(!plain.has(text));
        plain.set(text, number);
      }
      for (const [text] of pairs) expect([map.get(text), set.has(text)]).toEqual([plain.get(text), true]);
      expect([map.has("not there"), set.has("not there"), map.get("not there")]).toEqual([false, false, undefined]);
    }),
    { numRuns: 10 },
  );
});

test("of the newest texts as many are known as are wanted, and memory does not grow with the rest", () => {
  const newest = new NewestIds(10);
  for (let index = 0; index < 1000; index++) newest.add(`id-${index}`);
  const known = Array.from({ length: 1000 }, (_, index) => `id-${index}`).filter((id) => newest.has(id));
  expect(known.length).toBeGreaterThanOrEqual(10);
  expect(known.length).toBeLessThanOrEqual(21);
  expect(known.at(-1)).toBe("id-999");
  expect(newest.newest(2)).toEqual(["id-998", "id-999"]);
  newest.clear();
  expect(newest.has("id-999")).toBe(false);
});
