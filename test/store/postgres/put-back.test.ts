/** Tables that are put back from an older dump while journals are open on them: what was acknowledged is there again, once it is written to. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openJournal } from "../../../src/open/open-journal.ts";
import { type PostgresServer, sql, startPostgres } from "./postgres-server.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.stop());

const tables = ["records", "sessions", "snapshots", "texts", "about"];

/** Keeps the tables of a schema as they are now. */
async function keep(schema: string): Promise<void> {
  const copies = tables.map(
    (table) => `CREATE TABLE ${schema}_kept.${table} (LIKE ${schema}.${table} INCLUDING ALL);
      INSERT INTO ${schema}_kept.${table} SELECT * FROM ${schema}.${table};`,
  );
  await sql(server.address, `CREATE SCHEMA ${schema}_kept; ${copies.join("")}`);
}

const ways: Readonly<Record<string, (schema: string) => Promise<unknown>>> = {
  "their rows": (schema) => {
    const row = (table: string) => `INSERT INTO ${schema}.${table} SELECT * FROM ${schema}_kept.${table};`;
    const all = tables.map((table) => `${schema}.${table}`).join();
    return sql(server.address, `BEGIN; TRUNCATE ${all}; ${tables.map(row).join("")} COMMIT`);
  },
  "the tables": (schema) =>
    sql(
      server.address,
      `BEGIN; DROP SCHEMA ${schema} CASCADE; ALTER SCHEMA ${schema}_kept RENAME TO ${schema}; COMMIT`,
    ),
};

test.each(Object.keys(ways))("nothing that a writer acknowledged is lost, where %s are put back", async (way) => {
  const schema = way.replace(" ", "_");
  const where = `${server.address}?schema=${schema}#s`;
  const writer = await openJournal(where);
  await writer.notes.append("one");
  await keep(schema);
  for (const text of ["two", "three"]) await writer.notes.append(text);
  await writer.snapshot();
  const [idle, follower] = [await openJournal(where), await openJournal(where, { readonly: true, follow: true })];
  const told: string[] = [];
  follower.onChange(({ type, version }) => told.push(`${type} ${version}`));
  await ways[way]?.(schema);
  // Somebody else goes on from what is there, up to the place that the writer knows.
  const other = await openJournal(where);
  expect([other.version, other.state.notes]).toEqual([1, "one"]);
  for (const ref of ["other", "more"]) await other.refs.add(ref);
  await writer.refs.add("four");
  await idle.refs.add("five");
  await vi.waitFor(() => expect(follower.version).toBe(7), { timeout: 30_000 });
  const again = await openJournal(where, { readonly: true });
  expect([again.state.notes, again.state.refs]).toEqual(["one\ntwo\nthree", ["other", "more", "four", "five"]]);
  expect((await again.verify()).findings).toEqual([]);
  for (const each of [other, writer]) await each.refresh();
  for (const each of [other, writer, idle, follower])
    expect([each.state, each.head]).toEqual([again.state, again.head]);
  expect(told[0]).toMatch(/^reset /);
  for (const each of [writer, idle, follower, other, again]) await each.close();
});

test("a reader shows what is there, and a head that was kept tells what is missing, until a writer reads and appends it again", async () => {
  const where = `${server.address}?schema=read#s`;
  const writer = await openJournal(where);
  await writer.notes.append("one");
  await keep("read");
  await writer.notes.append("two");
  const reader = await openJournal(where, { readonly: true });
  const { head } = writer;
  await ways["their rows"]?.("read");
  await reader.refresh();
  expect([reader.version, reader.state.notes]).toEqual([1, "one"]);
  expect((await reader.verify({ head })).findings).toMatchObject([{ kind: "head", severity: "damage" }]);
  await writer.refresh();
  await reader.refresh();
  expect([reader.version, reader.state.notes]).toEqual([2, "one\ntwo"]);
  for (const each of [writer, reader]) await each.close();
});
