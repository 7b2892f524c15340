import { expect, test } from "vitest";
import { RecentIds } from "../../src/lens/recent-ids.ts";

const keptMax = 65_536;

test("the oldest ids are forgotten first, and no others, however many there were", () => {
  const recent = new RecentIds();
  const ids = Array.from({ length: 3 * keptMax + 6 }, (_, index) => `id ${index}`);
  for (const id of ids) recent.add(id);
  expect(ids.filter((id) => recent.has(id))).toEqual(ids.slice(-keptMax));
});

test("an id that comes again makes none forgotten, and keeps its age", () => {
  const recent = new RecentIds();
  const ids = Array.from({ length: keptMax }, (_, index) => `id ${index}`);
  for (const id of [...ids, "id 0"]) recent.add(id);
  expect(ids.every((id) => recent.has(id))).toBe(true);
  recent.add("new");
  expect(["id 0", "id 1", "new"].map((id) => recent.has(id))).toEqual([false, true, true]);
});
