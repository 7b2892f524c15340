/** How a journal is kept in a database. */

import type { SealKey } from "../../line/chain.ts";
import {
  flag,
  type OptionParsers,
  oneOf,
  parseOptions,
  requireOption,
  requireOptions,
  sealKey,
  wait,
} from "../../options.ts";
import { keptId } from "../session-id.ts";
import type { DatabaseOptions } from "./database.ts";
import type { SqliteDatabase } from "./schema.ts";

export interface SqliteOptions extends DatabaseOptions {
  /** The session's id. */
  readonly session: string;
  /** Key that seals the hash chain. */
  readonly seal?: SealKey;
  /** A damaged record, or one that is missing, throws CorruptEntryError: false. */
  readonly strict?: boolean;
}

const parsers: OptionParsers<Omit<SqliteOptions, "database" | "session">> = {
  seal: sealKey,
  strict: flag,
  synchronous: oneOf("full", "normal"),
  waitMs: wait,
  readonly: flag,
  create: flag,
};

/** Throws a TypeError that names the option. */
export function parseSqliteOptions(options: SqliteOptions): SqliteOptions {
  requireOptions(options, "database", "session", ...Object.keys(parsers));
  const { database, session, ...rest } = options;
  return {
    ...parseOptions(rest, parsers),
    database: requireOption(isDatabase(database), database, "database", "the path of a database, or an open one"),
    session: keptId(session, "session"),
  };
}

function isDatabase(value: unknown): boolean {
  if (typeof value === "string") return value !== "";
  const { exec, prepare } = (value ?? {}) as Partial<SqliteDatabase>;
  return typeof exec === "function" && typeof prepare === "function";
}
