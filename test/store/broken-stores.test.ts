import { describe, expect, test } from "vitest";
import type { JournalStore } from "../../src/stream/stream-store.ts";
import { testStore, writeMarks } from "../../src/testing/log-conformance.ts";
import { brokenStores } from "./broken-stores.ts";
import { handleOn, type SharedStream, sharedStream } from "./handles.ts";

/** Every promise of the suite by name, over the stores that `open` makes. */
function promisesOver(open: (stream: SharedStream) => JournalStore): ReadonlyMap<string, () => Promise<void>> {
  const promises = new Map<string, () => Promise<void>>();
  const streams = new Map<JournalStore, SharedStream>();
  const opened = (stream: SharedStream) => {
    const store = open(stream);
    streams.set(store, stream);
    return store;
  };
  const again = (store: JournalStore) => opened(streams.get(store) as SharedStream);
  testStore({
    test: (name, run) => promises.set(name, run),
    createStore: () => opened(sharedStream()),
    openAgain: again,
    spawnWriter: (store, writer, count) => writeMarks(again(store), writer, count),
    patienceMs: 50,
  });
  return promises;
}

describe("a store that keeps every promise passes", () => {
  for (const [name, check] of promisesOver(handleOn)) test(name, check);
});

describe("the suite finds", () => {
  for (const { promise, how, open } of brokenStores) {
    test(`${promise}: ${how}`, async () => {
      const check = promisesOver(open).get(promise);
      await expect(check?.()).rejects.toThrow();
    });
  }
});

test("there is a broken store for every promise", () => {
  const broken = new Set(brokenStores.map(({ promise }) => promise));
  expect([...promisesOver(handleOn).keys()].filter((name) => !broken.has(name))).toEqual([]);
});
