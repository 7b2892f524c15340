/** How a journal is kept in a PostgreSQL database. */

import type { SealKey } from "../../line/chain.ts";
import {
  flag,
  milliseconds,
  type OptionParsers,
  oneOf,
  parseOptions,
  requireOption,
  requireOptions,
  sealKey,
} from "../../options.ts";
import { keptId } from "../session-id.ts";
import type { PostgresPool } from "./pool.ts";

export interface PostgresServerOptions {
  /** `postgres://user:password@host:port/database`, or a `Pool` of the package pg, which stays its caller's. */
  readonly database: string | PostgresPool;
  /** The tables' schema, made where there is none: "session_journal". */
  readonly schema?: string;
  /**
   * "full": acknowledged is on the server's disk, and where it has synchronous standbys on theirs. "normal": it survives
   * this process, but not a crash of the server. "full" by default; of a pool that is handed in its caller says it.
   */
  readonly synchronous?: "full" | "normal";
  /** How long to try where the server gives no answer, and to wait for other writers: 10000. */
  readonly waitMs?: number;
  readonly readonly?: boolean;
  /** Make the tables where there are none: true. */
  readonly create?: boolean;
}

export interface PostgresOptions extends PostgresServerOptions {
  /** The session's id. */
  readonly session: string;
  /** Key that seals the hash chain. */
  readonly seal?: SealKey;
  /** A damaged record, or one that is missing, throws CorruptEntryError: false. */
  readonly strict?: boolean;
}

export const waitMsDefault = 10_000;
export const schemaDefault = "session_journal";

/** Names of PostgreSQL have at most 63 bytes. */
const schemaPattern = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

const parsers: OptionParsers<Omit<PostgresOptions, "database" | "session">> = {
  schema: (value, name) =>
    requireOption<string>(
      typeof value === "string" && schemaPattern.test(value),
      value,
      name,
      "a name of at most 63 characters: A-Z a-z 0-9 _, no digit first",
    ),
  seal: sealKey,
  strict: flag,
  synchronous: oneOf("full", "normal"),
  waitMs: milliseconds,
  readonly: flag,
  create: flag,
};

/** Throws a TypeError that names the option. */
export function parsePostgresOptions(options: PostgresOptions): PostgresOptions {
  requireOptions(options, "database", "session", ...Object.keys(parsers));
  const { session } = options;
  return { ...parseServerOptions(options), session: keptId(session, "session") };
}

/** The same for many sessions. */
export function parseServerOptions<Options extends PostgresServerOptions>(options: Options): Options {
  const { database, session: _, ...rest } = options as Options & { readonly session?: unknown };
  const what = "an address (postgres://user@host/database), or a Pool of the package pg";
  return {
    ...parseOptions<Omit<PostgresOptions, "database" | "session">>(rest, parsers),
    database: requireOption(isDatabase(database), database, "database", what),
  } as Options;
}

function isDatabase(value: unknown): boolean {
  if (typeof value === "string") return /^postgres(?:ql)?:\/\//.test(value);
  return typeof (value as Partial<PostgresPool> | null)?.connect === "function";
}
