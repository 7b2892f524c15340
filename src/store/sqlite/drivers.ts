/** These libraries open a database: that of the runtime, so that nothing needs to be installed, else `libsql`. */
import { installing } from "../../errors.ts";
import type { SqliteDatabase } from "./schema.ts";

export interface Driver {
  readonly name: "bun:sqlite" | "node:sqlite" | "libsql";
  /** `place` is a path, ":memory:" or a `file:` URI. It throws as the library does. */
  connect(place: string): SqliteDatabase;
}

/** The first that is there: always the same, for two libraries in one process do not see each other's locks. Throws a TypeError where none is. */
export async function findDriver(): Promise<Driver> {
  return ofBun() ?? ofNode() ?? (await ofLibsql());
}

/** The database is opened with READWRITE, CREATE and URI, as the others do by themselves. */
const bunFlags = 0x46;

function ofBun(): Driver | undefined {
  const { Database } = builtin<{ Database: new (place: string, flags: number) => SqliteDatabase }>("bun:sqlite") ?? {};
  return Database && { name: "bun:sqlite", connect: (place) => new Database(place, bunFlags) };
}

function ofNode(): Driver | undefined {
  const { DatabaseSync } = withoutWarning(() => builtin<{ DatabaseSync: Connection }>("node:sqlite")) ?? {};
  if (DatabaseSync === undefined || !isWhole(DatabaseSync)) return undefined;
  return { name: "node:sqlite", connect: (place) => new DatabaseSync(place) };
}

async function ofLibsql(): Promise<Driver> {
  const { default: Libsql } = await import("libsql").catch((cause: unknown) => {
    const ways = `${installing("libsql")}, or use Node 22.16 or newer, Bun, or Deno with --allow-all`;
    throw new TypeError(`sqlite: finds no SQLite in this runtime: ${ways}`, { cause });
  });
  return { name: "libsql", connect: (place) => new Libsql(place, { timeout: 0 }) };
}

type Connection = new (place: string) => SqliteDatabase;

/** Before 22.16 it has neither the search that we use, nor URIs: without them this place is a folder that is not there. */
function isWhole(DatabaseSync: Connection): boolean {
  try {
    const memory = new DatabaseSync("file:///sqlite?mode=memory");
    memory.exec("CREATE VIRTUAL TABLE texts USING fts5 (text)");
    memory.close();
    return true;
  } catch {
    return false;
  }
}

/** Unlike an import, this is no error where there is none, and no bundler follows it. */
function builtin<Module>(name: string): Module | undefined {
  return process.getBuiltinModule(name) as Module | undefined;
}

/** Node 22 calls it experimental, on the standard error of whoever loads it first. */
function withoutWarning<Result>(load: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
