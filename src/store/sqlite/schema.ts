/** The tables of a journal database, and how an older one becomes a newer one. */

/** What better-sqlite3, libsql and `node:sqlite` have in common. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

export interface SqliteStatement {
  run(...values: SqliteValue[]): unknown;
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
}

export type SqliteValue = string | number | null;

/** `migrations[n]` makes version n + 1 of version n; a released one is never changed. */
const migrations: readonly string[] = [
  `CREATE TABLE records (
     session TEXT NOT NULL,
     version INTEGER NOT NULL,
     record TEXT NOT NULL,
     PRIMARY KEY (session, version)
   ) WITHOUT ROWID;
   CREATE TABLE snapshots (
     session TEXT NOT NULL PRIMARY KEY,
     snapshot TEXT NOT NULL
   ) WITHOUT ROWID;
   CREATE VIRTUAL TABLE texts USING fts5 (session UNINDEXED, version UNINDEXED, text);`,
];

export const schemaVersion = migrations.length;

/** Throws where the database was made by a newer version. */
export function migrate(database: SqliteDatabase, where: string): void {
  if (versionOf(database) === schemaVersion) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(database);
    if (version > schemaVersion) {
      throw new TypeError(
        `${where} has schema ${version}, this version knows ${schemaVersion}: update session-journal`,
      );
    }
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${schemaVersion}`);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function versionOf(database: SqliteDatabase): number {
  return (database.prepare("PRAGMA user_version").get() as { user_version: number }).user_version;
}
