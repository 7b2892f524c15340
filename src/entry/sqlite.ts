/**
 * This entry point keeps many journals in one SQLite database.
 *
 * @module session-journal/sqlite
 */

export type { RecordOptions } from "../store/records/record-options.ts";
export type { DatabaseOptions } from "../store/sqlite/database.ts";
export type { SqliteDatabase, SqliteStatement, SqliteValue } from "../store/sqlite/schema.ts";
export type { SqliteOptions } from "../store/sqlite/sqlite-store.ts";
export { sqliteStore } from "../store/sqlite/sqlite-store.ts";
