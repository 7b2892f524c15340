import { expect, test } from "vitest";
import { blame } from "../../src/audit/blame.ts";
import { copyRecords } from "../../src/journal/copy.ts";
import type { Journal } from "../../src/journal/public.ts";
import { allOf } from "../../src/journal/readings.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { JournalStore } from "../../src/stream/stream-store.ts";
import { parts } from "../store/handles.ts";

async function parentAnd(how: "fork" | "spawn", options = {}) {
  const parent = await openJournal(memoryStore({ sessionId: "parent-1" }), options);
  await parent.notes.set("The build is red\nPort 8080 is taken");
  await parent.refs.set(["src/a.ts", "src/b.ts"]);
  const child = await parent[how](memoryStore({ sessionId: "child-123456" }));
  return { parent, child };
}

test("what a spawned child found is brought, and what the parent wrote meanwhile stays", async () => {
  const { parent, child } = await parentAnd("spawn");
  await child.notes.set("The test needs TZ=UTC");
  await child.refs.add("test/tz.test.ts");
  await child.plan.set("1. The child's own");
  await child.entries.write("cause", "a local date");
  await parent.notes.append("Ann knows more");
  const merged = await parent.merge(child);
  expect(merged).toMatchObject({ ok: true, conflicts: [], left: ["plan"], from: 1, to: 5 });
  expect(merged.message).toBe("3 changes to notes, refs, entries were merged from session child-123456, v1 to v5");
  expect(parent.state).toMatchObject({
    notes: "The build is red\nPort 8080 is taken\nAnn knows more\nThe test needs TZ=UTC",
    refs: ["src/a.ts", "src/b.ts", "test/tz.test.ts"],
    plan: "",
  });
  expect(parent.state.entries["cause"]).toBe("a local date");
});

test("blame names who wrote a line in the child, and which child", async () => {
  const { parent, child } = await parentAnd("fork");
  await child.notes.append("First of Bob", { actor: "bob" });
  await child.notes.append("First of Ann", { actor: "ann" });
  await child.notes.append("Second of Bob", { actor: "bob" });
  await parent.merge(child);
  const lines = blame(await allOf(parent.history()), "notes").map(({ text, actor, command }) => [
    text,
    actor,
    command?.slice(0, 21),
  ]);
  expect(lines.slice(2)).toEqual([
    ["First of Bob", "bob@child-12", "merge:child-123456:v4"],
    ["First of Ann", "ann@child-12", "merge:child-123456:v4"],
    ["Second of Bob", "bob@child-12", "merge:child-123456:v4"],
  ]);
});

test("where a text came from is kept when it is merged", async () => {
  const { parent, child } = await parentAnd("spawn");
  await child.apply({ action: "append_notes", content: "seen" }, { source: "tool:read_file" });
  await child.apply({ action: "append_notes", content: "thought" }, { source: "model" });
  await parent.merge(child);
  const merged = (await allOf(parent.history()))
    .slice(2)
    .map(({ event, source }) => ["text" in event && event.text, source]);
  expect(merged).toEqual([
    ["seen", "tool:read_file"],
    ["thought", "model"],
  ]);
});

test("what the child removed goes, what only the parent changed stays", async () => {
  const { parent, child } = await parentAnd("fork");
  await child.notes.edit({ operation: "delete", content: "The build is red\n" });
  await child.refs.remove("src/a.ts");
  await parent.refs.add("src/c.ts");
  expect((await parent.merge(child)).ok).toBe(true);
  expect(parent.state).toMatchObject({ notes: "Port 8080 is taken", refs: ["src/b.ts", "src/c.ts"] });
});

test("of a ref that stood twice, and that both removed once, one stays", async () => {
  const { parent, child: first } = await parentAnd("fork");
  await parent.refs.add("src/a.ts");
  const child = await parent.fork(memoryStore({ sessionId: "child-2" }));
  for (const { refs } of [parent, child]) await refs.remove("src/a.ts");
  expect(await parent.merge(child)).toMatchObject({ ok: true, steps: [] });
  expect(parent.state.refs).toEqual(["src/b.ts", "src/a.ts"]);
  for (const { refs } of [first, parent]) await refs.remove("src/b.ts");
  expect(await parent.merge(first)).toMatchObject({ ok: true, steps: [] });
});

test("what both changed is shown, nothing is written, and whoever merges says which stays", async () => {
  const { parent, child } = await parentAnd("fork");
  await child.notes.edit({ operation: "find_replace", find: "8080", replace: "8081" });
  await child.notes.append("New in the child");
  await parent.notes.edit({ operation: "find_replace", find: "8080", replace: "9090" });
  const { version } = parent;
  const refused = await parent.merge(child);
  expect(refused).toMatchObject({
    ok: false,
    answers: [],
    conflicts: [
      {
        space: "notes",
        base: "Port 8080 is taken",
        ours: "Port 9090 is taken",
        theirs: "Port 8081 is taken\nNew in the child",
      },
    ],
  });
  expect(refused.message).toBe(
    "not merged: 1 conflict (notes): both changed the same text; say which stays: ours, theirs or both",
  );
  expect(parent.version).toBe(version);
  const notes = async (conflicts: "ours" | "theirs" | "both") => {
    const { parent: another, child: its } = await parentAnd("fork");
    await its.notes.set(child.state.notes);
    await another.notes.set(parent.state.notes);
    expect((await another.merge(its, { conflicts })).ok).toBe(true);
    return another.state.notes.split("\n").slice(1);
  };
  expect(await notes("ours")).toEqual(["Port 9090 is taken"]);
  expect(await notes("theirs")).toEqual(["Port 8081 is taken", "New in the child"]);
  expect(await notes("both")).toEqual(["Port 9090 is taken", "Port 8081 is taken", "New in the child"]);
});

test("an entry that both wrote is a conflict, with what stood there before", async () => {
  const { parent, child } = await parentAnd("spawn");
  await child.entries.write("k", "child's");
  await parent.entries.write("k", "parent's");
  const { ok, conflicts } = await parent.merge(child);
  expect([ok, conflicts]).toEqual([false, [{ space: "entries", key: "k", ours: "parent's", theirs: "child's" }]]);
  await parent.merge(child, { conflicts: "both" });
  expect(parent.state.entries["k"]).toBe("parent's\nchild's");
});

test.each([
  ["notes", { notes: 50 }, /^not merged: notes would be over budget, 60\/50: shorten it/],
  ["refs", { refs: 2 }, /^not merged: refs would be over budget, 3\/2: shorten it/],
])("a merge that the budget of %s has no room for cuts and evicts nothing", async (_, limits, message) => {
  const parent = await openJournal(memoryStore(), { limits });
  await parent.notes.set("The build is red\nPort 8080 is taken");
  await parent.refs.set(["src/a.ts", "src/b.ts"]);
  const store = memoryStore();
  await parent.spawn(store);
  const child = await openJournal(store);
  await child.notes.set("x".repeat(24));
  await child.refs.add("src/c.ts");
  const before = parent.state;
  const merged = await parent.merge(child);
  expect(merged).toMatchObject({ ok: false, answers: [] });
  expect(merged.message).toMatch(message);
  expect(parent.state).toBe(before);
});

test("merging again brings only what is new since, and merging the same twice appends nothing", async () => {
  const { parent, child } = await parentAnd("spawn");
  await child.notes.set("one");
  await parent.merge(child);
  const { version } = parent;
  expect(await parent.merge(child)).toMatchObject({
    ok: true,
    steps: [],
    message: "nothing to merge: session child-123456 has nothing new since v2",
  });
  await child.notes.append("two");
  await child.notes.edit({ operation: "find_replace", find: "one", replace: "ONE" });
  await parent.merge(child);
  expect(parent.state.notes).toBe("The build is red\nPort 8080 is taken\nONE\ntwo");
  expect(parent.version).toBe(version + 1);
});

test("a dry run says what would come, and appends nothing", async () => {
  const { parent, child } = await parentAnd("spawn");
  await child.notes.set("found");
  const { version } = parent;
  const planned = await parent.merge(child, { dryRun: true });
  expect(planned).toMatchObject({ ok: true, answers: [], steps: [{ actor: "agent@child-12" }] });
  expect(planned.message).toContain("1 change to notes would be merged");
  expect(planned.text).toContain("+found");
  expect([parent.version, parent.state.notes.includes("found")]).toEqual([version, false]);
});

test("a plan names whoever is named for all of the merge, as the record will", async () => {
  const { parent, child } = await parentAnd("spawn");
  await child.notes.set("found", { actor: "bob" });
  for (const dryRun of [true, false]) {
    const { steps, message } = await parent.merge(child, { dryRun, actor: "ann" });
    expect(steps.map(({ actor }) => actor)).toEqual(["ann"]);
    expect(message).toMatch(dryRun ? /^1 change to notes would be merged/ : /^1 change to notes was merged/);
  }
  expect((await allOf(parent.history())).at(-1)?.actor).toBe("ann");
});

test("siblings, and a fork that takes its parent's news, begin at what they had in common", async () => {
  const { parent, child } = await parentAnd("fork");
  const sibling = await parent.fork(memoryStore({ sessionId: "sibling" }));
  await child.notes.append("child's");
  await sibling.notes.append("sibling's");
  await parent.notes.append("parent's");
  await child.merge(parent);
  expect(child.state.notes.split("\n").slice(2)).toEqual(["child's", "parent's"]);
  await sibling.merge(child);
  expect(sibling.state.notes.split("\n").slice(2)).toEqual(["sibling's", "child's", "parent's"]);
});

test("a sibling that parted later brings what the parent did in between, and one that parted earlier takes nothing of it away", async () => {
  const { parent, child: earlier } = await parentAnd("fork");
  await parent.notes.append("in between");
  const later = await parent.fork(memoryStore({ sessionId: "later" }));
  await earlier.refs.add("new");
  await later.merge(earlier);
  await earlier.merge(later);
  for (const { state } of [later, earlier]) {
    expect(state.notes.split("\n").slice(2)).toEqual(["in between"]);
    expect(state.refs).toEqual(["src/a.ts", "src/b.ts", "new"]);
  }
});

test("two that merged each other at the same time bring back nothing that the other one gave them", async () => {
  const { parent, child } = await parentAnd("fork");
  await parent.notes.append("parent's");
  await parent.refs.add("parent's");
  await parent.entries.write("both", "parent's");
  await child.notes.append("child's");
  await Promise.all([parent.merge(child, { conflicts: "both" }), child.merge(parent, { conflicts: "both" })]);
  const after = ({ state }: Journal) => state.notes.split("\n").slice(2);
  expect([after(parent), after(child)]).toEqual([
    ["parent's", "child's"],
    ["child's", "parent's"],
  ]);
  await parent.notes.append("parent's second");
  await parent.refs.remove("parent's");
  await parent.entries.write("both", "parent's second");
  await child.notes.append("child's second");
  await child.entries.write("own", "child's");
  expect(await parent.merge(child)).toMatchObject({ ok: true, conflicts: [] });
  expect(after(parent)).toEqual(["parent's", "child's", "parent's second", "child's second"]);
  expect(parent.state.refs).toEqual(["src/a.ts", "src/b.ts"]);
  expect({ ...parent.state.entries }).toEqual({ both: "parent's second", own: "child's" });
  expect(await parent.merge(child)).toMatchObject({ ok: true, steps: [] });
  await child.merge(parent);
  expect([child.state.notes, child.state.refs]).toEqual([parent.state.notes, parent.state.refs]);
});

test("what one changed or took away before both merged each other is no conflict afterwards, and stays so", async () => {
  const { parent, child } = await parentAnd("fork");
  await parent.entries.write("gone", "x");
  await parent.merge(child);
  await child.merge(parent);
  await parent.notes.edit({ operation: "find_replace", find: "red", replace: "green" });
  await parent.refs.remove("src/a.ts");
  await parent.entries.delete("gone");
  await child.notes.append("child's");
  await Promise.all([parent.merge(child), child.merge(parent)]);
  await child.notes.append("child's second", { actor: "bob" });
  await child.refs.remove("src/b.ts", { actor: "ann" });
  const merged = await parent.merge(child, { conflicts: "theirs" });
  expect([merged.ok, merged.conflicts]).toEqual([true, []]);
  expect(merged.steps.map(({ action, actor }) => [action.action, actor])).toEqual([
    ["append_notes", "bob@child-12"],
    ["refs.remove", "ann@child-12"],
  ]);
  for (const { state } of [parent, child])
    expect([state.notes, state.refs, Object.keys(state.entries)]).toEqual([
      "The build is green\nPort 8080 is taken\nchild's\nchild's second",
      [],
      [],
    ]);
});

test("a parent that is merged into its child, which it merged before, brings no line a second time", async () => {
  const { parent, child } = await parentAnd("fork");
  await child.notes.append("child's");
  await parent.merge(child);
  await parent.notes.append("parent's");
  await child.merge(parent);
  expect(child.state.notes).toBe(parent.state.notes);
  expect(child.state.notes.split("\n").slice(2)).toEqual(["child's", "parent's"]);
  expect(await parent.merge(child)).toMatchObject({ ok: true, steps: [], conflicts: [] });
  await child.notes.edit({ operation: "find_replace", find: "parent's", replace: "PARENT'S" });
  await child.refs.add("new");
  await parent.notes.edit({ operation: "find_replace", find: "child's", replace: "CHILD'S" });
  expect(await parent.merge(child)).toMatchObject({ ok: true, conflicts: [] });
  await child.merge(parent);
  for (const { state } of [parent, child]) {
    expect(state.notes.split("\n").slice(2)).toEqual(["CHILD'S", "PARENT'S"]);
    expect(state.refs).toEqual(["src/a.ts", "src/b.ts", "new"]);
  }
});

test("a space that an earlier merge left behind can still be brought, whole", async () => {
  const { parent, child } = await parentAnd("spawn");
  await child.plan.set("1. The child's own");
  await child.notes.set("found");
  expect(await parent.merge(child)).toMatchObject({ left: ["plan"] });
  await child.notes.append("more");
  expect(await parent.merge(child)).toMatchObject({ left: ["plan"], steps: [{ action: { content: "more" } }] });
  expect(await parent.merge(child, { spaces: ["plan"] })).toMatchObject({ ok: true, from: 1, left: [] });
  expect(parent.state.plan).toBe("1. The child's own");
  expect(await parent.merge(child, { spaces: ["plan", "notes"] })).toMatchObject({ steps: [], from: 4 });
});

test("a merge that somebody overtakes is planned anew, so that neither write is lost", async () => {
  const store = memoryStore({ sessionId: "parent-1" });
  const parent = await openJournal(store);
  await parent.notes.set("base");
  const child = await parent.fork(memoryStore({ sessionId: "child" }));
  await child.notes.append("child's");
  const other = await openJournal(store);
  const [merged] = await Promise.all([parent.merge(child), other.notes.append("other's")]);
  expect(merged.ok).toBe(true);
  await parent.refresh();
  expect(parent.state.notes.split("\n").toSorted()).toEqual(["base", "child's", "other's"]);
});

test("strangers, wrong options and promises are refused at once", async () => {
  const { parent } = await parentAnd("fork");
  const stranger = await openJournal(memoryStore({ sessionId: "stranger" }));
  await stranger.notes.set("x");
  await expect(parent.merge(stranger)).rejects.toThrow(
    "session stranger and session parent-1 have nothing in common: only a child, a fork or a copy can be merged",
  );
  await expect(parent.merge(openJournal(memoryStore()) as never)).rejects.toThrow(
    "merge takes the other journal, open",
  );
  await expect(parent.merge(stranger, { conflicts: "mine" as never })).rejects.toThrow(TypeError);
  await expect(parent.merge(stranger, { space: "notes" } as never)).rejects.toThrow('unknown option "space"');
});

test("a child whose id has an emoji where it is shortened leaves no half of it in the name of an actor", async () => {
  const { parent } = await parentAnd("spawn");
  const child = await parent.spawn(memoryStore({ sessionId: "child-1😀" }));
  await child.refs.add("new.ts");
  const { steps } = await parent.merge(child);
  expect(steps.map(({ actor }) => actor)).toEqual(["agent@child-1"]);
});

test("a merge that another merge of the same child overtakes finds nothing more to merge", async () => {
  const inner = memoryStore();
  const other = await openJournal(inner);
  await other.notes.set("both had");
  const child = await other.fork(memoryStore());
  await child.notes.set("the child's");
  let isFirst = true;
  const commit: JournalStore["commit"] = async (...call) => {
    if (isFirst) {
      isFirst = false;
      await other.notes.set("the session's");
      await other.merge(child, { conflicts: "both" });
    }
    return inner.commit(...call);
  };
  const journal = await openJournal({ ...parts(inner), commit });
  const merged = await journal.merge(child, { conflicts: "theirs" });
  expect([merged.ok, merged.message]).toEqual([true, expect.stringMatching(/^nothing to merge: /)]);
  expect(journal.state.notes).toBe(other.state.notes);
});

test("what a restore took back is merged again, as often as it is taken back, and not where a restore has brought it back", async () => {
  const { parent, child } = await parentAnd("fork");
  await child.notes.append("Found by the child");
  await child.entries.write("cause", "a local date");
  const merged = { ok: true, steps: [{}, {}], answers: [{ ok: true }, { ok: true }] };
  const states: Journal["state"][] = [];
  for (let time = 0; time < 3; time++) {
    expect(await parent.merge(child)).toMatchObject(merged);
    states.push(parent.state);
    expect((await parent.merge(child)).message).toMatch(/^nothing to merge/);
    await parent.restore(2);
  }
  expect(states.map(({ notes }) => notes)).toEqual(Array(3).fill(`${parent.state.notes}\nFound by the child`));
  await child.notes.append("And more");
  await parent.restore(4);
  expect(await parent.merge(child)).toMatchObject({ ok: true, from: 3, steps: [{ action: { content: "And more" } }] });
});

test("a merge that was taken back can be decided otherwise", async () => {
  const { parent, child } = await parentAnd("fork");
  await child.entries.write("port", "9090");
  await parent.entries.write("port", "8080");
  const { version } = parent;
  await parent.merge(child, { conflicts: "theirs" });
  await parent.restore(version);
  expect(await parent.merge(child)).toMatchObject({ ok: false, conflicts: [{ key: "port" }] });
  await parent.merge(child, { conflicts: "both" });
  expect(parent.state.entries["port"]).toBe("8080\n9090");
});

test("merges that an older version recorded, which named neither their commit nor the usual spaces, are not made again", async () => {
  const { parent, child } = await parentAnd("fork");
  await child.notes.append("Found by the child");
  const session = await child.sessionId();
  await parent.apply(
    { action: "append_notes", content: "Found by the child" },
    { command: `merge:${session}:v${child.version}` },
  );
  await parent.notes.set("Said in other words");
  expect((await parent.merge(child)).message).toMatch(/^nothing to merge/);
  await child.plan.set("1. Look");
  await parent.apply(
    { action: "set_plan", content: "1. Look" },
    { command: `merge:${session}:v${child.version}:plan` },
  );
  await parent.plan.set("1. Leap");
  expect((await parent.merge(child, { spaces: ["plan"] })).message).toMatch(/^nothing to merge/);
});

test("a merge of which a restore has left a part is merged again", async () => {
  const { parent, child } = await parentAnd("fork");
  await child.notes.append("Found by the child");
  await child.entries.write("cause", "a local date");
  await parent.merge(child);
  await parent.restore(3);
  expect(parent.state.entries).toEqual({});
  expect(await parent.merge(child)).toMatchObject({ ok: true, steps: [{ action: { key: "cause" } }] });
  expect(parent.state).toMatchObject({ entries: { cause: "a local date" } });
});

test("a child that was put back to before what was merged of it, and went on, is merged from what both have", async () => {
  const { parent } = await parentAnd("fork");
  const [store, other] = [memoryStore({ sessionId: "child-2" }), memoryStore({ sessionId: "child-2" })];
  const child = await parent.fork(store);
  await child.notes.append("Found first");
  await copyRecords(store, other);
  await child.notes.append("Found second");
  await child.notes.append("Found third");
  await parent.merge(child);
  const again = await openJournal(other);
  await again.notes.append("Found otherwise");
  expect(await parent.merge(again)).toMatchObject({ ok: true, from: 1, to: 3 });
  const lines = [
    "The build is red",
    "Port 8080 is taken",
    "Found first",
    "Found second",
    "Found third",
    "Found otherwise",
  ];
  expect(parent.state.notes.split("\n").toSorted()).toEqual(lines.toSorted());
});

test("a space that is named twice is merged once", async () => {
  const parent = await openJournal(memoryStore());
  const child = await parent.fork(memoryStore());
  await child.notes.append("found");
  await child.refs.add("src/a.ts");
  expect(await parent.merge(child, { spaces: ["notes", "refs", "notes", "refs"] })).toMatchObject({ ok: true });
  expect(parent.state).toMatchObject({ notes: "found", refs: ["src/a.ts"] });
});
