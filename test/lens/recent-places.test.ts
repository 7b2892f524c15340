import { expect, test } from "vitest";
import { keyOf } from "../../src/lens/main-line.ts";
import { RecentPlaces } from "../../src/lens/recent-places.ts";

const keptMax = 65_536;

test("the newest places are found, whatever their keys are, and those long before are forgotten", () => {
  const places = new RecentPlaces();
  const keys = Array.from({ length: 3 * keptMax + 5 }, (_, index) =>
    index % 2 === 0 ? keyOf(`id ${index}`) : index * 0x100000,
  );
  for (const [index, key] of keys.entries()) places.add(key, index);
  const wrong = keys.slice(-keptMax).filter((key, index) => places.get(key) !== keys.length - keptMax + index);
  expect(wrong).toEqual([]);
  expect([places.has(keys[0] ?? 0), places.has(keyOf("another")), places.hasForgotten]).toEqual([false, false, true]);
});

test("nothing is forgotten of as many as are kept", () => {
  const places = new RecentPlaces();
  for (let key = 1; key <= keptMax; key++) places.add(key, -key);
  expect([places.hasForgotten, places.get(1), places.get(keptMax)]).toEqual([false, -1, -keptMax]);
});

test("a key that is added again keeps its first place, also among the older ones", () => {
  const places = new RecentPlaces();
  for (let key = 1; key <= keptMax + 1; key++) places.add(key, -key);
  for (const key of [1, keptMax, keptMax + 1]) places.add(key, 7);
  expect([1, keptMax, keptMax + 1].map((key) => places.get(key))).toEqual([-1, -keptMax, -keptMax - 1]);
  expect(places.hasForgotten).toBe(false);
});
