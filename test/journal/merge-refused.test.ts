import { expect, test } from "vitest";
import { allOf } from "../../src/journal/readings.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";

const large = { limits: { notes: 10_000, refs: 100 } };

test("a merge into an entry that somebody holds writes nothing, a dry run says so, and it can be made later", async () => {
  const parent = await openJournal(memoryStore(), { actor: "ann" });
  const child = await parent.fork(memoryStore());
  await child.notes.set("The test needs TZ=UTC");
  await child.entries.write("port", "9090");
  await parent.entries.claim("port", { ttlSeconds: 600 });
  const { version } = parent;
  for (const dryRun of [true, false]) {
    const { ok, message, answers } = await parent.merge(child, { dryRun });
    expect([ok, message, answers]).toEqual([false, expect.stringMatching(/^not merged: .*held by "ann"/), []]);
  }
  expect(parent.version).toBe(version);
  await parent.entries.release("port");
  expect(await parent.merge(child)).toMatchObject({ ok: true });
  expect(parent.state).toMatchObject({ notes: "The test needs TZ=UTC", entries: { port: "9090" } });
});

test("a merge that was recorded as refused is not taken for made", async () => {
  const parent = await openJournal(memoryStore(), { actor: "ann" });
  const child = await parent.fork(memoryStore());
  await child.entries.write("port", "9090");
  await parent.entries.claim("port", { ttlSeconds: 600 });
  const command = `merge:${await child.sessionId()}:v2:notes,refs,entries:${(await last(child)).commit}`;
  await parent.apply({ action: "entries.write", key: "port", content: "9090" }, { actor: "agent@child", command });
  await parent.entries.release("port");
  expect(await parent.merge(child)).toMatchObject({ ok: true, from: 1, steps: [{ action: { key: "port" } }] });
});

async function last(journal: Awaited<ReturnType<typeof openJournal>>) {
  const recorded = await allOf(journal.history());
  return recorded.at(-1) as (typeof recorded)[number];
}

test("a merge cuts nothing off that was over budget before", async () => {
  const [here, there] = [memoryStore(), memoryStore()];
  const origin = await openJournal(memoryStore(), large);
  const lines = Array.from({ length: 50 }, (_, index) => `${index}${"x".repeat(99)}`);
  await origin.notes.set(lines.join("\n"));
  await origin.refs.set(lines.concat("one more"));
  for (const store of [here, there]) await (await origin.fork(store)).close();
  const [ours, theirs] = [await openJournal(here), await openJournal(there, large)];
  await theirs.notes.set(lines.slice(1).join("\n"));
  expect(await ours.merge(theirs)).toMatchObject({ ok: false, overBudget: { space: "notes", limit: 4000 } });
  await theirs.notes.set(lines.join("\n"));
  await theirs.refs.remove("one more");
  await theirs.refs.add("another");
  expect(await ours.merge(theirs)).toMatchObject({ ok: false, overBudget: { space: "refs", used: 51, limit: 50 } });
  expect([ours.state.notes.length, ours.state.refs.length]).toEqual([lines.join("\n").length, 51]);
});

test("entries that make room for others come first", async () => {
  const parent = await openJournal(memoryStore(), { limits: { entry: 100, entriesTotal: 100 } });
  await parent.entries.write("a", "1".repeat(10));
  await parent.entries.write("b", "2".repeat(80));
  const child = await parent.fork(memoryStore());
  await child.entries.delete("b");
  await child.entries.write("a", "3".repeat(80));
  expect(await parent.merge(child)).toMatchObject({ ok: true });
  expect(parent.state.entries).toEqual(child.state.entries);
});

test.each([
  ["an empty ref that the child added", ["x"], ["x", ""]],
  ["an empty ref that the child removed", ["", "x"], ["x"]],
  ["a ref that the child added once more", ["x"], ["x", "x"]],
])("%s is merged", async (_, before, after) => {
  const parent = await openJournal(memoryStore());
  await parent.refs.set(before);
  const child = await parent.fork(memoryStore());
  await child.refs.set(after);
  expect(await parent.merge(child)).toMatchObject({ ok: true });
  expect(parent.state.refs).toEqual(after);
});

test("a conflict says of a side that removed the lines that it has none, and whose text stays where nothing is written", async () => {
  const parent = await openJournal(memoryStore());
  await parent.notes.set("red");
  const child = await parent.fork(memoryStore());
  await child.notes.set("");
  await parent.notes.set("green");
  const { conflicts } = await parent.merge(child);
  expect(conflicts).toStrictEqual([{ space: "notes", base: "red", ours: "green" }]);
  const { ok, message } = await parent.merge(child, { conflicts: "ours" });
  expect([ok, message]).toEqual([
    true,
    expect.stringMatching(/of 1 conflict \(notes\), the text of this session stays$/),
  ]);
});

test("an entry that was taken away and written again as it was is no change that a merge leaves out", async () => {
  const parent = await openJournal(memoryStore());
  for (const key of ["a", "b"]) await parent.entries.write(key, key);
  const child = await parent.fork(memoryStore());
  await child.entries.delete("a");
  await child.entries.write("a", "a");
  expect(await parent.merge(child, { spaces: ["notes"] })).toMatchObject({ left: [] });
});
