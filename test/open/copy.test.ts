import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { archiveJournal } from "../../src/open/archive-journal.ts";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { sessionFileStore } from "../../src/store/session-file/session-file-store.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { JournalStore } from "../../src/stream/stream-store.ts";
import { mark, marksOf, readAll, StoreReader } from "../../src/testing/store-reader.ts";
import { parts } from "../store/handles.ts";

const root = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-copies-"));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));
let folder = "";
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(root, "test-"));
});

const at = (name: string): string => path.join(folder, name);

async function marked(store: JournalStore, count: number): Promise<void> {
  const writer = new StoreReader(store);
  for (let index = 0; index < count; index++) await writer.append(mark("w", index));
}

test("copying again copies what is new, and nothing twice", async () => {
  const source = memoryStore({ sessionId: "s" });
  const target = sqliteStore({ database: at("j.db"), session: "s" });
  await marked(source, 3);
  expect((await copyJournal(source, target)).events).toBe(3);
  expect((await copyJournal(source, target)).events).toBe(0);
  await new StoreReader(source).append(mark("late"));
  expect(await copyJournal(source, target)).toMatchObject({ session: "s", version: 4, events: 1 });
  expect(marksOf(await readAll(target))).toEqual(["w 0", "w 1", "w 2", "late 0"]);
  await target.close();
});

test("a copy that was interrupted goes on where it stopped", async () => {
  const source = memoryStore({ sessionId: "s" });
  await marked(source, 600);
  for (const target of [
    sqliteStore({ database: at("j.db"), session: "s" }),
    sessionFileStore(at("s.jsonl"), { sessionId: "s" }),
  ]) {
    const failing: JournalStore = {
      ...parts(source),
      where: "failing",
      records: async function* () {
        let left = 300;
        for await (const record of source.records()) {
          if (left-- === 0) throw new Error("cut off");
          yield record;
        }
      },
    };
    await expect(copyJournal(failing, target)).rejects.toThrow("cut off");
    const { version, events } = await copyJournal(source, target);
    expect([version, events < 600]).toEqual([600, true]);
    expect(await readAll(target)).toHaveLength(600);
    await target.close();
  }
});

test.each(["other words", "goes on"])("onto a journal that %s nothing is copied", async (kind) => {
  const source = memoryStore({ sessionId: "s" });
  const target = sqliteStore({ database: at("j.db"), session: "s" });
  await marked(source, 2);
  if (kind === "goes on") await copyJournal(source, target);
  await new StoreReader(target).append(mark("other"));
  const before = await readAll(target);
  await expect(copyJournal(source, target)).rejects.toMatchObject({
    code: "version_conflict",
    message: expect.stringMatching(/j\.db#s .*nothing was copied/),
  });
  expect(await readAll(target)).toEqual(before);
  await target.close();
});

test("a turn that was damaged in the source fills no disk, and its event is copied", async () => {
  const source = memoryStore({ sessionId: "s" });
  await marked(source, 1);
  const damaged: JournalStore = {
    ...parts(source),
    records: async function* () {
      for await (const { record, events } of source.records()) yield { record: { ...record, turn: 1e15 }, events };
    },
  };
  const file = at("s.jsonl");
  expect(await copyJournal(damaged, file)).toMatchObject({ version: 1, events: 1 });
  expect(fs.statSync(file).size).toBeLessThan(10_000);
});

test("another session's id is refused, for the chain would not hold", async () => {
  const source = memoryStore({ sessionId: "one" });
  await marked(source, 1);
  await expect(copyJournal(source, `sqlite:${at("j.db")}#two`)).rejects.toMatchObject({
    code: "storage",
    fate: "not-written",
  });
  const file = at("other.jsonl");
  await (await openJournal(file)).close();
  await expect(copyJournal(source, file)).rejects.toMatchObject({ code: "storage", fate: "not-written" });
});

test("a file that is made by copying is a session that older runtimes read, and goes on", async () => {
  const source = memoryStore({ sessionId: "s" });
  const first = await openJournal(source);
  await first.apply({ action: "set_notes", content: "as it was" });
  await first.apply({ action: "refs.add", ref: "a.ts" });
  const file = at("s.jsonl");
  await copyJournal(source, file);
  const lines = fs
    .readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines[0]).toMatchObject({ type: "session", version: 3, id: "s" });
  const last = (key: string) => lines.filter(({ customType }) => customType === `openclaw:scratchpad:${key}`).at(-1);
  expect([last("notes")?.["data"], last("refs")?.["data"]]).toEqual(["as it was", ["a.ts"]]);
  const ids = lines.slice(1).map(({ id }) => id);
  expect(lines.slice(2).map(({ parentId }) => parentId)).toEqual(ids.slice(0, -1));

  const journal = await openJournal(file);
  await journal.apply({ action: "append_notes", content: "and more" });
  expect(journal.state.notes).toBe("as it was\nand more");
  expect(await journal.verify()).toMatchObject({ ok: true, findings: [] });
  await journal.close();
});

test("a journal folded by branch stays where its host's lines are", async () => {
  const file = at("branch.jsonl");
  const journal = await openJournal(file, { fold: "branch" });
  await journal.apply({ action: "set_notes", content: "on a branch" });
  await journal.close();
  await expect(copyJournal(file, `sqlite:${at("j.db")}`)).rejects.toMatchObject({ code: "fold_policy" });
});

test("a source that is not there is an error, and nothing is made", async () => {
  await expect(copyJournal(at("absent.jsonl"), at("target.jsonl"))).rejects.toMatchObject({ code: "not_a_session" });
  expect(fs.readdirSync(folder)).toEqual([]);
});

test.each([" ", "\r", "\0"])(
  "a message of the user's that was cut before %j is no turn, for a copy either",
  async (end) => {
    const file = at("session.jsonl");
    const header = JSON.stringify({
      type: "session",
      version: 3,
      id: "s",
      timestamp: "2026-01-01T00:00:00.000Z",
      cwd: "/",
    });
    const message = { type: "message", id: "abcdef01", parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };
    const line = JSON.stringify({ ...message, message: { role: "user", content: "hi" } }).slice(0, -1);
    fs.writeFileSync(file, `${header}\n${line}${end}\n`);
    const store = sessionFileStore(file, { durability: "os" });
    await marked(store, 1);
    const turns = (await readAll(store)).map(({ turn }) => turn);
    for await (const { events } of store.records?.() ?? []) expect(events.map(({ turn }) => turn)).toEqual(turns);
    await store.close();
  },
);

test("a source under another seal is an error, also beside values of other runtimes, and nothing is made", async () => {
  const file = at("sealed.jsonl");
  const line = {
    type: "custom",
    customType: "openclaw:scratchpad:plan",
    data: "theirs",
    id: "0000beef",
    parentId: null,
  };
  const journal = await openJournal(file, { seal: "right" });
  await journal.notes.set("mine");
  await journal.close();
  fs.appendFileSync(file, `${JSON.stringify(line)}\n`);
  await expect(copyJournal(file, at("target.jsonl"), { seal: "wrong" })).rejects.toMatchObject({
    code: "storage",
    fate: "not-written",
    message: expect.stringMatching(/was not written with this seal: .*nothing was copied/),
  });
  expect(fs.existsSync(at("target.jsonl"))).toBe(false);
});

test.each([
  ["whose database is not there", () => `sqlite:${at("none.db")}#x`, "storage"],
  ["whose broker does not answer", () => "nats://127.0.0.1:1/p#x", "storage"],
  ["whose session is not there", () => `sqlite:${at("j.db")}#x`, "not_a_session"],
])("a source %s is an error, and no empty target stands in the way of the right one", async (_, from, code) => {
  const other = await openJournal(`sqlite:${at("j.db")}#other`);
  await other.notes.set("of another session");
  await other.close();
  await expect(copyJournal(from(), at("target.jsonl"))).rejects.toMatchObject({ code });
  expect(fs.existsSync(at("target.jsonl"))).toBe(false);
});

test("a session file in which nothing has been written yet is copied as that", async () => {
  await (await openJournal(at("s.jsonl"))).close();
  expect(await copyJournal(at("s.jsonl"), at("target.jsonl"))).toMatchObject({ version: 0, events: 0 });
});

test("an address with another session's id is told the one that fits", async () => {
  const source = memoryStore({ sessionId: "one" });
  await marked(source, 1);
  const database = `sqlite:${at("j.db")}`;
  await expect(copyJournal(source, `${database}#two`)).rejects.toThrow(
    `leave out # and what follows: copy to ${database}`,
  );
  expect(fs.existsSync(at("j.db"))).toBe(false);
  expect((await copyJournal(source, database)).to).toBe(`${database}#one`);
});

test("a damaged line of the source is not left out in silence", async () => {
  const file = at("s.jsonl");
  const journal = await openJournal(file);
  for (const ref of ["a.ts", "b.ts", "c.ts"]) await journal.refs.add(ref);
  await journal.close();
  expect(await copyJournal(file, at("whole.jsonl"))).toMatchObject({ events: 3, leftOut: 0 });
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace('"ref":"b.ts"', '"ref":"B.ts"'));
  expect(await copyJournal(file, at("rest.jsonl"))).toMatchObject({ version: 3, events: 2, leftOut: 1 });
});

test("a journal whose only commit is damaged is not said to have another seal", async () => {
  const file = at("damaged.jsonl");
  const journal = await openJournal(file);
  await journal.notes.set("mine");
  await journal.close();
  fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace('"text":"mine"', '"text":"thine"'));
  expect(await copyJournal(file, at("target.jsonl"))).toMatchObject({ version: 0, leftOut: 1 });
});

const asked = (text: string): string =>
  `${JSON.stringify({ type: "message", id: text, parentId: null, timestamp: new Date(0).toISOString(), message: { role: "user", content: text } })}\n`;

async function inTurns(file: string, turns: readonly number[]): Promise<void> {
  const journal = await openJournal(file);
  let turn = 0;
  for (const next of turns) {
    for (; turn < next; turn++) fs.appendFileSync(file, asked(`turn ${turn + 1}`));
    await journal.refresh();
    await journal.notes.append(`in ${next}`);
  }
  await journal.close();
}

const turnsOf = async (file: string): Promise<number[]> => {
  const journal = await openJournal(file, { readonly: true });
  const turns: number[] = [];
  for await (const { turn } of journal.history()) turns.push(turn);
  await journal.close();
  return turns;
};

test("the turns of a file are kept in a database, and in the file that comes out of it", async () => {
  await inTurns(at("s.jsonl"), [0, 1, 1, 4, 5]);
  await copyJournal(at("s.jsonl"), `sqlite:${at("j.db")}`);
  const id = JSON.parse(fs.readFileSync(at("s.jsonl"), "utf8").split("\n")[0] ?? "").id;
  const back = await copyJournal(`sqlite:${at("j.db")}#${id}`, at("back.jsonl"));
  expect(back.otherTurns).toBe(0);
  expect(await turnsOf(at("back.jsonl"))).toEqual([0, 1, 1, 4, 5]);
  await archiveJournal(`sqlite:${at("j.db")}#${id}`, at("s.archive.gz"));
  expect(await turnsOf(at("s.archive.gz"))).toEqual([0, 1, 1, 4, 5]);

  await inTurns(at("s.jsonl"), [2]);
  await copyJournal(at("s.jsonl"), `sqlite:${at("j.db")}`);
  await copyJournal(`sqlite:${at("j.db")}#${id}`, at("back.jsonl"));
  expect(await turnsOf(at("back.jsonl"))).toEqual(await turnsOf(at("s.jsonl")));
});

test("into the file of a host nothing is copied that would begin a turn of its conversation", async () => {
  await inTurns(at("s.jsonl"), [1]);
  fs.copyFileSync(at("s.jsonl"), at("host.jsonl"));
  await inTurns(at("s.jsonl"), [3]);
  const before = fs.readFileSync(at("host.jsonl"), "utf8");
  const { otherTurns } = await copyJournal(at("s.jsonl"), at("host.jsonl"));
  expect(otherTurns).toBe(1);
  const added = fs.readFileSync(at("host.jsonl"), "utf8").slice(before.length);
  expect(added).not.toContain('"role":"user"');
});

test("turns that a journal began itself are not begun a second time in a copy", async () => {
  const journal = await openJournal(at("s.jsonl"));
  for (const id of ["a", "b"]) {
    await journal.beginTurn({ id });
    await journal.notes.append(id);
  }
  await journal.close();
  await copyJournal(at("s.jsonl"), at("other.jsonl"));
  expect(await turnsOf(at("other.jsonl"))).toEqual(await turnsOf(at("s.jsonl")));
  expect(fs.readFileSync(at("other.jsonl"), "utf8")).not.toContain('"role":"user"');
});
