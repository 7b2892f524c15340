/** This file has the tables of a schema, and the steps by which an older one becomes a newer one. */
import { StorageError } from "../../errors.ts";
import type { Query } from "./pool.ts";

/** More than one tsvector surely takes; what stands behind it in a text is not found. */
export const searchedCharactersMax = 100_000;

/** `migrations[n]` makes version n + 1 of version n; a released one is never changed. Ids are ordered by their bytes. */
const migrations: readonly ((schema: string) => string)[] = [
  (schema) => `
    CREATE TABLE "${schema}".records (
      session text COLLATE "C" NOT NULL,
      place bigint NOT NULL,
      record text NOT NULL,
      PRIMARY KEY (session, place)
    );
    CREATE TABLE "${schema}".sessions (
      session text COLLATE "C" PRIMARY KEY,
      place bigint NOT NULL,
      version bigint NOT NULL,
      at text,
      actor text,
      change xid8 NOT NULL
    );
    CREATE INDEX sessions_by_change ON "${schema}".sessions (change);
    CREATE TABLE "${schema}".snapshots (session text COLLATE "C" PRIMARY KEY, snapshot text NOT NULL);
    CREATE TABLE "${schema}".texts (session text COLLATE "C" NOT NULL, version bigint NOT NULL, text text NOT NULL);
    CREATE INDEX texts_by_word ON "${schema}".texts
      USING gin (to_tsvector('simple'::regconfig, left(text, ${searchedCharactersMax})));`,
  // An append changes the row of its session and no index, if the new row finds room on the page of the old one. All others
  // wait while this waits for a transaction that is long, as a dump's.
  (schema) => `
    SET LOCAL lock_timeout = 500;
    DROP INDEX IF EXISTS "${schema}".sessions_by_change;
    ALTER TABLE "${schema}".sessions SET (fillfactor = 70);`,
];

export const schemaVersion = migrations.length;

const undefinedTable = "42P01";

/** The version is 0 if there are no tables. */
export async function versionOf(query: Query, schema: string): Promise<number> {
  try {
    const [row] = (await query(`SELECT version FROM "${schema}".about`)).rows;
    return (row as { version: number } | undefined)?.version ?? 0;
  } catch (error) {
    if ((error as { state?: unknown }).state === undefinedTable) return 0;
    throw error;
  }
}

/** Inside a transaction that is alone. Throws a TypeError where the tables were made by a newer version. */
export async function migrate(query: Query, schema: string, where: string, steps = migrations): Promise<void> {
  await requireUnicode(query, where);
  const [found] = (await query("SELECT to_regnamespace($1) IS NOT NULL AS is_there", [`"${schema}"`])).rows;
  if (!(found as { is_there: boolean }).is_there) await query(`CREATE SCHEMA "${schema}"`);
  await query(`CREATE TABLE IF NOT EXISTS "${schema}".about (version integer NOT NULL)`);
  const version = await versionOf(query, schema);
  requireKnown(version, where, steps.length);
  for (const step of steps.slice(version)) await query(step(schema));
  if (version === 0) await query(`INSERT INTO "${schema}".about VALUES (${steps.length})`);
  else await query(`UPDATE "${schema}".about SET version = ${steps.length}`);
}

/** Throws for tables that cannot be read as they are. */
export function requireReadable(version: number, where: string): void {
  requireKnown(version, where, schemaVersion);
  // The versions differ in nothing that a statement names.
  if (version > 0) return;
  throw new StorageError(`${where} holds no journals: check the address, or open it once to write`, "not-written", {
    file: where,
  });
}

function requireKnown(version: number, where: string, known: number): void {
  if (version <= known) return;
  throw new TypeError(`${where} has schema ${version}, this version knows ${known}: update session-journal`);
}

async function requireUnicode(query: Query, where: string): Promise<void> {
  const [row] = (await query("SELECT current_setting('server_encoding') AS encoding")).rows;
  const { encoding } = row as { encoding: string };
  if (encoding === "UTF8") return;
  const advice = "make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0";
  throw new TypeError(`${where} keeps texts as ${encoding}, and journals need UTF8: ${advice}`);
}
