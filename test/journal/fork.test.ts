import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { sessionFileStore } from "../../src/store/session-file/session-file-store.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-fork-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const fileOf = (name: string): string => path.join(folder, `${name}.jsonl`);
const headerOf = (file: string): { id: string; parentSession?: string } =>
  JSON.parse(fs.readFileSync(file, "utf8").split("\n")[0] as string);

async function firstOf<Item>(items: AsyncIterable<Item>): Promise<Item | undefined> {
  for await (const item of items) return item;
  return undefined;
}

async function parentWithTwoNotes() {
  const parent = await openJournal(fileOf("parent"));
  await parent.notes.set("first");
  await parent.notes.append("second");
  return parent;
}

test("a fork at a point begins with that state and records session, version and hash", async () => {
  await using parent = await parentWithTwoNotes();
  await using child = await parent.fork(fileOf("child"), { at: "v1" });
  expect(child.state.notes).toBe("first");
  expect(headerOf(fileOf("child")).parentSession).toBe(fileOf("parent"));
  const first = await firstOf(child.history());
  const { hash } = await hashAt(parent, 1);
  expect(first?.event).toMatchObject({
    type: "session.forked",
    from: { session: headerOf(fileOf("parent")).id, version: 1, hash },
  });
});

async function hashAt(parent: Awaited<ReturnType<typeof openJournal>>, version: number): Promise<{ hash: string }> {
  const commits = fs
    .readFileSync(fileOf("parent"), "utf8")
    .split("\n")
    .filter((line) => line.includes(":events"))
    .map((line) => JSON.parse(line).data as { version: number; hash: string });
  expect(parent.version).toBeGreaterThanOrEqual(version);
  return commits.find((commit) => commit.version === version) as { hash: string };
}

test("parent and child do not hear of each other's changes", async () => {
  await using parent = await parentWithTwoNotes();
  await using child = await parent.fork(fileOf("child"));
  await child.notes.set("child's");
  await parent.plan.set("parent's");
  await child.refresh();
  expect(child.state).toMatchObject({ notes: "child's", plan: "" });
  expect(parent.state).toMatchObject({ notes: "first\nsecond", plan: "parent's" });
});

test("a child stands alone once its parent is gone", async () => {
  const parent = await parentWithTwoNotes();
  const child = await parent.fork(fileOf("child"));
  await parent.close();
  await child.close();
  fs.rmSync(fileOf("parent"));
  await using again = await openJournal(fileOf("child"));
  expect(again.state.notes).toBe("first\nsecond");
  expect((await again.verify()).findings).toEqual([]);
});

test("a commit that is missing in a child of ours is damage, though its header names a parent", async () => {
  await using parent = await parentWithTwoNotes();
  await using child = await parent.fork(fileOf("child"));
  for (const text of ["a", "b", "c"]) await child.notes.append(text);
  const lines = fs.readFileSync(fileOf("child"), "utf8").split("\n");
  const commits = lines.filter((line) => line.includes(":events"));
  fs.writeFileSync(fileOf("child"), lines.filter((line) => line !== commits[2]).join("\n"));
  const { ok, findings } = await child.verify();
  expect(ok).toBe(false);
  expect(findings.map(({ kind }) => kind)).toContain("gap");
});

test("a spawned child is empty, or a copy when asked, and knows its origin either way", async () => {
  await using parent = await parentWithTwoNotes();
  await using empty = await parent.spawn(fileOf("empty"));
  await using copy = await parent.spawn(memoryStore(), { copy: true });
  expect(empty.state.notes).toBe("");
  expect(copy.state.notes).toBe("first\nsecond");
  for (const child of [empty, copy]) {
    const first = await firstOf(child.history());
    expect(first?.event).toMatchObject({ type: "session.forked", from: { version: 2 } });
  }
});

test("a session that has a history cannot become a child", async () => {
  await using parent = await parentWithTwoNotes();
  const other = await openJournal(fileOf("other"));
  await other.notes.set("mine");
  await other.close();
  await expect(parent.fork(fileOf("other"))).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  await expect(parent.fork(fileOf("child"), { at: "v9" })).rejects.toMatchObject({ code: "bad_point" });
  expect(fs.existsSync(fileOf("child"))).toBe(false);
});

test("a state that no line can carry is refused before the child is made", async () => {
  await using parent = await openJournal(fileOf("parent"), { limits: { entry: 1 << 20, entriesTotal: 1 << 21 } });
  for (const key of ["a", "b", "c", "d", "e", "f"]) await parent.entries.write(key, "\u2028".repeat(33_000));
  for (const begotten of [parent.fork(fileOf("child")), parent.spawn(fileOf("child"), { copy: true })]) {
    await expect(begotten).rejects.toMatchObject({
      code: "storage",
      fate: "not-written",
      message: expect.stringMatching(/shorten what is long in it, or spawn a child without it/),
    });
  }
  expect(fs.existsSync(fileOf("child"))).toBe(false);
  await (await parent.spawn(fileOf("child"))).close();
});

test("a parent that is replaced while it is forked gives its child state and hash of one history", async () => {
  const store = sessionFileStore(fileOf("parent"));
  await using parent = await openJournal(store);
  await parent.notes.set("first");
  await parent.notes.append("second");
  const header = fs.readFileSync(fileOf("parent"), "utf8").split("\n")[0];
  fs.writeFileSync(fileOf("other"), `${header}\n`);
  await using other = await openJournal(fileOf("other"));
  for (const text of ["another first", "another second"]) await other.notes.set(text);
  const { headAt } = store;
  store.headAt = (version) => {
    if (fs.existsSync(fileOf("other"))) fs.renameSync(fileOf("other"), fileOf("parent"));
    return headAt.call(store, version);
  };
  await using child = await parent.fork(fileOf("child"), { at: "v2" });
  expect(child.state.notes).toBe("another second");
  const { hash } = other.head;
  expect((await firstOf(child.history()))?.event).toMatchObject({ from: { version: 2, hash } });
});
