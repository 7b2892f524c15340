import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { EntryPlaces } from "../../src/audit/entry-places.ts";

const idOf = (number: number) => Math.imul(number, 0x9e3779b1).toString(16).padStart(8, "0");

test("each of many entries is found at its own place, also those that come after the first question", () => {
  const places = new EntryPlaces();
  const found = (count: number) => Array.from({ length: count }, (_, number) => places.offsetOf(idOf(number)));
  const wanted = (count: number) => Array.from({ length: count }, (_, number) => number * 100);
  expect(places.offsetOf(idOf(0))).toBeUndefined();
  for (let number = 0; number < 10_000; number++) places.add(idOf(number), number * 100);
  expect(found(10_000)).toEqual(wanted(10_000));
  for (let number = 10_000; number < 30_000; number++) {
    places.add(idOf(number), number * 100);
    if (number % 5_000 === 0) expect(places.offsetOf(idOf(number))).toBe(number * 100);
  }
  expect(found(30_000)).toEqual(wanted(30_000));
  expect(places.offsetOf(idOf(30_000))).toBeUndefined();
});

test("an id that comes again has its newer place, before a question and after it", () => {
  const places = new EntryPlaces();
  for (const offset of [0, 10]) places.add("a", offset);
  expect(places.offsetOf("a")).toBe(10);
  places.add("a", 20);
  expect(places.offsetOf("a")).toBe(20);
});

test("a long session that went back does not fill the heap with places", () => {
  const places = new EntryPlaces();
  const before = heapInUse();
  for (let number = 0; number < 200_000; number++) places.add(idOf(number), number);
  expect(places.offsetOf(idOf(5))).toBe(5);
  expect(heapInUse() - before).toBeLessThan(2_000_000);
  expect(places.offsetOf(idOf(6))).toBe(6);
});

function heapInUse(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}
