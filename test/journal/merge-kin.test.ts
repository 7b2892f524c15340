import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";

async function copyOf(store: ReturnType<typeof memoryStore>) {
  const target = memoryStore({ sessionId: await store.sessionId() });
  await copyJournal(store, target);
  return { target, journal: await openJournal(target) };
}

test("a sibling that began empty takes nothing of the other one away", async () => {
  const parent = await openJournal(memoryStore());
  await parent.notes.set("The build is red");
  await parent.refs.add("src/a.ts");
  await parent.entries.write("port", "8080");
  const [fork, empty] = [await parent.fork(memoryStore()), await parent.spawn(memoryStore())];
  await empty.notes.set("The test needs TZ=UTC");
  expect(await fork.merge(empty)).toMatchObject({ ok: true, conflicts: [] });
  expect(fork.state).toMatchObject({
    notes: "The build is red\nThe test needs TZ=UTC",
    refs: ["src/a.ts"],
    entries: { port: "8080" },
  });
});

test("what a second copy found is merged whole after a first one, though both have one id and the same versions", async () => {
  const store = memoryStore();
  const original = await openJournal(store);
  await original.notes.set("base");
  const [first, second] = [(await copyOf(store)).journal, (await copyOf(store)).journal];
  await first.notes.append("first's");
  for (const line of ["second's", "and more"]) await second.notes.append(line);
  for (const copy of [first, second]) await original.merge(copy);
  expect(original.state.notes).toBe("base\nfirst's\nsecond's\nand more");
});

test("a copy of a journal that merged another copy has all in common that was there when it was made", async () => {
  const store = memoryStore();
  const original = await openJournal(store);
  await original.notes.set("base");
  const { journal: first } = await copyOf(store);
  await first.notes.append("first's");
  await original.entries.write("port", "8080");
  await original.merge(first);
  await original.entries.write("port", "9090");
  const { journal: later } = await copyOf(store);
  await later.entries.write("port", "7070");
  expect(await later.merge(original)).toMatchObject({ ok: true, steps: [] });
});

test("what a branch left behind with its merge can be merged again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "merge-kin-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "session.jsonl");
  const journal = await openJournal(file, { fold: "branch", durability: "os" });
  const ask = (id: string, parentId: string | null) =>
    appendFileSync(file, `${JSON.stringify({ type: "message", id, parentId, message: { role: "user" } })}\n`);
  ask("m1", null);
  await journal.notes.set("base");
  ask("m2", "m1");
  const child = await journal.fork(memoryStore());
  await child.notes.append("child's");
  await journal.merge(child);
  ask("m3", "m1");
  await journal.refresh();
  expect(journal.state.notes).toBe("base");
  expect(await journal.merge(child)).toMatchObject({ ok: true });
  expect(journal.state.notes).toBe("base\nchild's");
  await journal.close();
});

test("a line that one took away after both merged each other is gone in the other one, too, though it stands elsewhere there", async () => {
  const parent = await openJournal(memoryStore());
  await parent.notes.set("base");
  const child = await parent.fork(memoryStore());
  await parent.notes.append("parent's");
  await child.notes.append("child's");
  await Promise.all([parent.merge(child), child.merge(parent)]);
  expect([parent.state.notes, child.state.notes]).toEqual(["base\nparent's\nchild's", "base\nchild's\nparent's"]);
  await parent.notes.set("base\nchild's");
  await parent.notes.append("new");
  await child.merge(parent);
  expect(child.state.notes.split("\n").toSorted()).toEqual(["base", "child's", "new"]);
});

test.each(["parent", "child"] as const)(
  "what the child found stays, where the %s merges first after both merged and the parent took it back",
  async (first) => {
    const parent = await openJournal(memoryStore());
    await parent.notes.set("base");
    const child = await parent.fork(memoryStore());
    await child.notes.append("child's");
    await parent.notes.append("parent's");
    const { version } = parent;
    await parent.merge(child);
    await child.merge(parent);
    await parent.restore(version);
    if (first === "child") await child.merge(parent);
    await parent.merge(child);
    await child.merge(parent);
    expect([parent.state.notes, child.state.notes]).toEqual(Array(2).fill("base\nparent's\nchild's"));
  },
);

test("a line that a restore removed stays removed where it took back no merge", async () => {
  const parent = await openJournal(memoryStore());
  await parent.notes.set("base");
  const child = await parent.fork(memoryStore());
  await child.notes.append("child's");
  await parent.merge(child);
  const { version } = parent;
  await parent.notes.append("wrong");
  await child.merge(parent);
  await parent.restore(version);
  await parent.merge(child);
  await child.merge(parent);
  expect([parent.state.notes, child.state.notes]).toEqual(Array(2).fill("base\nchild's"));
});
