import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import jsonPatch from "fast-json-patch";
import { afterEach, expect, test, vi } from "vitest";
import type { Change, ChangesOptions } from "../../src/journal/change.ts";
import type { Journal } from "../../src/journal/public.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { initialState } from "../../src/state/state.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { JournalStore } from "../../src/stream/stream-store.ts";
import { mark, newDraft, StoreReader } from "../../src/testing/store-reader.ts";
import { overStores } from "./streams.ts";

const opened: AsyncIterator<Change>[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((changes) => changes.return?.()));
});

function follow(journal: Journal, options?: ChangesOptions): AsyncIterableIterator<Change> {
  const changes = journal.changes(options);
  opened.push(changes);
  return changes;
}

async function take(changes: AsyncIterableIterator<Change>, count: number): Promise<Change[]> {
  const taken: Change[] = [];
  while (taken.length < count) {
    const { value, done } = await changes.next();
    if (done) break;
    taken.push(value as Change);
  }
  return taken;
}

const versionsOf = (changes: readonly Change[]): number[] => changes.map(({ version }) => version);
const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

async function write(journal: Journal, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await journal.notes.set(`${index}`);
}

overStores("changes", (stream) => {
  test("of others and one's own come in order, each once", async () => {
    const journal = await stream.open();
    const other = await stream.open();
    const changes = follow(journal);
    for (const each of [other, journal, other, other, journal]) await each.notes.append("x");
    expect(versionsOf(await take(changes, 5))).toEqual([1, 2, 3, 4, 5]);
  });

  test("begin at any version, the present one by default", async () => {
    const journal = await stream.open();
    await write(journal, 4);
    for (const from of [0, 1, 3, 4]) {
      const changes = follow(journal, { from });
      expect(versionsOf(await take(changes, 4 - from))).toEqual(numbers(from + 1, 4));
    }
    const ahead = take(follow(journal, { from: 5 }), 1);
    const present = follow(journal);
    await write(journal, 2);
    expect(versionsOf(await take(present, 2))).toEqual([5, 6]);
    expect(versionsOf(await ahead)).toEqual([6]);
  });

  test("lose nothing between asking for them and taking the first", async () => {
    const journal = await stream.open();
    const changes = follow(journal);
    await write(journal, 3);
    expect(versionsOf(await take(changes, 3))).toEqual([1, 2, 3]);
  });

  test("come after the journal has moved, with the state after each and the way from the one before", async () => {
    const journal = await stream.open();
    const other = await stream.open();
    const changes = follow(journal);
    await other.refs.set(["a", "b"]);
    await other.entries.write("k", "1");
    await other.refs.remove("none");
    await other.plan.set("p");
    await other.refs.add("c");
    let state: unknown = structuredClone(journal.state);
    for (const change of await take(changes, 5)) {
      expect(journal.version).toBeGreaterThanOrEqual(change.version);
      expect(Object.keys(change)).toEqual(["type", "version", "event", "state", "patch"]);
      state = jsonPatch.applyPatch(state, structuredClone(change.patch) as never).newDocument;
      expect(state).toEqual(change.state);
      expect(change.state).toEqual((await journal.at(change.version)).state);
    }
    expect(journal.state).toEqual(state);
  });

  test("of a refusal change nothing", async () => {
    const journal = await stream.open();
    const changes = follow(journal);
    await journal.refs.remove("absent");
    const [change] = await take(changes, 1);
    expect(change).toMatchObject({ version: 1, event: { type: "action.refused" }, patch: [] });
  });

  test("of refs are small: the oldest out and one in are two operations", async () => {
    const journal = await stream.open();
    await journal.refs.set(Array.from({ length: 50 }, (_, index) => `ref ${index}`));
    const changes = follow(journal);
    await journal.refs.add("new");
    const [change] = await take(changes, 1);
    expect(change?.patch).toEqual([
      { op: "remove", path: "/refs/0" },
      { op: "add", path: "/refs/49", value: "new" },
    ]);
  });

  test("wait for a slow consumer, who gets every one", async () => {
    const journal = await stream.open();
    const changes = follow(journal);
    await write(journal, 1);
    await take(changes, 1);
    for (let batch = 0; batch < 10; batch++) {
      await journal.applyAll(Array.from({ length: 60 }, (_, index) => ({ action: "set_notes", content: `${index}` })));
    }
    const writing = write(journal, 20);
    const taken = await take(changes, 620);
    await writing;
    expect(versionsOf(taken)).toEqual(numbers(2, 621));
    expect(taken.at(-1)?.state).toEqual(journal.state);
  });

  test("end where the loop is left, and with return, also while one is awaited", async () => {
    const journal = await stream.open();
    await write(journal, 2);
    for await (const change of follow(journal, { from: 0 })) {
      if (change.version === 1) break;
    }
    const changes = follow(journal, { from: 0 });
    await take(changes, 2);
    const awaited = changes.next();
    await journal.refresh();
    await changes.return?.();
    expect(await awaited).toEqual({ done: true, value: undefined });
    expect(await changes.next()).toEqual({ done: true, value: undefined });
    const never = follow(journal);
    await never.return?.();
    expect(await never.next()).toEqual({ done: true, value: undefined });
  });

  test("end with their signal, at once where it was given before", async () => {
    const journal = await stream.open();
    const control = new AbortController();
    await write(journal, 1);
    const changes = follow(journal, { from: 0, signal: control.signal });
    await take(changes, 1);
    const awaited = changes.next();
    await journal.refresh();
    control.abort();
    expect((await awaited).done).toBe(true);
    expect((await follow(journal, { signal: AbortSignal.abort() }).next()).done).toBe(true);
  });

  test("end when the journal is closed, after what it had still to tell", async () => {
    const journal = await stream.open();
    const changes = follow(journal);
    const idle = follow(journal);
    const untouched = follow(journal);
    const first = changes.next();
    const awaited = idle.next();
    await journal.notes.set("1");
    await awaited;
    const ended = idle.next();
    await journal.notes.set("2");
    await ended;
    const last = idle.next();
    await journal.close();
    expect([(await first).value?.version, ...versionsOf(await take(changes, 9))]).toEqual([1, 2]);
    expect((await last).done).toBe(true);
    expect((await untouched.next()).done).toBe(true);
    await expect(journal.changes().next()).rejects.toMatchObject({ code: "closed" });
    expect(() => journal.onChange(() => undefined)).toThrow(expect.objectContaining({ code: "closed" }));
  });

  test("are lost to who iterates from the beginning and is still busy when the journal is closed", async () => {
    const journal = await stream.open();
    const seen: number[] = [];
    const following = (async () => {
      for await (const { version } of follow(journal, { from: 0 })) {
        seen.push(version);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    for (const text of ["1", "2", "3"]) await journal.notes.set(text);
    await journal.close();
    await following;
    expect(seen).toEqual([1, 2, 3]);
  });

  test.each([
    ["from now on", undefined],
    ["from the beginning", 0],
  ])("are all told to who follows %s and is far behind when the journal is closed", async (_, from) => {
    const journal = await stream.open();
    await write(journal, 2);
    const changes = follow(journal, from === undefined ? {} : { from });
    const first = changes.next();
    await journal.notes.set("3");
    const told = [(await first).value as Change];
    for (let batch = 0; batch < 10; batch++)
      await journal.applyAll(numbers(1, 60).map((index) => ({ action: "set_notes", content: `${batch} ${index}` })));
    await take(changes, 1).then((taken) => told.push(...taken));
    await journal.close();
    told.push(...(await take(changes, 1000)));
    expect(versionsOf(told)).toEqual(numbers(from === undefined ? 3 : 1, 603));
    expect(told.at(-1)?.state).toEqual(journal.state);
  });

  test("that come before the first one can be told are all told, however many they are", async () => {
    const journal = await stream.open();
    const changes = follow(journal);
    const first = changes.next();
    await Promise.all(numbers(1, 400).map((index) => journal.notes.set(`${index}`)));
    const told = [(await first).value as Change, ...(await take(changes, 399))];
    expect(versionsOf(told)).toEqual(numbers(1, 400));
  });

  test("are told to each who asked for them before, though an earlier one is still to be told, and to nobody else", async () => {
    const journal = await stream.open();
    const first = follow(journal);
    const [told, listened]: [unknown[], number[]] = [[first.next()], []];
    await journal.notes.set("1");
    journal.onChange(({ version }) => listened.push(version));
    told.push(follow(journal).next());
    await journal.notes.set("2");
    await journal.close();
    expect(await Promise.all(told)).toMatchObject([{ value: { version: 1 } }, { value: { version: 2 } }]);
    expect(listened).toEqual([2]);
  });

  test("are told to a listener as soon as the journal has moved, until it stops listening", async () => {
    const journal = await stream.open();
    const seen: [number, boolean][] = [];
    const stop = journal.onChange((change) => seen.push([change.version, journal.state === change.state]));
    await write(journal, 2);
    expect(seen).toEqual([
      [1, true],
      [2, true],
    ]);
    stop();
    stop();
    await write(journal, 1);
    expect(seen).toHaveLength(2);
  });

  test("of others reach a listener without being asked for", async () => {
    const journal = await stream.open();
    const other = await stream.open();
    const versions: number[] = [];
    journal.onChange(({ version }) => versions.push(version));
    await write(other, 3);
    await vi.waitFor(() => expect(versions).toEqual([1, 2, 3]), { timeout: 30_000 });
  });

  test("that make a listener throw harm neither the writer nor the other listeners", async () => {
    const journal = await stream.open();
    const later = vi.spyOn(globalThis, "queueMicrotask").mockImplementation(() => undefined);
    const versions: number[] = [];
    journal.onChange(() => {
      throw new Error("a listener's own");
    });
    journal.onChange(({ version }) => versions.push(version));
    const answer = await journal.notes.set("x");
    const thrown = later.mock.calls.map(([task]) => task);
    later.mockRestore();
    expect(answer.ok).toBe(true);
    expect(versions).toEqual([1]);
    expect(thrown.some((task) => throws(task, "a listener's own"))).toBe(true);
  });

  test("keep the state of a following journal in step", async () => {
    const other = await stream.open();
    const journal = await stream.open({ follow: true, readonly: true });
    await write(other, 3);
    await vi.waitFor(() => expect([journal.version, journal.state.notes]).toEqual([3, "2"]), { timeout: 30_000 });
  });

  test("take no options but theirs", async () => {
    const journal = await stream.open();
    expect(() => journal.changes({ from: -1 })).toThrow('option "from" must be a version');
    expect(() => journal.changes({ signal: {} as AbortSignal })).toThrow('option "signal" must be an AbortSignal');
    expect(() => journal.onChange("x" as never)).toThrow("onChange takes a function");
  });
});

test("a session file that was rewritten, or whose branch changed, is told as a reset", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
  const file = path.join(folder, "session.jsonl");
  const writer = await openJournal(file, { durability: "os", fold: "branch" });
  const message = (id: string, parentId: string | null) =>
    fs.appendFileSync(file, `${JSON.stringify({ type: "message", id, parentId })}\n`);
  message("aaaaaaaa", null);
  await writer.notes.set("before");
  message("bbbbbbbb", "aaaaaaaa");
  await writer.notes.set("on a branch");
  await writer.close();
  const journal = await openJournal(file, { readonly: true, fold: "branch" });
  const changes = follow(journal);
  const rewound = changes.next();
  message("cccccccc", "aaaaaaaa");
  const replace = (value: string) => [{ op: "replace", path: "/notes", value }];
  expect((await rewound).value).toMatchObject({
    reason: "branch",
    state: { notes: "before" },
    patch: replace("before"),
  });
  const rewritten = changes.next();
  fs.copyFileSync(file, `${file}.new`);
  fs.renameSync(`${file}.new`, file);
  expect((await rewritten).value).toMatchObject({ reason: "rewritten", state: { notes: "before" }, patch: [] });
  await journal.close();
  fs.rmSync(folder, { recursive: true });
});

test("each patch leads on from the state told before, also where the journal has not seen yet that its file was rewritten", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
  const file = path.join(folder, "session.jsonl");
  const written = async (...refs: string[]): Promise<string> => {
    const writer = await openJournal(file, { durability: "os" });
    await writer.refs.set(refs);
    await writer.close();
    return fs.readFileSync(file, "utf8");
  };
  const before = await written("before");
  fs.writeFileSync(file, `${before.split("\n")[0]}\n`);
  const after = await written("after", "and more");
  fs.writeFileSync(file, before);
  const journal = await openJournal(file, { readonly: true });
  fs.writeFileSync(`${file}.new`, after);
  fs.renameSync(`${file}.new`, file);
  let state: unknown = structuredClone(initialState);
  for await (const change of journal.changes({ from: 0 })) {
    state = jsonPatch.applyPatch(state, structuredClone(change.patch) as never).newDocument;
    expect(state).toEqual(change.state);
    if (change.type === "reset" && change.state.refs.length === 2) break;
  }
  await journal.close();
  fs.rmSync(folder, { recursive: true });
});

function throws(task: () => void, message: string): boolean {
  try {
    task();
  } catch (error) {
    return (error as Error).message === message;
  }
  return false;
}

/** Counts what is open. */
function counted(store: JournalStore) {
  const count = { watchers: 0, watched: 0, readings: 0 };
  const watch: JournalStore["watch"] = async (wake) => {
    count.watchers += 1;
    count.watched += 1;
    const unwatch = await store.watch(wake);
    return async () => {
      count.watchers -= 1;
      await unwatch();
    };
  };
  const read: JournalStore["read"] = async function* (from) {
    count.readings += 1;
    try {
      yield* store.read(from);
    } finally {
      count.readings -= 1;
    }
  };
  const wrapped = new Proxy(store, {
    get: (target, name) => {
      if (name === "watch") return watch;
      if (name === "read") return read;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { store: wrapped, count };
}

test("however many follow, there is one watcher, and none when they have gone", async () => {
  const { store, count } = counted(memoryStore());
  const journal = await openJournal(store);
  const stops = Array.from({ length: 10 }, () => journal.onChange(() => undefined));
  const all = Array.from({ length: 10 }, () => follow(journal, { from: 0 }));
  await write(journal, 3);
  for (const changes of all) expect(versionsOf(await take(changes, 3))).toEqual([1, 2, 3]);
  expect(count).toMatchObject({ watchers: 1, watched: 1 });
  for (const stop of stops) stop();
  for (const changes of all) await changes.return?.();
  await vi.waitFor(() => expect(count).toMatchObject({ watchers: 0, readings: 0 }), { timeout: 30_000 });
  await journal.close();
});

test("ten thousand subscriptions, left in any way, leave nothing behind", async () => {
  const { store, count } = counted(memoryStore());
  const journal = await openJournal(store);
  await write(journal, 3);
  for (let round = 0; round < 10_000; round++) {
    if (round % 4 === 0) journal.onChange(() => undefined)();
    else if (round % 4 === 1) journal.changes({ from: 0 });
    else {
      const changes = journal.changes({ from: round % 4 === 2 ? 0 : 3 });
      const awaited = changes.next();
      if (round % 4 === 2) await awaited;
      await changes.return?.();
    }
  }
  await vi.waitFor(() => expect(count).toMatchObject({ watchers: 0, readings: 0 }), { timeout: 30_000 });
  await journal.close();
});

test("a close neither holds a long history for who is far behind nor ends as if all of it was told", async () => {
  const journal = await openJournal(memoryStore());
  for (let batch = 0; batch < 21; batch++)
    await journal.applyAll(numbers(1, 500).map((index) => ({ action: "set_notes", content: `${batch} ${index}` })));
  const changes = follow(journal, { from: 100 });
  expect((await changes.next()).value).toMatchObject({ version: 101 });
  await journal.close();
  const end = await changes.next().catch((error: unknown) => error);
  expect(end).toMatchObject({ code: "closed", message: expect.stringContaining("changes({ from: 101 })") });
  expect(await changes.next()).toEqual({ done: true, value: undefined });
});

test("a close tells who begins near the end of a long history what is left of it", async () => {
  const journal = await openJournal(memoryStore());
  for (let batch = 0; batch < 21; batch++)
    await journal.applyAll(numbers(1, 500).map((index) => ({ action: "set_notes", content: `${batch} ${index}` })));
  const changes = follow(journal, { from: 10_497 });
  const first = changes.next();
  await journal.close();
  expect(versionsOf([(await first).value as Change, ...(await take(changes, 9))])).toEqual([10_498, 10_499, 10_500]);
});

test("a journal that is closed watches no more", async () => {
  const { store, count } = counted(memoryStore());
  const journal = await openJournal(store, { follow: true });
  journal.onChange(() => undefined);
  expect(count.watchers).toBe(1);
  await journal.close();
  expect(count.watchers).toBe(0);
});

test("where a reading fails the iteration does, and can be taken up again where it was", async () => {
  const inner = memoryStore();
  const broken = { now: false };
  const store = new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (name === "catchUp" && broken.now) return () => Promise.reject(new Error("the disk is gone"));
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const journal = await openJournal(store);
  const writer = new StoreReader(inner);
  const changes = follow(journal);
  const first = changes.next();
  await sleep(20);
  await writer.append(mark("w", 0));
  expect((await first).value).toMatchObject({ version: 1 });
  broken.now = true;
  await writer.append(mark("w", 1));
  await expect(changes.next()).rejects.toThrow("the disk is gone");
  broken.now = false;
  expect(versionsOf(await take(follow(journal, { from: 1 }), 1))).toEqual([2]);
  await journal.close();
});

test("a history that became another one is told as one reset, to quick and slow alike", async () => {
  const histories = [["one", "two", "three"], ["other"]];
  const made = histories.map(() => memoryStore({ sessionId: "s" }));
  for (const [index, texts] of histories.entries()) {
    const writer = new StoreReader(made[index] as JournalStore);
    for (const text of texts) await writer.commit(() => newDraft({ event: { type: "notes.set", text }, actor: "w" }));
  }
  let current = 0;
  const store = new Proxy(made[0] as JournalStore, {
    get: (_, name) => {
      const target = made[current] as JournalStore;
      const generation = current + 1;
      if (name === "loadSnapshot") return async () => undefined;
      if (name !== "catchUp") {
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      }
      const catchUp: JournalStore["catchUp"] = async (from, sink) => {
        const same = from === undefined || from.generation === generation;
        if (!same) sink.reset("branch");
        const end = await target.catchUp(same && from !== undefined ? { ...from, generation: 0 } : undefined, sink);
        return { ...end, generation };
      };
      return catchUp;
    },
  });
  const journal = await openJournal(store);
  const quick = follow(journal);
  const awaited = quick.next();
  const slow = follow(journal, { from: 0 });
  await take(slow, 1);
  const heard: string[] = [];
  journal.onChange((change) => heard.push(change.type));
  await sleep(20);
  current = 1;
  await journal.refresh();
  const reset = { type: "reset", reason: "branch", version: 1, state: { notes: "other" } };
  expect((await awaited).value).toMatchObject({ ...reset, patch: [{ op: "replace", path: "/notes", value: "other" }] });
  expect((await take(slow, 1))[0]).toMatchObject(reset);
  expect(heard).toEqual(["reset"]);
  await journal.close();
});

test.each([
  ["changes that are aborted", (journal: Journal, signal: AbortSignal) => journal.changes({ from: 0, signal }), true],
  ["changes of a journal that is closed", (journal: Journal) => journal.changes({ from: 0 }), false],
  ["the history of a journal that is closed", (journal: Journal) => journal.history(), false],
] as const)("%s leave no reading under way, though nobody asks on", async (_, begin, aborts) => {
  const { store, count } = counted(memoryStore());
  const journal = await openJournal(store);
  await write(journal, 3);
  const stop = new AbortController();
  expect((await begin(journal, stop.signal).next()).value).toMatchObject({ version: 1 });
  expect(count.readings).toBe(1);
  if (aborts) {
    stop.abort();
    await vi.waitFor(() => expect(count).toMatchObject({ watchers: 0, readings: 0 }), { timeout: 30_000 });
  }
  await journal.close();
  expect(count).toMatchObject({ watchers: 0, readings: 0 });
});

test("where what is left cannot be read at a close, the iteration says so, and the journal is closed all the same", async () => {
  const broken = { now: false };
  const store = new Proxy(memoryStore(), {
    get: (target, name) => {
      if (name === "read" && broken.now) throw new Error("the disk is gone");
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const journal = await openJournal(store);
  await write(journal, 3);
  const changes = follow(journal, { from: 0 });
  await take(changes, 1);
  broken.now = true;
  await journal.close();
  await expect(changes.next()).rejects.toThrow("the disk is gone");
  expect((await changes.next()).done).toBe(true);
});
