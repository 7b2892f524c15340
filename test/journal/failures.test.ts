import { describe, expect, test } from "vitest";
import { StorageError, UnknownEventError } from "../../src/errors.ts";
import type { Draft } from "../../src/event/commit.ts";
import type { Journal } from "../../src/journal/public.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { JournalStore } from "../../src/stream/stream-store.ts";
import { mark, newDraft, StoreReader } from "../../src/testing/store-reader.ts";
import { parts } from "../store/handles.ts";
import { historyOf, typesOf } from "./streams.ts";

/** A store whose parts can be replaced while a journal is open on it. */
function patchable(inner: JournalStore = memoryStore()) {
  return { inner, store: parts(inner) };
}

describe("a commit that fails", () => {
  test("rejects every call in it, and the next is on its own", async () => {
    const { inner, store } = patchable();
    const journal = await openJournal(store);
    store.commit = () => Promise.reject(new StorageError("disk full", "not-written"));
    const results = await Promise.allSettled([journal.notes.set("a"), journal.plan.set("b"), journal.applyUnknown({})]);
    expect(results.map((result) => result.status === "rejected" && result.reason.code)).toEqual([
      "storage",
      "storage",
      "storage",
    ]);
    store.commit = (from, sink, decide) => inner.commit(from, sink, decide);
    expect((await journal.notes.set("c")).version).toBe(1);
  });

  test("after the append is found by its command when it is asked again", async () => {
    const { inner, store } = patchable();
    const journal = await openJournal(store);
    store.commit = async (from, sink, decide) => {
      await inner.commit(from, sink, decide);
      throw new StorageError("fsync failed", "unknown");
    };
    const add = { action: "refs.add", ref: "r" };
    await expect(journal.applyUnknown(add, { command: "c1" })).rejects.toMatchObject({ fate: "unknown" });
    store.commit = (from, sink, decide) => inner.commit(from, sink, decide);
    expect(await journal.applyUnknown(add, { command: "c1" })).toMatchObject({ ok: true, version: 1 });
    expect(journal.state.refs).toEqual(["r"]);
    expect(await typesOf(journal)).toEqual(["ref.added"]);
  });
});

describe("a store that decides again", () => {
  test("gets the same calls in the same commit, decided on the newer state", async () => {
    const { inner, store } = patchable();
    const journal = await openJournal(store);
    const drafts: (Draft | undefined)[] = [];
    store.commit = async (from, sink, decide) => {
      drafts.push(decide(await inner.catchUp(from, sink)));
      await new StoreReader(inner).append({ event: { type: "notes.set", text: "theirs" }, actor: "rival" });
      void journal.notes.append("came later");
      const position = { generation: 1, version: 0 };
      store.commit = (at, into, again) => inner.commit(at, into, again);
      return inner.commit(position, sink, (end) => {
        const draft = decide(end);
        drafts.push(draft);
        return draft;
      });
    };
    const answers = await Promise.all([journal.notes.append("one"), journal.notes.append("two")]);
    expect(drafts.map((draft) => [draft?.id === drafts[0]?.id, draft?.events.length])).toEqual([
      [true, 2],
      [true, 2],
    ]);
    expect(answers.map(({ version, used }) => [version, used])).toEqual([
      [2, "theirs\none".length],
      [3, "theirs\none\ntwo".length],
    ]);
    await journal.refresh();
    expect(journal.state.notes).toBe("theirs\none\ntwo\ncame later");
  });
});

describe("a command that the store thinks it knows", () => {
  test("but that is not in the stream is carried out", async () => {
    const { store } = patchable();
    store.knows = () => true;
    const journal = await openJournal(store);
    expect(await journal.apply({ action: "refs.add", ref: "r" }, { command: "c1" })).toMatchObject({ version: 1 });
    expect(await journal.apply({ action: "refs.add", ref: "r" }, { command: "c1" })).toMatchObject({ version: 1 });
    expect(journal.state.refs).toEqual(["r"]);
  });

  test("and that comes in between looking it up and deciding is not carried out twice", async () => {
    const { inner, store } = patchable();
    store.knows = () => true;
    const journal = await openJournal(store);
    let looked = 0;
    store.read = async function* (from) {
      yield* inner.read(from);
      looked += 1;
      const theirs = { event: { type: "ref.added", ref: "r" }, actor: "rival", command: "c1" } as const;
      if (looked === 1) await new StoreReader(inner).append(theirs);
    };
    expect(await journal.apply({ action: "refs.add", ref: "r" }, { command: "c1" })).toMatchObject({ version: 1 });
    expect(journal.state.refs).toEqual(["r"]);
  });

  test("and refuses, although it shows it nowhere, is an error and no endless loop", async () => {
    const { inner, store } = patchable();
    store.knows = (command) => command === "c1";
    store.commit = async (from, sink, decide) => {
      for (;;) {
        const draft = decide(await inner.catchUp(from, sink));
        const isRefused = draft?.events.some(({ command }) => command === "c1") ?? false;
        if (!isRefused) return inner.commit(from, sink, () => draft);
      }
    };
    const journal = await openJournal(store);
    const [taken, other] = await Promise.allSettled([
      journal.apply({ action: "refs.add", ref: "r" }, { command: "c1" }),
      journal.apply({ action: "refs.add", ref: "r" }, { command: "c2" }),
    ]);
    expect(taken).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining("another branch") } });
    expect(other).toMatchObject({ status: "fulfilled", value: { version: 1 } });
  });

  test("and cannot look up rejects that call alone", async () => {
    const { store } = patchable();
    const journal = await openJournal(store);
    await journal.apply({ action: "refs.add", ref: "r" }, { command: "c1" });
    store.read = () => {
      throw new StorageError("unreadable", "not-written");
    };
    const [again, other] = await Promise.allSettled([
      journal.apply({ action: "refs.add", ref: "r" }, { command: "c1" }),
      journal.notes.set("fine"),
    ]);
    expect(again).toMatchObject({ status: "rejected", reason: { code: "storage" } });
    expect(other).toMatchObject({ status: "fulfilled", value: { version: 2 } });
  });
});

describe("an event of a newer version", () => {
  async function withUnknown(): Promise<Journal> {
    const store = memoryStore();
    const sung = { type: "unknown", name: "notes.sung", payload: { text: "la" } } as const;
    await new StoreReader(store).commit(() => newDraft(mark("w"), { event: sung, actor: "future" }, mark("w", 1)));
    return openJournal(store);
  }

  test("is read over", async () => {
    const journal = await withUnknown();
    expect([journal.version, journal.state.notes]).toEqual([3, "w 0\nw 1"]);
    expect((await historyOf(journal))[1]?.event).toMatchObject({ type: "unknown", name: "notes.sung" });
    expect((await journal.verify()).findings).toMatchObject([{ kind: "unknown_event" }]);
  });

  test("blocks writing, naming its place, version and type", async () => {
    const journal = await withUnknown();
    for (const write of [() => journal.notes.set("x"), () => journal.beginTurn(), () => journal.restore(1)]) {
      await expect(write()).rejects.toBeInstanceOf(UnknownEventError);
      await expect(write()).rejects.toMatchObject({
        code: "unknown_event",
        message: expect.stringMatching(/^memory:.*version 2.*"notes\.sung"/),
      });
    }
    expect((await historyOf(journal)).length).toBe(3);
  });

  test("is not left out of the state of a child without a word", async () => {
    const journal = await withUnknown();
    for (const beget of [() => journal.fork(memoryStore()), () => journal.spawn(memoryStore(), { copy: true })]) {
      await expect(beget()).rejects.toMatchObject({
        code: "unknown_event",
        message: expect.stringMatching(/version 2.*"notes\.sung".*fork at v1$/),
      });
    }
    expect((await journal.fork(memoryStore(), { at: "v1" })).state.notes).toBe("w 0");
    expect((await journal.spawn(memoryStore())).state.notes).toBe("");
  });
});

test("a measure that throws rejects its own call only", async () => {
  const measure = (text: string) => {
    if (text.includes("boom")) throw new Error("cannot measure");
    return text.length;
  };
  const journal = await openJournal(memoryStore(), { measure });
  const [bad, good] = await Promise.allSettled([journal.notes.set("boom"), journal.notes.set("fine")]);
  expect(bad).toMatchObject({ status: "rejected", reason: { message: "cannot measure" } });
  expect(good).toMatchObject({ status: "fulfilled", value: { version: 1 } });
});
