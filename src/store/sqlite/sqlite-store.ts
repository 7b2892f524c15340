/** This file keeps many journals in one SQLite database. */
import { type OptionParsers, oneOf, requireOption, wait } from "../../options.ts";
import type { SessionCatalog } from "../../stream/catalog.ts";
import type { StreamStore } from "../../stream/stream-store.ts";
import { RecordCatalog } from "../records/record-catalog.ts";
import { type RecordBackend, recordStore } from "../records/record-log.ts";
import { parseRecordOptions, type RecordOptions, recordParsers } from "../records/record-options.ts";
import type { SessionFileOptions } from "../session-file/session-file-options.ts";
import { type DatabaseOptions, openDatabase } from "./database.ts";
import type { SqliteDatabase } from "./schema.ts";
import { SqliteBackend } from "./sqlite-backend.ts";

export interface SqliteOptions extends DatabaseOptions, RecordOptions {}

const parsers: OptionParsers<SqliteOptions> = {
  database: (value, name) => requireOption(isDatabase(value), value, name, "the path of a database, or an open one"),
  ...recordParsers,
  synchronous: oneOf("full", "normal"),
  waitMs: wait,
};

const usage = "sqliteStore takes { database, session }: where the database is, and the id of a session in it";

/**
 * Keeps a journal in an SQLite database, beside others. Nothing is touched before the first read.
 * @param options The database, as a path or an open one, and the id of the session in it.
 * @throws TypeError for an option that does not exist, or has a wrong value.
 * @example
 * const journal = await openJournal(sqliteStore({ database: "journals.db", session: "agent-7" }));
 */
export function sqliteStore(options: SqliteOptions): StreamStore {
  const parsed = parseRecordOptions(options, parsers, ["database", "session"], usage);
  return recordStore(backendOf(parsed), parsed);
}

export function sqliteCatalog(options: Omit<SqliteOptions, "session">): SessionCatalog<SessionFileOptions> {
  return new RecordCatalog(backendOf(options), options);
}

function backendOf(options: DatabaseOptions): RecordBackend {
  const { database } = options;
  const place = `sqlite:${typeof database === "string" ? database : ""}`;
  return { place, open: async () => new SqliteBackend(await openDatabase(options)) };
}

function isDatabase(value: unknown): boolean {
  if (typeof value === "string") return value !== "";
  const { exec, prepare } = (value ?? {}) as Partial<SqliteDatabase>;
  return typeof exec === "function" && typeof prepare === "function";
}
