/** Two make the same place at the same time. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { redactJournal } from "../../src/open/redact-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { JournalStore } from "../../src/stream/stream-store.ts";
import { parts } from "../store/handles.ts";

const root = path.resolve(import.meta.dirname, "../..");

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-at-once-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const database = (name = "j"): string => `sqlite:${path.join(folder, name)}.db`;

async function source(count: number): Promise<JournalStore> {
  const store = memoryStore({ sessionId: "s" });
  const journal = await openJournal(store);
  for (let each = 1; each < count; each++) await journal.notes.set(`apple and banana ${each}`);
  // Nothing is taken out of the newest commit, so that it is the same in every copy.
  await journal.plan.set("go on");
  return store;
}

/** `task` is done where the records of `store` are read for the `count`th time. */
function interrupted(store: JournalStore, count: number, task: () => Promise<unknown>) {
  const met = { readings: 0 };
  const records = async function* () {
    met.readings += 1;
    if (met.readings === count) await task();
    yield* store.records();
  };
  return { met, store: { ...parts(store), records } };
}

test.each(["fork", "spawn"] as const)(
  "a %s into a session that somebody else begins at once changes nothing there",
  async (way) => {
    const parent = await openJournal(await source(1));
    const inner = memoryStore();
    const other = await openJournal(inner);
    const commit: JournalStore["commit"] = async (...call) => {
      if (other.version === 0) await other.notes.set("of another");
      return inner.commit(...call);
    };
    await expect(parent[way]({ ...parts(inner), commit })).rejects.toMatchObject({
      code: "storage",
      fate: "not-written",
      message: expect.stringContaining("already holds a journal at version 1: name a session that has none"),
    });
    await other.refresh();
    expect([other.version, other.state.notes]).toEqual([1, "of another"]);
  },
);

test("a copy that another copy overtakes goes on behind it", async () => {
  let [reading, last] = [0, 0];
  for (; reading <= last; reading++) {
    const [from, to] = [await source(300), database(`${reading}`)];
    const grows = async () => {
      await (await openJournal(from)).notes.set("later");
      await copyJournal(from, to);
    };
    const { met, store } = interrupted(from, reading, grows);
    const done = await copyJournal(store, to);
    if (reading === 0) last = met.readings;
    expect(done.version).toBe(reading === 0 ? 300 : 301);
    await using copy = await openJournal(`${to}#s`, { readonly: true });
    expect([copy.version, (await copy.verify()).findings]).toEqual([done.version, []]);
  }
  expect(last).toBeGreaterThan(2);
});

test("the session of another client that two import at once is there once", async () => {
  const session = path.join(root, "fixtures/sessions/claude-code/2.1.39-tasks-compaction.jsonl");
  const inner = memoryStore({ sessionId: "s" });
  let others = 0;
  const importRecords: JournalStore["importRecords"] = async (...what) => {
    others += 1;
    if (others === 1) await copyJournal(session, inner);
    return inner.importRecords(...what);
  };
  const { version } = await copyJournal(session, memoryStore({ sessionId: "s" }));
  expect(await copyJournal(session, { ...parts(inner), importRecords })).toMatchObject({ version });
  await using journal = await openJournal(inner, { readonly: true });
  expect([others, journal.version, (await journal.verify()).findings]).toEqual([1, version, []]);
});

test("a redacted copy never holds what somebody else put there at the same time", async () => {
  const others = [copyJournal, (from: JournalStore, to: string) => redactJournal(from, to, { text: "banana" })];
  for (const [index, other] of others.entries()) {
    let [reading, last] = [0, 0];
    for (; reading <= last; reading++) {
      const [from, to] = [await source(3), database(`${index} ${reading}`)];
      const { met, store } = interrupted(from, reading, () => other(from, to));
      const redacting = redactJournal(store, to, { text: "apple" });
      if (reading === 0) await redacting;
      else
        await expect(redacting).rejects.toThrow(/already holds a journal at version \d: name a session that has none/);
      if (reading === 0) last = met.readings;
      await using copy = await openJournal(`${to}#s`, { readonly: true });
      expect([reading > 0, (await copy.verify()).ok]).toEqual([copy.state.notes.includes("apple"), true]);
    }
    expect(last).toBeGreaterThan(2);
  }
});
