/** This file keeps journals in a PostgreSQL database. */
import { milliseconds, type OptionParsers, oneOf, requireOption } from "../../options.ts";
import type { SessionCatalog } from "../../stream/catalog.ts";
import type { StreamStore } from "../../stream/stream-store.ts";
import { RecordCatalog } from "../records/record-catalog.ts";
import { type RecordBackend, recordStore } from "../records/record-log.ts";
import { parseRecordOptions, type RecordOptions, recordParsers } from "../records/record-options.ts";
import type { SessionFileOptions } from "../session-file/session-file-options.ts";
import type { PostgresPool } from "./pool.ts";
import { PostgresBackend } from "./postgres-backend.ts";
import { openServer, placeOf } from "./server.ts";
import type { PostgresServerOptions } from "./server-options.ts";

/** These are the options of {@link postgresStore}. */
export interface PostgresOptions extends PostgresServerOptions, RecordOptions {}

/** Names of PostgreSQL have at most 63 bytes. */
const schemaPattern = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

const parsers: OptionParsers<PostgresOptions> = {
  database: (value, name) =>
    requireOption(
      isDatabase(value),
      value,
      name,
      "an address (postgres://user@host/database), or a Pool of the package pg",
    ),
  ...recordParsers,
  schema: (value, name) =>
    requireOption<string>(
      typeof value === "string" && schemaPattern.test(value),
      value,
      name,
      "a name of at most 63 characters: A-Z a-z 0-9 _, no digit first",
    ),
  synchronous: oneOf("full", "normal"),
  waitMs: milliseconds,
};

const usage = "postgresStore takes { database, session }: where the database is, and the id of a session in it";

/**
 * Keeps a journal in a PostgreSQL database, beside others. Nothing is connected before the first read.
 *
 * @param options The database, as an address or a `Pool` of the package `pg`, and the id of the session in it.
 * @throws TypeError for an option that does not exist, or has a wrong value.
 * @example
 * const journal = await openJournal(postgresStore({ database: "postgres://agents@db/journals", session: "agent-7" }));
 */
export function postgresStore(options: PostgresOptions): StreamStore {
  const parsed = parseRecordOptions(options, parsers, ["database", "session"], usage);
  return recordStore(backendOf(parsed), parsed);
}

export function postgresCatalog(options: PostgresServerOptions): SessionCatalog<SessionFileOptions> {
  const parsed = parseRecordOptions(options, parsers, ["database"], usage);
  return new RecordCatalog(backendOf(parsed), parsed);
}

function backendOf(options: PostgresServerOptions): RecordBackend {
  return { place: placeOf(options), open: async () => new PostgresBackend(await openServer(options)) };
}

function isDatabase(value: unknown): boolean {
  if (typeof value === "string") return /^postgres(?:ql)?:\/\//.test(value);
  return typeof (value as Partial<PostgresPool> | null)?.connect === "function";
}
