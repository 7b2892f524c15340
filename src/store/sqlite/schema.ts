/** This file has the tables of a journal database, and the steps by which an older one becomes a newer one. */
import type { StreamRecord } from "../../line/record.ts";
import { changeOf, searchedIn } from "../records/record-texts.ts";

/** This is what `node:sqlite`, `bun:sqlite`, better-sqlite3 and libsql have in common. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
  /** This is its name on the connection, if it is not the main database. */
  readonly schema?: string;
}

/** The schema stands in front of the name of what is made, and of what is asked of the database itself. */
export function schemaOf({ schema = "main" }: SqliteDatabase): string {
  return schema;
}

export interface SqliteStatement {
  run(...values: SqliteValue[]): unknown;
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}

export type SqliteValue = string | number | null;

/** `migrations[n]` makes version n + 1 of version n; a released one is never changed. */
const migrations: readonly ((database: SqliteDatabase) => void)[] = [
  (database) =>
    database.exec(`
      CREATE TABLE ${schemaOf(database)}.records (
        session TEXT NOT NULL,
        version INTEGER NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (session, version)
      ) WITHOUT ROWID;
      CREATE TABLE ${schemaOf(database)}.snapshots (session TEXT NOT NULL PRIMARY KEY, snapshot TEXT NOT NULL) WITHOUT ROWID;`),
  (database) => {
    const schema = schemaOf(database);
    database.exec(`
      CREATE TABLE ${schema}.sessions (
        session TEXT NOT NULL PRIMARY KEY,
        version INTEGER NOT NULL,
        at TEXT,
        actor TEXT,
        change INTEGER NOT NULL
      ) WITHOUT ROWID;
      CREATE UNIQUE INDEX ${schema}.sessions_by_change ON sessions (change);
      CREATE VIRTUAL TABLE ${schema}.texts USING fts5 (session UNINDEXED, version UNINDEXED, text);`);
    const rows = database.prepare("SELECT session, version, record FROM records ORDER BY session, version").all();
    const [texts, upsert] = [database.prepare(insertText), database.prepare(upsertSession)];
    for (const { session, version, record } of rows as readonly RecordRow[]) {
      const written = JSON.parse(record) as StreamRecord;
      keepTexts(texts, session, version, written);
      upsert.run(session, version, ...changeOf(written));
    }
  },
];

type RecordRow = Readonly<{ session: string; version: number; record: string }>;

/** This row has the newest change of each session. `change` counts those of all sessions, for programs that watch them. */
export const upsertSession = `INSERT OR REPLACE INTO sessions (session, version, at, actor, change)
  VALUES (?, ?, ?, ?, (SELECT coalesce(max(change), 0) + 1 FROM sessions))`;

/**
 * These make sure that no change has the number of one that was removed, and that the texts of a session are found without a look at all
 * others. The first removal makes them. Versions of the package that do not know them keep to them all the same, so they are no step to a
 * newer version.
 */
export function prepareRemovals(database: SqliteDatabase): void {
  const schema = schemaOf(database);
  database.exec(`
    CREATE TABLE IF NOT EXISTS ${schema}.removed_sessions (change INTEGER NOT NULL);
    INSERT INTO ${schema}.removed_sessions SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM ${schema}.removed_sessions);
    CREATE TRIGGER IF NOT EXISTS ${schema}.sessions_removed BEFORE DELETE ON sessions
      BEGIN UPDATE removed_sessions SET change = max(change, old.change); END;
    CREATE TRIGGER IF NOT EXISTS ${schema}.sessions_counted AFTER INSERT ON sessions
      WHEN new.change <= (SELECT change FROM removed_sessions)
      BEGIN UPDATE sessions SET change = (SELECT change + 1 FROM removed_sessions) WHERE session = new.session; END;
    CREATE INDEX IF NOT EXISTS ${schema}.texts_by_session ON texts_content (c0);`);
}

/** FTS5 keeps the columns of a text in a table of its own, as c0 and so on (https://www.sqlite.org/fts5.html#fts5_data_structures). */
export const deleteTexts = "DELETE FROM texts WHERE rowid IN (SELECT id FROM texts_content WHERE c0 = ?)";

export const insertText = "INSERT INTO texts (session, version, text) VALUES (?, ?, ?)";

/** This writes a row of the search index for each event of the record that ends at `version`. */
export function keepTexts(insert: SqliteStatement, session: string, version: number, record: StreamRecord): void {
  for (const { version: at, text } of searchedIn(record, version)) insert.run(session, at, text);
}

export const schemaVersion = migrations.length;

/** It runs inside a transaction. It throws a TypeError if the database was made by a newer version. */
export function migrate(database: SqliteDatabase, where: string): void {
  const version = versionOf(database);
  requireKnown(version, where);
  for (const migration of migrations.slice(version)) migration(database);
  if (version !== schemaVersion) database.exec(`PRAGMA ${schemaOf(database)}.user_version = ${schemaVersion}`);
}

export function requireKnown(version: number, where: string): void {
  if (version <= schemaVersion) return;
  throw new TypeError(`${where} has schema ${version}, this version knows ${schemaVersion}: update session-journal`);
}

/** The version is 0 for a new database. */
export function versionOf(database: SqliteDatabase): number {
  return (database.prepare(`PRAGMA ${schemaOf(database)}.user_version`).get() as { user_version: number }).user_version;
}
