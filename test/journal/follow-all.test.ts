/** What a follower of many sessions is told of one that has very many events, and what it holds of it. */
import { expect, test } from "vitest";
import { followAll, type SessionChange } from "../../src/journal/follow-all.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { SessionCatalog } from "../../src/stream/catalog.ts";
import type { JournalStore } from "../../src/stream/stream-store.ts";

const many = 600;
const grownAt = "2026-11-21T20:00:00.000Z";

async function grown(events: number): Promise<JournalStore> {
  const store = memoryStore();
  await store.catchUp(undefined, { reset: () => undefined, event: () => undefined });
  const notes = Array.from({ length: events }, (_, index) => ({
    event: { type: "notes.set", text: `${index + 1}` } as const,
    actor: "ann",
  }));
  await store.commit(undefined, { reset: () => undefined, event: () => undefined }, () => ({
    id: "c1",
    at: grownAt,
    events: notes,
  }));
  return store;
}

/** Follows one session, of which `listed` was there when the list was read, until `last` is told. */
async function told(
  store: JournalStore,
  listed: number,
  last: number,
  at?: string,
): Promise<[SessionChange[], number]> {
  let reads = 0;
  const counted = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name === "read") reads += 1;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const catalog = {
    where: "memory",
    async *list() {
      yield { session: "s", version: listed, at };
    },
    open: () => counted,
    watch: async (wake: (session: string) => void) => {
      wake("s");
      return async () => undefined;
    },
    close: async () => undefined,
  } as unknown as SessionCatalog;
  const changes: SessionChange[] = [];
  const end = new AbortController();
  for await (const change of followAll(catalog, end.signal)) {
    changes.push(change);
    if (change.type === "event" && change.recorded.version === last) end.abort();
  }
  return [changes, reads];
}

function shown(changes: readonly SessionChange[]): (number | string)[] {
  return changes.map((change) => (change.type === "event" ? change.recorded.version : change.type));
}

test("very many events of one session are told once, in order, and read while they are told instead of held", async () => {
  const [changes, reads] = await told(await grown(many), 0, many);
  expect(shown(changes)).toEqual(Array.from({ length: many }, (_, index) => index + 1));
  expect(reads).toBe(1);
});

test("a few new ones behind very many known ones are not read twice", async () => {
  const [changes, reads] = await told(await grown(many), many - 2, many);
  expect(shown(changes)).toEqual([many - 1, many]);
  expect(reads).toBe(0);
});

test("a history that is shorter than what was known is told from its start, behind a reset", async () => {
  const [changes] = await told(await grown(3), 5, 3);
  expect(shown(changes)).toEqual(["reset", 1, 2, 3]);
});

test("a history that took the place of the listed one before it was first read is told from its start, though it is no shorter", async () => {
  const listedAt = "2026-11-20T20:00:00.000Z";
  const [changes] = await told(await grown(3), 2, 3, listedAt);
  expect(shown(changes)).toEqual(["reset", 1, 2, 3]);
});

test("a history that goes on from the listed one is told from there, also where the list says no time of it", async () => {
  for (const at of [grownAt, "at noon", undefined]) {
    const [changes] = await told(await grown(3), 2, 3, at);
    expect([at, shown(changes)]).toEqual([at, [3]]);
  }
});
