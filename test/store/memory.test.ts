import { expect, test } from "vitest";
import { memoryStore } from "../../src/store/memory.ts";
import { testStore } from "../../src/testing/log-conformance.ts";
import { mark, StoreReader } from "../../src/testing/store-reader.ts";

testStore({
  test,
  logOf: (store) => store.log,
  createStore: () => memoryStore(),
});

test("two stores with one session id keep the same chain for the same commits", async () => {
  const stores = [
    memoryStore({ sessionId: "s" }),
    memoryStore({ sessionId: "s" }),
    memoryStore({ sessionId: "other" }),
  ];
  const draft = { id: "d", at: "2026-01-01T00:00:00.000Z", events: [mark("w")] };
  const [one, two, other] = await Promise.all(stores.map((store) => new StoreReader(store).commit(() => draft)));
  expect(one?.hash).toBe(two?.hash);
  expect(one?.hash).not.toBe(other?.hash);
});

test("a key seals a journal in memory, too, and a wrong option is named", async () => {
  const reader = new StoreReader(memoryStore({ seal: "k", strict: true }));
  const { hash } = await reader.commit(() => ({ id: "d", at: "2026-01-01T00:00:00.000Z", events: [mark("w")] }));
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(() => memoryStore({ seal: "" })).toThrow('option "seal"');
  expect(() => memoryStore({ strict: "yes" as unknown as boolean })).toThrow('option "strict"');
});

test("a recorded event cannot be changed by who is told it", async () => {
  const reader = new StoreReader(memoryStore());
  await reader.append({ event: { type: "refs.set", refs: ["a"] }, actor: "w" });
  const [recorded] = reader.events;
  const { event } = recorded as unknown as { event: { refs: string[] } };
  expect(() => Object.assign(recorded as object, { version: 7 })).toThrow(TypeError);
  expect(() => Object.assign(event, { refs: [] })).toThrow(TypeError);
  expect(() => event.refs.push("b")).toThrow(TypeError);
});

test("after unwatching nothing wakes any more", async () => {
  const store = memoryStore();
  let wakes = 0;
  const unwatch = await store.watch(() => {
    wakes += 1;
  });
  const writer = new StoreReader(store);
  await writer.append(mark("w", 0));
  await Promise.resolve();
  expect(wakes).toBe(1);
  await unwatch();
  await writer.append(mark("w", 1));
  await Promise.resolve();
  expect(wakes).toBe(1);
});
