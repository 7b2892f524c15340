/** What is committed must be in the file that others find. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { Journal } from "../../../src/journal/public.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { findDriver } from "../../../src/store/sqlite/drivers.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";

const { connect } = await findDriver();

const home = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-replaced-"));
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

let database: string;
let backup: string;
beforeEach(async () => {
  const folder = fs.mkdtempSync(path.join(home, "of-"));
  [database, backup] = [path.join(folder, "j.db"), path.join(folder, "backup.db")];
  const journal = await openJournal(`sqlite:${database}#s`);
  await journal.notes.set("one");
  await journal.close();
  fs.copyFileSync(database, backup);
});

function remove(): void {
  for (const side of ["", "-wal", "-shm"]) fs.rmSync(`${database}${side}`, { force: true });
}

function replace(): void {
  remove();
  fs.renameSync(backup, database);
}

/** As .restore does, in one transaction. */
function restore(): void {
  const other = connect(database);
  other.exec(`ATTACH '${backup}' AS kept; BEGIN IMMEDIATE`);
  for (const table of ["records", "snapshots", "sessions"])
    other.exec(`DELETE FROM main.${table}; INSERT INTO main.${table} SELECT * FROM kept.${table}`);
  other.exec("COMMIT");
  other.close();
}

const refused = { code: "storage", fate: "not-written" };

test.each([
  ["removed", remove, /is not at its path any more: open it again/],
  ["replaced", replace, /is another file than the one that was opened: open it again/],
])("a database that was %s takes no commit, and is not read on", async (_, change, said) => {
  const where = `sqlite:${database}#s`;
  const writer = await openJournal(where);
  await writer.notes.set("two");
  const reader = await openJournal(where, { readonly: true });
  const first = reader.changes()[Symbol.asyncIterator]().next();
  change();
  await expect(writer.notes.set("three")).rejects.toMatchObject({ ...refused, message: expect.stringMatching(said) });
  await expect(reader.refresh()).rejects.toMatchObject({ ...refused, message: expect.stringMatching(said) });
  await expect(first).rejects.toMatchObject(refused);
  await Promise.all([writer.close(), reader.close()]);
  expect(fs.existsSync(database)).toBe(change === replace);
  const again = await openJournal(where);
  await again.notes.append("four");
  expect(again.state.notes).toBe(change === replace ? "one\nfour" : "four");
  await again.close();
});

test("a backup that was put back into an open database is noticed, and nothing is written behind what is not there", async () => {
  const where = `sqlite:${database}#s`;
  const writer = await openJournal(where);
  for (const text of ["two", "three"]) await writer.notes.append(text);
  const reader = await openJournal(where, { readonly: true });
  await reader.refresh();
  restore();
  expect((await reader.verify()).findings).toMatchObject([{ kind: "head" }]);
  await writer.refs.add("four");
  await reader.refresh();
  // What this handle had acknowledged is there again.
  const again = await openJournal(where, { readonly: true });
  for (const each of [writer, reader]) expect([each.state, each.head]).toEqual([again.state, again.head]);
  expect([again.state.notes, again.state.refs]).toEqual(["one\ntwo\nthree", ["four"]]);
  expect((await again.verify()).findings).toEqual([]);
  for (const each of [writer, reader, again]) await each.close();
});

test("who only reads goes on behind a backup that was put back, also where others have written as much as was there before", async () => {
  const where = `sqlite:${database}#s`;
  const gone = await openJournal(where);
  await gone.notes.append("two");
  const readers = [await openJournal(where, { readonly: true }), await openJournal(where, { readonly: true })];
  const [early, late] = readers as [Journal, Journal];
  await gone.close();
  const told = early.changes()[Symbol.asyncIterator]();
  restore();
  expect((await told.next()).value).toMatchObject({ type: "reset", version: 1, state: { notes: "one" } });
  const other = await openJournal(where);
  await other.notes.append("other");
  expect((await told.next()).value).toMatchObject({ type: "event", version: 2, state: { notes: "one\nother" } });
  await late.refresh();
  for (const each of readers) expect([each.state, each.head]).toEqual([other.state, other.head]);
  for (const each of [...readers, other]) await each.close();
});

test("a link that leads elsewhere is another file, and one that leads to the same is none", async () => {
  const link = path.join(path.dirname(database), "link.db");
  fs.symlinkSync(database, link);
  const journal = await openJournal(`sqlite:${link}#s`);
  await journal.notes.set("two");
  fs.rmSync(link);
  fs.symlinkSync(database, link);
  await journal.notes.set("three");
  fs.rmSync(link);
  fs.symlinkSync(backup, link);
  await expect(journal.notes.set("four")).rejects.toMatchObject(refused);
  await journal.close();
});

test("a database that was handed in is looked for where it lies, and one in memory nowhere", async () => {
  const given = connect(database);
  const journal = await openJournal(sqliteStore({ database: given, session: "s" }));
  await journal.notes.set("two");
  replace();
  await expect(journal.notes.set("three")).rejects.toMatchObject(refused);
  await journal.close();
  given.close();
  const memory = await openJournal(sqliteStore({ database: ":memory:", session: "s" }));
  await memory.notes.set("one");
  expect(memory.state.notes).toBe("one");
  await memory.close();
});
