/** `session-journal/sqlite`: many journals in one database. */
export type { DatabaseOptions } from "../store/sqlite/database.ts";
export type { SqliteDatabase, SqliteStatement, SqliteValue } from "../store/sqlite/schema.ts";
export { sqliteStore } from "../store/sqlite/sqlite-log.ts";
export type { SqliteOptions } from "../store/sqlite/sqlite-options.ts";
