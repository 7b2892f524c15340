/** Who follows all sessions of a database hears of what comes, whatever becomes of the sessions and of the file. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { openJournals } from "../../../src/open/open-journals.ts";
import { findDriver } from "../../../src/store/sqlite/drivers.ts";
import { type SqliteDatabase, upsertSession } from "../../../src/store/sqlite/schema.ts";
import { sqliteCatalog, sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { mark, StoreReader } from "../../../src/testing/store-reader.ts";

const { connect } = await findDriver();

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-following-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

async function write(database: string, ...sessions: readonly string[]): Promise<void> {
  for (const session of sessions) {
    const store = sqliteStore({ database, session });
    await new StoreReader(store).append(mark("w"));
    await store.close();
  }
}

async function remove(database: string, ...sessions: readonly string[]): Promise<void> {
  const catalog = sqliteCatalog({ database });
  for (const session of sessions) expect(await catalog.remove?.({ session, version: 1 })).toBe(true);
  await catalog.close();
}

/** The result resolves once all of the sessions were told. */
async function follow(database: string, ...sessions: readonly string[]) {
  const catalog = sqliteCatalog({ database });
  const missing = new Set(sessions);
  let done: () => void = () => undefined;
  const told = new Promise<void>((resolve) => {
    done = resolve;
  });
  await catalog.watch((session) => {
    missing.delete(session);
    if (missing.size === 0) done();
  });
  return { told, close: () => catalog.close() };
}

/** Each session with the number of its newest change, as a program sees it that knows nothing but the first tables. */
function changes(database: string): unknown[] {
  const opened = connect(database);
  const rows = opened.prepare("SELECT session, change FROM sessions ORDER BY change").all();
  opened.close();
  return (rows as { session: string; change: number }[]).map(({ session, change }) => [session, change]);
}

test("sessions are told that are written after all were removed", async () => {
  const database = path.join(folder, "removed.db");
  await write(database, "a", "b", "c");
  const { told, close } = await follow(database, "d", "e", "f", "g", "h");
  await remove(database, "a", "b", "c");
  await write(database, "d", "e", "f", "g", "h");
  await told;
  await close();
});

test("no change has the number of one that was removed, whichever version writes it", async () => {
  const database = path.join(folder, "numbers.db");
  await write(database, "a", "b", "c");
  await remove(database, "b", "c");
  const older = connect(database);
  older.prepare(upsertSession).run("old", 1, null, null);
  older.exec("DELETE FROM sessions WHERE session = 'old'");
  older.prepare(upsertSession).run("older", 1, null, null);
  older.prepare(upsertSession).run("older", 2, null, null);
  older.close();
  await write(database, "d");
  expect(changes(database)).toEqual([
    ["a", 1],
    ["older", 6],
    ["d", 7],
  ]);
});

test("what an older version counts anew, having removed sessions, is told", async () => {
  const database = path.join(folder, "older.db");
  await write(database, "a", "b", "c");
  const { told, close } = await follow(database, "a", "d");
  const older = connect(database);
  older.exec("DELETE FROM sessions WHERE change > 1");
  older.close();
  await write(database, "d");
  expect(changes(database)).toEqual([
    ["a", 1],
    ["d", 2],
  ]);
  await told;
  await close();
});

test("a database that is cut ends the iteration with the error, and not the process", async () => {
  const database = path.join(folder, "cut.db");
  await write(database, "a");
  const journals = await openJournals(`sqlite:${database}`, { readonly: true });
  const following = journals.follow();
  const first = following.next();
  const ended = expect(first).rejects.toMatchObject({ code: "storage", place: { file: database } });
  // By then it has listed what is there, and looks at the database from time to time.
  await new Promise((resolve) => setTimeout(resolve, 100));
  fs.truncateSync(database, 5000);
  await ended;
  await journals.close();
});

test("a look that fails is made again, though no session is known whose reading would say so", async () => {
  const database = path.join(folder, "failing.db");
  const given = connect(database);
  let fails = 0;
  const failing: SqliteDatabase = {
    exec: (sql) => given.exec(sql),
    close: () => given.close(),
    prepare: (sql) => {
      if (fails > 0 && sql.includes("change >")) {
        fails -= 1;
        throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
      }
      return given.prepare(sql);
    },
  };
  const catalog = sqliteCatalog({ database: failing });
  const told = new Promise<string>((resolve) => void catalog.watch(resolve));
  for await (const { session } of catalog.list()) expect(session).toBe("none");
  fails = 3;
  await write(database, "a");
  expect(await told).toBe("a");
  expect(fails).toBe(0);
  const own = catalog.open("b");
  const again = new Promise<void>((resolve) => void catalog.watch((session) => session === "b" && resolve()));
  fails = 3;
  await new StoreReader(own).append(mark("w"));
  await again;
  await own.close();
  await catalog.close();
  given.close();
});
