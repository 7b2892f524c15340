/** What a journal says whose owner has its oldest records dropped: nothing that was not so. */
import { afterEach, expect, test } from "vitest";
import type { Journal } from "../../src/journal/public.ts";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import type { OpenOptions } from "../../src/open/open-options.ts";
import { redactJournal } from "../../src/open/redact-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { DroppingLog } from "./dropping-log.ts";
import { typesOf } from "./streams.ts";

let log: DroppingLog;
let journals: Journal[] = [];
afterEach(async () => {
  for (const journal of journals) await journal.close();
  journals = [];
});

async function open(options: OpenOptions = {}): Promise<Journal> {
  const journal = await openJournal(log.store(), options);
  journals.push(journal);
  return journal;
}

/** Five versions, of which a snapshot knows all and the log has the last two. */
async function dropped(): Promise<Journal> {
  log = new DroppingLog();
  const journal = await open();
  await journal.apply({ action: "append_notes", content: "once" }, { command: "c1" });
  for (const ref of ["a", "b", "c", "d"]) await journal.refs.add(ref);
  await journal.snapshot();
  log.keep(2);
  return journal;
}

test.each(["the same handle", "another handle"])(
  "a command whose record was dropped is not carried out once more by %s, and says why",
  async (who) => {
    const first = await dropped();
    const journal = who === "the same handle" ? first : await open();
    const repeated = journal.apply({ action: "append_notes", content: "once" }, { command: "c1" });
    await expect(repeated).rejects.toMatchObject({
      code: "bad_point",
      message: expect.stringMatching(/^command "c1" was carried out before, and its answer is gone with the records/),
    });
    expect(await typesOf(journal)).toEqual(["ref.added", "ref.added"]);
    await journal.refs.add("e");
    const reader = await open({ readonly: true });
    expect([reader.state.notes, reader.state.refs]).toEqual(["once", ["a", "b", "c", "d", "e"]]);
    expect((await reader.verify()).ok).toBe(true);
  },
);

test("a call beside a command whose record was dropped is carried out", async () => {
  const journal = await dropped();
  const repeated = journal.apply({ action: "append_notes", content: "once" }, { command: "c1" });
  const other = journal.apply({ action: "append_notes", content: "twice" }, { command: "c2" });
  await expect(repeated).rejects.toMatchObject({ code: "bad_point" });
  expect(await other).toMatchObject({ ok: true, version: 6 });
  // Its record is there, but how much was used before is not known any more.
  const again = journal.apply({ action: "append_notes", content: "twice" }, { command: "c2" });
  await expect(again).rejects.toMatchObject({ code: "bad_point" });
  expect(journal.version).toBe(6);
});

test("a journal whose beginning was dropped is neither copied nor redacted, for that would be another state; a fork keeps it", async () => {
  const journal = await dropped();
  const target = memoryStore({ sessionId: "dropping" });
  for (const copying of [
    () => copyJournal(log.store(), target),
    () => redactJournal(log.store(), target, { text: "once" }),
  ]) {
    await expect(copying()).rejects.toMatchObject({
      code: "bad_point",
      message: expect.stringMatching(
        /^the events up to version 3 are not in the stream of memory:dropping any more: .*fork/,
      ),
    });
  }
  const untouched = await openJournal(target);
  expect([untouched.version, untouched.state.refs]).toEqual([0, []]);
  const fork = await journal.fork(memoryStore());
  expect([fork.state.notes, fork.state.refs]).toEqual(["once", ["a", "b", "c", "d"]]);
  await Promise.all([untouched.close(), fork.close()]);
});

test("a journal whose owner wants old records dropped, and whose beginning is still there, is copied", async () => {
  log = new DroppingLog();
  const journal = await open();
  await journal.refs.add("a");
  const target = memoryStore({ sessionId: "dropping" });
  expect(await copyJournal(log.store(), target)).toMatchObject({ version: 1, hash: journal.head.hash, events: 1 });
});

test("of a history whose beginning was dropped nobody is named as an author, and nothing is said not to be lost", async () => {
  await dropped();
  const journal = await open({ readonly: true });
  for (const asked of [
    () => journal.blame(),
    () => journal.blame("notes"),
    () => journal.lost(),
    () => journal.lost({ all: true }),
  ])
    await expect(asked()).rejects.toMatchObject({
      code: "bad_point",
      message: expect.stringContaining("the events up to version 3 are not in the stream"),
    });
});

test("an earlier state is not told of what is left, though that adds up to the newest one", async () => {
  log = new DroppingLog();
  const writer = await open();
  await writer.entries.write("k", "was there");
  for (const ref of ["a", "b"]) await writer.refs.set([ref]);
  await writer.entries.delete("k");
  await writer.refs.set(["c"]);
  await writer.snapshot();
  log.keep(3);
  const journal = await open({ readonly: true });
  for (const look of [() => journal.at("v3"), () => journal.diff("v3", "v4")])
    await expect(look()).rejects.toMatchObject({
      code: "bad_point",
      message: expect.stringContaining("the events up to version 2 are not in the stream"),
    });
  expect((await journal.at("head")).state).toEqual(journal.state);
});

test.each([0, 2, 4])(
  "changes from version %i, before which records were dropped, begin with the state that is there",
  async (from) => {
    await dropped();
    const journal = await open({ readonly: true });
    const changes = journal.changes({ from });
    const state = expect.objectContaining({ notes: "once", refs: ["a", "b", "c", "d"] });
    expect((await changes.next()).value).toMatchObject({ type: "reset", reason: "rewritten", version: 5, state });
    const writer = await open();
    await writer.refs.add("e");
    expect((await changes.next()).value).toMatchObject({ type: "event", version: 6, state: writer.state });
  },
);

test("changes of a journal whose records were all dropped begin with the state that is there", async () => {
  await dropped();
  log.keep(0);
  const journal = await open({ readonly: true });
  const { value } = await journal.changes({ from: 0 }).next();
  expect(value).toMatchObject({ type: "reset", version: 5, state: journal.state });
});

test("changes that fall behind what is dropped go on from the state that is there", async () => {
  log = new DroppingLog();
  const writer = await open();
  for (const ref of ["a", "b", "c", "d"]) await writer.refs.add(ref);
  await writer.snapshot();
  const changes = writer.changes({ from: 0 });
  expect((await changes.next()).value).toMatchObject({ type: "event", version: 1 });
  await changes.return?.();
  const again = writer.changes({ from: 1 });
  log.keep(2);
  expect((await again.next()).value).toMatchObject({ type: "reset", version: 4, state: writer.state });
  const told = writer.changes({ from: 4 });
  await writer.refs.add("e");
  expect((await told.next()).value).toMatchObject({ version: 5, state: writer.state });
});

test.each([
  ["that was refreshed", {}, true],
  ["that was only opened", {}, false],
  ["that is strict", { strict: true }, true],
] as const)("a handle %s says that records were dropped which it had not read", async (_, options, isRefreshed) => {
  log = new DroppingLog();
  const writer = await open();
  await writer.refs.add("a");
  const idle = await openJournal(log.store(options));
  journals.push(idle);
  if (isRefreshed) await idle.refresh();
  for (const ref of ["b", "c", "d", "e"]) await writer.refs.add(ref);
  await writer.snapshot();
  log.keep(2);
  const behind = { code: "storage", fate: "not-written", message: expect.stringContaining("open it again") };
  for (let times = 0; times < 2; times++) {
    await expect(idle.refresh()).rejects.toMatchObject(behind);
    await expect(idle.notes.set("mine")).rejects.toMatchObject(behind);
    expect([idle.version, idle.state.refs]).toEqual([1, ["a"]]);
  }
  const again = await open();
  expect([again.version, again.state.refs]).toEqual([5, ["a", "b", "c", "d", "e"]]);
  await again.notes.set("mine");
  await writer.refresh();
  expect([writer.version, writer.state.notes]).toEqual([6, "mine"]);
});

test.each(["in one page", "page by page"])(
  "a record that is damaged and there is not told as dropped unread, %s",
  async (how) => {
    log = new DroppingLog();
    const writer = await open();
    await writer.refs.add("a");
    const idle = await open();
    await idle.refresh();
    await writer.refs.add("b");
    log.damageNewest();
    if (how === "page by page") await idle.refresh();
    await writer.refs.add("c");
    await idle.refresh();
    expect([idle.version, idle.state.refs, idle.isDamaged]).toEqual([3, ["a", "c"], true]);
    expect(await idle.refs.add("d")).toMatchObject({ ok: true, version: 4 });
    await writer.refs.add("e");
    log.keep(0);
    await writer.refs.add("f");
    await expect(idle.refresh()).rejects.toMatchObject({ message: expect.stringContaining("open it again") });
  },
);

const lags = { code: "storage", fate: "not-written", message: expect.stringContaining("open it again") };

test.each(["before", "after"])(
  "a handle that was opened %s all was dropped writes no version that counts for nobody",
  async (when) => {
    log = new DroppingLog();
    const writer = await open();
    await writer.refs.add("a");
    await writer.snapshot();
    const before = await open();
    await writer.refs.add("b");
    log.keep(0);
    const after = await open();
    expect(after.version).toBe(1);
    await writer.snapshot();
    const late = when === "before" ? before : after;
    for (let times = 0; times < 2; times++) await expect(late.refs.add("c")).rejects.toMatchObject(lags);
    const again = await open();
    expect(await again.refs.add("c")).toMatchObject({ ok: true, version: 3 });
    await writer.refresh();
    for (const each of [writer, again, await open()]) expect(each.state.refs).toEqual(["a", "b", "c"]);
  },
);

test.each([true, false])(
  "a handle that had not read what was dropped, and of which nothing is left, says so when it reads on, readonly: %s",
  async (readonly) => {
    log = new DroppingLog();
    const writer = await open();
    await writer.refs.add("a");
    const idle = await open({ readonly });
    const told = idle.changes();
    const next = told.next();
    await writer.refs.add("b");
    expect((await next).value).toMatchObject({ version: 2 });
    await told.return?.();
    await writer.refs.add("c");
    await writer.snapshot();
    log.keep(0);
    for (let times = 0; times < 2; times++) await expect(idle.refresh()).rejects.toMatchObject(lags);
    expect([idle.version, idle.state.refs]).toEqual([2, ["a", "b"]]);
    const again = await open({ readonly });
    await again.refresh();
    expect([again.version, again.state.refs]).toEqual([3, ["a", "b", "c"]]);
    await writer.refresh();
    expect(writer.version).toBe(3);
  },
);

test("a handle whose records were all dropped does not go on beside those who began anew", async () => {
  log = new DroppingLog();
  const writer = await open();
  for (const ref of ["a", "b"]) await writer.refs.add(ref);
  log.keep(0);
  const other = await open();
  expect(await other.refs.add("c")).toMatchObject({ ok: true, version: 1 });
  for (let times = 0; times < 2; times++) await expect(writer.refs.add("d")).rejects.toMatchObject(lags);
  await expect(writer.snapshot()).rejects.toMatchObject(lags);
  expect(await other.refs.add("d")).toMatchObject({ ok: true, version: 2 });
  expect((await open()).state.refs).toEqual(["c", "d"]);
});

test("a repeated command is not taken for another action where the beginning was dropped", async () => {
  log = new DroppingLog();
  const journal = await open({ dedupe: "exact" });
  await journal.refs.add("a");
  const adding = [
    { action: "refs.add", ref: "a" },
    { action: "refs.add", ref: "b" },
  ] as const;
  await journal.applyAll(adding, { command: "c" });
  await journal.snapshot();
  log.keep(1);
  const again = await open({ dedupe: "exact" });
  await expect(again.applyAll(adding, { command: "c" })).rejects.toMatchObject({
    code: "bad_point",
    message: expect.stringContaining("was carried out before"),
  });
  expect([again.version, again.state.refs]).toEqual([2, ["a", "b"]]);
});

test("where all records were dropped, nobody says that nothing was lost, and that nobody wrote anything", async () => {
  log = new DroppingLog();
  const journal = await open();
  await journal.plan.set("- [ ] one");
  await journal.snapshot();
  log.keep(0);
  const again = await open();
  expect(again.state.plan).toBe("- [ ] one");
  await expect(again.lost()).rejects.toMatchObject({ code: "bad_point" });
  await expect(again.blame()).rejects.toMatchObject({ code: "bad_point" });
});

test("a history whose beginning was dropped is not merged, also if what is left adds up to the state", async () => {
  log = new DroppingLog();
  const journal = await open();
  const child = await journal.fork(memoryStore({ sessionId: "child" }));
  journals.push(child);
  await journal.apply({ action: "set_notes", content: "of Ann" }, { actor: "ann" });
  await journal.apply({ action: "set_notes", content: "of Ann\nof Bob" }, { actor: "bob" });
  await journal.snapshot();
  log.keep(1);
  const refused = {
    code: "bad_point",
    message: expect.stringMatching(
      /^session dropping cannot be merged: the events up to version 1 are not in the stream/,
    ),
  };
  for (const each of [journal, await open()]) {
    await expect(child.merge(each)).rejects.toMatchObject(refused);
    await expect(each.merge(child)).rejects.toMatchObject(refused);
  }
  expect(child.state.notes).toBe("");
});

test("a handle that was opened on an empty stream writes behind others who took a snapshot, for nothing was dropped", async () => {
  log = new DroppingLog();
  const [idle, writer] = [await open(), await open()];
  await writer.refs.add("a");
  await writer.snapshot();
  expect(await idle.refs.add("b")).toMatchObject({ ok: true, version: 2 });
  expect(idle.state.refs).toEqual(["a", "b"]);
});

test("a handle that did not read what was dropped puts no older snapshot in place of the one that alone has it", async () => {
  log = new DroppingLog();
  const writer = await open();
  await writer.refs.add("a");
  const idle = await open();
  await idle.refresh();
  await writer.refs.add("b");
  await writer.snapshot();
  log.keep(0);
  await expect(idle.snapshot()).rejects.toMatchObject(lags);
  await idle.close();
  const again = await open();
  expect([again.version, again.state.refs]).toEqual([2, ["a", "b"]]);
});
