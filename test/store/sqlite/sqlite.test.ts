import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openJournal } from "../../../src/open/open-journal.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { findDriver } from "../../../src/store/sqlite/drivers.ts";
import { type SqliteDatabase, schemaOf } from "../../../src/store/sqlite/schema.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { JournalStore, StreamStore } from "../../../src/stream/stream-store.ts";
import { testStore } from "../../../src/testing/log-conformance.ts";
import { mark, marksOf, readAll, StoreReader } from "../../../src/testing/store-reader.ts";
import { type Program, program } from "../process/spawn.ts";
import { testDueSnapshots } from "../records/due-snapshots.ts";

const { connect } = await findDriver();

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-sqlite-"));
const database = path.join(folder, "journals.db");
let writer: Program;
beforeAll(async () => {
  writer = await program("write-marks.ts");
});
afterAll(() => {
  writer?.remove();
  fs.rmSync(folder, { recursive: true, force: true });
});

let sessions = 0;
const sessionOf = (store: JournalStore): string => store.where.split("#")[1] as string;

testStore({
  test,
  logOf: (store) => store.log,
  createStore: () => sqliteStore({ database, session: `s${++sessions}` }),
  openAgain: (store) => sqliteStore({ database, session: sessionOf(store) }),
  spawnWriter: async (store, name, count) => void (await writer.run(store.where, name, String(count))),
});

testDueSnapshots((session, readonly) => sqliteStore({ database, session, readonly }));

test("timers run while a journal in a database is written to, and while it is read", async () => {
  const store = sqliteStore({ database, session: "long" });
  const writer = new StoreReader(store);
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 1);
  for (let count = 0; ticks === 0 && count < 2000; count++) await writer.append(mark("w", count));
  expect(ticks).toBeGreaterThan(0);
  ticks = 0;
  for (let count = 0; ticks === 0 && count < 2000; count++) await readAll(store);
  expect(ticks).toBeGreaterThan(0);
  clearInterval(timer);
  await store.close();
});

test("a database that is handed in serves several stores at once, and stays open", async () => {
  const given: SqliteDatabase = connect(path.join(folder, "given.db"));
  const stores = ["a", "a", "b"].map((session) => sqliteStore({ database: given, session }));
  await Promise.all(
    stores.map(async (store, index) => {
      const reader = new StoreReader(store);
      for (let round = 0; round < 10; round++) await reader.append(mark(`w${index}`, round));
    }),
  );
  const [one, two, other] = stores as [StreamStore, StreamStore, StreamStore];
  expect((await readAll(one)).length).toBe(20);
  expect(await readAll(two)).toEqual(await readAll(one));
  expect((await readAll(other)).length).toBe(10);
  for (const store of stores) await store.close();
  expect(given.prepare("SELECT count(*) AS n FROM records").get()).toMatchObject({ n: 30 });
  given.close();
});

test("a store on a handle that is shared wakes for what another store on it wrote", async () => {
  const given: SqliteDatabase = connect(path.join(folder, "shared.db"));
  const [one, two] = [1, 2].map(() => sqliteStore({ database: given, session: "s" })) as [StreamStore, StreamStore];
  const woken = new Promise<void>((resolve) => void two.watch(resolve));
  await two.catchUp(undefined, new StoreReader(two));
  await new StoreReader(one).append(mark("w"));
  await woken;
  await one.close();
  await two.close();
  given.close();
});

test("reading makes no database, and an unknown session reads as empty", async () => {
  const absent = path.join(folder, "absent.db");
  const reader = sqliteStore({ database: absent, session: "s", readonly: true });
  await expect(readAll(reader)).rejects.toMatchObject({
    code: "storage",
    message: expect.stringContaining("absent.db"),
  });
  expect(fs.existsSync(absent)).toBe(false);
  const unknown = sqliteStore({ database, session: "never written", readonly: true });
  expect(await readAll(unknown)).toEqual([]);
  await expect(new StoreReader(unknown).append(mark("w"))).rejects.toMatchObject({ code: "readonly" });
  await unknown.close();
});

test("a file that is no database is refused with its name", async () => {
  const text = path.join(folder, "text.db");
  fs.writeFileSync(text, "this is a text, and long enough to be taken for a page of a database. ".repeat(20));
  const store = sqliteStore({ database: text, session: "s" });
  await expect(readAll(store)).rejects.toMatchObject({ code: "storage", message: expect.stringContaining("text.db") });
  expect(fs.readFileSync(text, "utf8")).toContain("this is a text");
});

test("a writer that waits too long says who held it, and writes nothing", async () => {
  const held = path.join(folder, "held.db");
  const { handle } = await openDatabase({ database: held });
  handle.exec("BEGIN IMMEDIATE");
  const store = sqliteStore({ database: held, session: "s", waitMs: 30 });
  await expect(new StoreReader(store).append(mark("w"))).rejects.toMatchObject({ code: "lock_timeout" });
  handle.exec("ROLLBACK");
  await new StoreReader(store).append(mark("w", 1));
  expect(marksOf(await readAll(store))).toEqual(["w 1"]);
  await store.close();
  handle.close();
});

test("a record that was changed in the database is not folded, and strict refuses it", async () => {
  const changed = path.join(folder, "changed.db");
  const store = sqliteStore({ database: changed, session: "s" });
  await new StoreReader(store).append(mark("w"));
  const { handle } = await openDatabase({ database: changed });
  handle.exec("UPDATE records SET record = replace(record, 'w 0', 'W 0')");
  expect(await readAll(store)).toEqual([]);
  const strict = sqliteStore({ database: changed, session: "s", strict: true });
  await expect(new StoreReader(strict).catchUp()).rejects.toMatchObject({ code: "corrupt_entry" });
  await strict.close();
  await store.close();
  handle.close();
});

test("a sealed journal reads without its key and does not write", async () => {
  const sealed = sqliteStore({ database, session: "sealed", seal: "key" });
  await new StoreReader(sealed).append(mark("w"));
  const plain = sqliteStore({ database, session: "sealed" });
  expect(marksOf(await readAll(plain))).toEqual(["w 0"]);
  await expect(new StoreReader(plain).append(mark("w"))).rejects.toMatchObject({ code: "readonly" });
  await sealed.close();
  await plain.close();
});

test.each([
  ["full", 2],
  ["normal", 1],
] as const)("synchronous %s is what SQLite is told", async (synchronous, told) => {
  const { handle } = await openDatabase({ database: path.join(folder, `${synchronous}.db`), synchronous });
  expect(handle.prepare(`PRAGMA ${schemaOf(handle)}.synchronous`).get()).toMatchObject({ synchronous: told });
  expect(handle.prepare(`PRAGMA ${schemaOf(handle)}.journal_mode`).get()).toMatchObject({ journal_mode: "wal" });
  handle.close();
});

test("a database that is locked when its watcher looks is looked at again, and nothing dies of it", async () => {
  const given: SqliteDatabase = connect(path.join(folder, "busy.db"));
  let fails = 0;
  const busy: SqliteDatabase = {
    exec: (sql) => given.exec(sql),
    close: () => given.close(),
    prepare: (sql) => {
      const statement = given.prepare(sql);
      if (!sql.includes("data_version")) return statement;
      return {
        run: (...values) => statement.run(...values),
        all: (...values) => statement.all(...values),
        get: (...values) => {
          if (fails > 0) {
            fails -= 1;
            throw Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
          }
          return statement.get(...values);
        },
      };
    },
  };
  const store = sqliteStore({ database: busy, session: "s" });
  await store.catchUp(undefined, new StoreReader(store));
  let wakes = 0;
  let resume = (): void => undefined;
  const woken = new Promise<void>((resolve) => {
    resume = resolve;
  });
  await store.watch(() => {
    wakes += 1;
    // The first one tells of what may have come before.
    if (wakes > 1) resume();
  });
  fails = 3;
  const other = sqliteStore({ database: path.join(folder, "busy.db"), session: "s" });
  await new StoreReader(other).append(mark("w"));
  await woken;
  expect([wakes > 1, fails]).toEqual([true, 0]);
  await Promise.all([store.close(), other.close()]);
  given.close();
});

test.each([
  ["was carried out", true],
  ["was not carried out", false],
])("a COMMIT that failed and %s: the command sent again is answered with the truth", async (_, isDone) => {
  const file = path.join(folder, `commit-${isDone}.db`);
  const given: SqliteDatabase = connect(file);
  let fails = 0;
  const failing: SqliteDatabase = {
    prepare: (sql) => given.prepare(sql),
    close: () => given.close(),
    exec: (sql) => {
      if (sql !== "COMMIT" || fails === 0) return given.exec(sql);
      fails -= 1;
      if (isDone) given.exec(sql);
      throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
    },
  };
  const journal = await openJournal(sqliteStore({ database: failing, session: "s" }));
  await journal.notes.set("before");
  fails = 1;
  const action = { action: "append_notes", content: "in doubt" } as const;
  await expect(journal.apply(action, { command: "c" })).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  const other = await openJournal(`sqlite:${file}#s`);
  const answer = await other.apply(action, { command: "c" });
  expect(answer).toMatchObject({ ok: true, version: 2 });
  expect(await journal.apply(action, { command: "c" })).toEqual(answer);
  expect([journal.state.notes, journal.version]).toEqual(["before\nin doubt", 2]);
  await Promise.all([journal.close(), other.close()]);
  given.close();
});
