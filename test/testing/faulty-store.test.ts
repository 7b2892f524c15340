import { expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { faultyStore } from "../../src/testing/faulty-store.ts";
import { mark, readAll, StoreReader } from "../../src/testing/store-reader.ts";

test("the call that is named fails before it runs, and no other", async () => {
  const store = faultyStore(memoryStore(), { failures: [{ on: "commit", call: 2 }] });
  const journal = await openJournal(store);
  await journal.notes.set("one");
  await expect(journal.notes.set("two")).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  await journal.notes.set("three");
  expect((await readAll(store)).map(({ event }) => event)).toEqual([
    { type: "notes.set", text: "one" },
    { type: "notes.set", text: "three" },
  ]);
});

test("a call that fails afterwards has happened", async () => {
  const store = faultyStore(memoryStore(), { failures: [{ on: "commit", when: "after" }] });
  const journal = await openJournal(store);
  await expect(journal.notes.set("one", { command: "c" })).rejects.toMatchObject({ fate: "unknown" });
  expect(await journal.notes.set("one", { command: "c" })).toMatchObject({ ok: true, version: 1 });
  expect(journal.version).toBe(1);
});

test("an error of one's own is thrown, by reads too", async () => {
  const error = new Error("gone");
  const store = faultyStore(memoryStore(), {
    failures: [
      { on: "read", error },
      { on: "loadSnapshot", error },
    ],
  });
  await expect(readAll(store)).rejects.toBe(error);
  expect(await readAll(store)).toEqual([]);
});

test("calls take longer where they are told to", async () => {
  const asked: [string, number][] = [];
  const store = faultyStore(memoryStore(), { delayMs: (on, call) => asked.push([on, call]) });
  await new StoreReader(store).append(mark("w"));
  await new StoreReader(store).append(mark("w"));
  expect(asked).toEqual([
    ["commit", 1],
    ["commit", 2],
  ]);
});

test.each([
  [undefined, 1],
  ["dropped", 0],
  ["doubled", 2],
] as const)("with wakes %s, one append wakes %i times", async (wakes, count) => {
  const store = faultyStore(memoryStore(), wakes === undefined ? {} : { wakes });
  let woken = 0;
  const unwatch = await store.watch(() => {
    woken += 1;
  });
  await new StoreReader(store).append(mark("w"));
  await unwatch();
  expect(woken).toBe(count);
});
