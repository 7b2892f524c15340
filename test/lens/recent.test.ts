import { expect, test } from "vitest";
import { Recent } from "../../src/lens/recent.ts";

const keptMax = 65_536;

test("the oldest ids are forgotten first, and no others, however many there were", () => {
  const recent = new Recent<number, string>();
  const last = 3 * keptMax + 5;
  for (let id = 0; id <= last; id++) recent.set(id, `value ${id}`);
  const oldest = last - keptMax + 1;
  expect([recent.has(oldest - 1), recent.has(oldest), recent.has(last)]).toEqual([false, true, true]);
  expect([recent.get(oldest - 1), recent.get(oldest)]).toEqual([undefined, `value ${oldest}`]);
  const kept = Array.from({ length: last + 1 }, (_, id) => id).filter((id) => recent.has(id));
  expect([kept.length, kept[0]]).toEqual([keptMax, oldest]);
  expect(recent.hasForgotten).toBe(true);
});

test("an id that comes again gets its new value, and makes none forgotten", () => {
  const recent = new Recent<string, number>();
  for (let id = 0; id < keptMax; id++) recent.set(String(id), id);
  recent.set("0", -1);
  expect([recent.hasForgotten, recent.get("0"), recent.has("1")]).toEqual([false, -1, true]);
  recent.set("new", 7);
  expect([recent.hasForgotten, recent.has("0"), recent.has("1"), recent.get("new")]).toEqual([true, false, true, 7]);
});
