import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { findDriver } from "../../../src/store/sqlite/drivers.ts";
import { deleteTexts, insertText, schemaVersion } from "../../../src/store/sqlite/schema.ts";
import { searchDatabase } from "../../../src/store/sqlite/search.ts";
import { sqliteCatalog, sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { SessionSummary } from "../../../src/stream/catalog.ts";
import { mark, readAll, StoreReader } from "../../../src/testing/store-reader.ts";

const { connect } = await findDriver();

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-schema-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const fixture = path.resolve(import.meta.dirname, "../../../fixtures/databases/schema-1.sql");

/** A database of schema 1, as its version wrote it. */
function older(name: string): string {
  const file = path.join(folder, name);
  const database = connect(file);
  database.exec(fs.readFileSync(fixture, "utf8"));
  database.close();
  return file;
}

test("a journal of an older schema reads as it was, goes on, and is listed and found", async () => {
  const database = older("older.db");
  const store = sqliteStore({ database, session: "tokyo" });
  const reader = new StoreReader(store);
  await reader.catchUp();
  expect(reader.events.map(({ version, event, actor, turn }) => [version, event.type, actor, turn])).toEqual([
    [1, "notes.set", "host", 0],
    [2, "notes.appended", "agent", 1],
    [3, "ref.added", "ann", 1],
    [4, "plan.set", "agent", 2],
  ]);
  expect(reader.state).toMatchObject({
    notes: "tokens expire at once\nRoot cause: timezone mismatch",
    refs: ["src/auth/token.ts"],
  });
  await reader.append(mark("w"));
  expect((await readAll(store)).length).toBe(5);
  await store.close();

  const catalog = sqliteCatalog({ database });
  const sessions: SessionSummary[] = [];
  for await (const summary of catalog.list()) sessions.push(summary);
  await catalog.close();
  expect(sessions).toEqual([
    { session: "lima", version: 1, at: "2026-03-10T08:00:00.000Z", actor: "ben" },
    { session: "tokyo", version: 5, at: expect.any(String), actor: "w" },
  ]);
  expect(await found(database, "mismatch")).toEqual([["tokyo", 2, "Root cause: timezone [mismatch]"]]);
});

test("several openers of an older database bring it up to date once", async () => {
  const database = older("raced.db");
  const stores = Array.from({ length: 4 }, () => sqliteStore({ database, session: "tokyo" }));
  const lengths = await Promise.all(stores.map(async (store) => (await readAll(store)).length));
  expect(lengths).toEqual([4, 4, 4, 4]);
  for (const store of stores) await store.close();
  expect((await found(database, "gateway")).length).toBe(1);
});

test("a reader does not bring a database up to date, and says who can", async () => {
  const database = older("readonly.db");
  const before = fs.readFileSync(database);
  const store = sqliteStore({ database, session: "tokyo", readonly: true });
  await expect(readAll(store)).rejects.toThrow(/older schema 1: open it once to write/);
  expect(fs.readFileSync(database).equals(before)).toBe(true);
});

test("a database of a newer version is refused untouched", async () => {
  const database = path.join(folder, "newer.db");
  const newer = connect(database);
  newer.exec(`PRAGMA user_version = ${schemaVersion + 1}`);
  newer.close();
  const store = sqliteStore({ database, session: "s" });
  await expect(readAll(store)).rejects.toThrow(/update session-journal/);
});

test("a search finds the event that says it, in every session, and no names of fields", async () => {
  const database = path.join(folder, "search.db");
  for (const session of ["a", "b"]) {
    const store = sqliteStore({ database, session });
    await new StoreReader(store).append(
      { event: { type: "notes.set", text: `first line\nRoot cause in ${session}: Überlauf` }, actor: "w" },
      { event: { type: "refs.set", refs: ["src/root.ts", "b.ts"] }, actor: "w" },
    );
    await store.close();
  }
  expect((await found(database, '"root cause"')).map(([session, version]) => [session, version]).sort()).toEqual([
    ["a", 1],
    ["b", 1],
  ]);
  expect((await found(database, "root NOT cause")).map(([, version]) => version)).toEqual([2, 2]);
  expect((await found(database, "uberlauf")).length).toBe(2);
  expect(await found(database, "notes OR set OR type OR actor")).toEqual([]);
  await expect(found(database, '"open')).rejects.toThrow(/put "quotes" around/);
});

test("the texts of a session that is removed are looked up, also where an older version wrote some behind a removal", async () => {
  const database = path.join(folder, "removals.db");
  const write = async (session: string) => {
    const store = sqliteStore({ database, session });
    await new StoreReader(store).append({ event: { type: "notes.set", text: `needle of ${session}` }, actor: "w" });
    await store.close();
  };
  for (const session of ["first", "second", "third"]) await write(session);
  const catalog = sqliteCatalog({ database });
  expect(await catalog.remove?.({ session: "first", version: 1 })).toBe(true);
  const older = connect(database);
  older.prepare(insertText).run("second", 2, "needle of an older version");
  const plan = older.prepare(`EXPLAIN QUERY PLAN ${deleteTexts}`).all("second") as { detail: string }[];
  expect(plan.map(({ detail }) => detail).join("\n")).toMatch(
    /SEARCH texts_content USING COVERING INDEX \S+ \(c0=\?\)/,
  );
  expect(await catalog.remove?.({ session: "second", version: 1 })).toBe(true);
  expect(await found(database, "needle")).toEqual([["third", 1, "[needle] of third"]]);
  expect(older.prepare("SELECT count(*) AS texts FROM texts").get()).toMatchObject({ texts: 1 });
  older.exec("INSERT INTO texts (texts) VALUES ('integrity-check')");
  expect(older.prepare("PRAGMA integrity_check").get()).toMatchObject({ integrity_check: "ok" });
  older.close();
  await catalog.close();
});

async function found(database: string, query: string): Promise<unknown[][]> {
  const hits: unknown[][] = [];
  for await (const { session, version, text } of searchDatabase({ database }, query))
    hits.push([session, version, text]);
  return hits;
}
