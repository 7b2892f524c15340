import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { sessionFileStore } from "../../src/store/session-file/session-file-store.ts";
import { testClock, testIds } from "../../src/testing/faulty-clock.ts";
import { faultyFiles } from "../../src/testing/faulty-files.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-faulty-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

test("a full disk is a StorageError, and what is written afterwards is there", async () => {
  const file = path.join(folder, "session.jsonl");
  const journal = await openJournal(file, { durability: "os" });
  await journal.notes.set("before");
  const end = faultyFiles([{ on: "write", error: "ENOSPC", times: 9 }]);
  const failure = await journal.notes.set("during").catch((error: unknown) => error);
  end();
  expect(failure).toMatchObject({ code: "storage", cause: { code: "ENOSPC" } });
  await journal.notes.append("after");
  await journal.close();
  await using again = await openJournal(file);
  expect(again.state.notes).toBe("before\nafter");
  expect((await again.verify()).ok).toBe(true);
});

test("a call fails by its number and its path, a short write writes half, and in the end all is as before", () => {
  const { openSync, writeFileSync, readFileSync } = fs;
  const file = path.join(folder, "a");
  const end = faultyFiles([
    { on: "read", error: "EIO", call: 2, path: "/a" },
    { on: "write", error: "SHORT" },
  ]);
  try {
    expect(() => faultyFiles([])).toThrow("in force already");
    const descriptor = fs.openSync(file, "w");
    expect(fs.writeSync(descriptor, "12345678")).toBe(4);
    fs.closeSync(descriptor);
    expect(fs.readFileSync(file, "utf8")).toBe("1234");
    expect(() => fs.readFileSync(file)).toThrow(expect.objectContaining({ code: "EIO" }));
    expect(fs.readFileSync(file, "utf8")).toBe("1234");
  } finally {
    end();
  }
  expect([fs.openSync, fs.writeFileSync, fs.readFileSync]).toEqual([openSync, writeFileSync, readFileSync]);
});

test("under a clock and ids of a test, two runs have the same head; a clock that jumps changes times alone", async () => {
  const run = async (jumps: readonly { call: number; byMs: number }[]) => {
    const journal = await openJournal(memoryStore({ sessionId: "s", clock: testClock({ jumps }), ids: testIds() }));
    await journal.notes.set("one");
    await journal.notes.append("two");
    const times: string[] = [];
    for await (const { at } of journal.history()) times.push(at);
    return { head: journal.head, times, notes: journal.state.notes };
  };
  const plain = await run([]);
  expect(await run([])).toEqual(plain);
  expect(plain.times).toEqual(["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:01.000Z"]);
  const jumped = await run([{ call: 2, byMs: -86_400_000 }]);
  expect(jumped).toMatchObject({ notes: plain.notes, times: [plain.times[0], "2025-12-31T00:00:01.000Z"] });
});

test("the clock of a session file's store is that of the journal on it", async () => {
  const store = sessionFileStore(path.join(folder, "s.jsonl"), { clock: testClock({ stepMs: 0 }) });
  await using journal = await openJournal(store);
  await journal.notes.set("x");
  for await (const { at } of journal.history()) expect(at).toBe("2026-01-01T00:00:00.000Z");
  await store.close();
});
