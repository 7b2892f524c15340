import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { allOf } from "../../../src/journal/readings.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { findDriver } from "../../../src/store/sqlite/drivers.ts";
import type { SqliteDatabase, SqliteStatement } from "../../../src/store/sqlite/schema.ts";
import { searchDatabase } from "../../../src/store/sqlite/search.ts";
import { sqliteCatalog, sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";

const { connect } = await findDriver();

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-busy-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** A handle on which `isBusy` says before each statement whether another process holds the database just then. */
function busyHandle(file: string, isBusy: (sql: string) => boolean): SqliteDatabase {
  const given: SqliteDatabase = connect(file);
  const attempt = <Result>(sql: string, ask: () => Result): Result => {
    if (isBusy(sql)) throw Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
    return ask();
  };
  const prepare = (sql: string): SqliteStatement => ({
    run: (...values) => attempt(sql, () => given.prepare(sql).run(...values)),
    get: (...values) => attempt(sql, () => given.prepare(sql).get(...values)),
    all: (...values) => attempt(sql, () => given.prepare(sql).all(...values)),
  });
  return { prepare, exec: (sql) => attempt(sql, () => given.exec(sql)), close: () => given.close() };
}

/** Each statement finds the database busy twice before it is carried out for the first time. */
function twiceEach(): (sql: string) => boolean {
  const found = new Map<string, number>();
  return (sql) => {
    const times = (found.get(sql) ?? 0) + 1;
    found.set(sql, times);
    return times <= 2 && sql !== "ROLLBACK";
  };
}

test("who opens, writes or reads while another process holds the database waits for it, and sees no error", async () => {
  const file = path.join(folder, "held.db");
  const other: SqliteDatabase = connect(file);
  const hold = (how: string): Promise<void> => {
    other.exec(`BEGIN ${how}; CREATE TABLE IF NOT EXISTS theirs_${how} (x)`);
    return new Promise((resolve) => {
      setTimeout(() => {
        other.exec("COMMIT");
        resolve();
      }, 30);
    });
  };
  let held = hold("EXCLUSIVE");
  const journal = await openJournal(`sqlite:${file}#s`);
  await held;
  held = hold("IMMEDIATE");
  await journal.notes.set("waited");
  await held;
  await journal.close();
  other.exec("PRAGMA journal_mode = DELETE; DROP TABLE theirs_EXCLUSIVE");
  held = hold("EXCLUSIVE");
  const reader = await openJournal(`sqlite:${file}#s`, { readonly: true });
  await held;
  expect(reader.state.notes).toBe("waited");
  await reader.close();
  other.close();
});

test("no statement that finds the database busy is an error, and nothing is lost or done twice", async () => {
  const database = busyHandle(path.join(folder, "twice.db"), twiceEach());
  const catalog = sqliteCatalog({ database });
  const woken = new Promise<string>((resolve) => void catalog.watch(resolve));
  const journal = await openJournal(sqliteStore({ database, session: "s" }));
  await Promise.all(["one", "two", "three"].map((text) => journal.notes.append(text)));
  await journal.snapshot();
  expect(await woken).toBe("s");
  const again = await openJournal(sqliteStore({ database, session: "s" }));
  expect([again.state.notes, again.version]).toEqual(["one\ntwo\nthree", 3]);
  const listed = await allOf(catalog.list());
  expect(listed).toMatchObject([{ session: "s", version: 3 }]);
  expect(await allOf(searchDatabase({ database }, "two"))).toMatchObject([{ version: 2 }]);
  expect(await Promise.all(listed.map((each) => catalog.remove?.(each)))).toEqual([true]);
  await Promise.all([journal.close(), again.close(), catalog.close()]);
  database.close();
});

test("a commit that is there is acknowledged although nothing can be read behind it, and is not done twice", async () => {
  const file = path.join(folder, "unknown.db");
  let isHeld = false;
  let isOver = false;
  const database = busyHandle(file, (sql) => {
    if (isHeld && sql === "COMMIT") isOver = true;
    return isOver && sql.includes("FROM records");
  });
  const journal = await openJournal(sqliteStore({ database, session: "s", waitMs: 20 }));
  await journal.notes.set("before");
  isHeld = true;
  const action = { action: "append_notes", content: "in doubt" } as const;
  expect(await journal.apply(action, { command: "c" })).toMatchObject({ ok: true, version: 2 });
  await expect(journal.refresh()).rejects.toMatchObject({ code: "lock_timeout" });
  [isHeld, isOver] = [false, false];
  expect(await journal.apply(action, { command: "c" })).toMatchObject({ ok: true, version: 2 });
  expect([journal.state.notes, journal.version]).toEqual(["before\nin doubt", 2]);
  await journal.close();
  database.close();
});
