/** Opens a database through libsql, which needs no compiler; a caller may hand in one of another library instead. */
import { closeSync, existsSync, fchmodSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { LockTimeoutError, StorageError } from "../../errors.ts";
import { AttachedDatabase } from "./attached-database.ts";
import { ReadonlyDatabase } from "./readonly-database.ts";
import { migrate, requireKnown, type SqliteDatabase, schemaOf, schemaVersion, versionOf } from "./schema.ts";

export interface DatabaseOptions {
  /** A path, or an open database of better-sqlite3, libsql or `node:sqlite`, which stays its caller's. */
  readonly database: string | SqliteDatabase;
  /** "full": acknowledged is on disk. "normal": it survives this process, but not a power cut. "full" by default. */
  readonly synchronous?: "full" | "normal";
  /** How long to wait for another writer: 5000. */
  readonly waitMs?: number;
  readonly readonly?: boolean;
  /** Make the database where there is none: true. */
  readonly create?: boolean;
}

const waitMsDefault = 5000;
const pauseMsMax = 8;
const ownerOnly = 0o600;

export class Database {
  /** For messages. */
  readonly where: string;
  readonly handle: SqliteDatabase;
  readonly #waitMs: number;
  readonly #isOwn: boolean;

  constructor(where: string, handle: SqliteDatabase, waitMs: number, isOwn: boolean) {
    this.where = where;
    this.handle = handle;
    this.#waitMs = waitMs;
    this.#isOwn = isOwn;
  }

  /** Counters of SQLite's hold for one of them. */
  get openings(): number {
    return this.handle instanceof ReadonlyDatabase ? this.handle.openings : 0;
  }

  /**
   * What `work` reads and writes is all or nothing, and nobody else writes meanwhile. It must be synchronous: another
   * store on the same handle would find itself in this transaction.
   */
  transaction<Result>(work: () => Result): Promise<Result> {
    return this.patiently(
      () => void this.handle.exec("BEGIN IMMEDIATE"),
      () => this.#finish(work),
    );
  }

  read<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw this.#explained(error, "not-written");
    }
  }

  /**
   * Tries `begin` again while another process holds the database, in pauses of this process's own: waiting inside the
   * library would stop the event loop. `then` follows in the same breath.
   */
  async patiently<Begun, Result>(begin: () => Begun, then: (begun: Begun) => Result): Promise<Result> {
    const deadline = performance.now() + this.#waitMs;
    for (;;) {
      let begun: Begun;
      try {
        begun = begin();
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw this.#explained(error, "not-written");
        await sleep(1 + Math.random() * (pauseMsMax - 1));
        continue;
      }
      return then(begun);
    }
  }

  close(): void {
    if (this.#isOwn) this.handle.close();
  }

  #finish<Result>(work: () => Result): Result {
    let fate: "not-written" | "unknown" = "not-written";
    try {
      const result = work();
      fate = "unknown";
      this.handle.exec("COMMIT");
      return result;
    } catch (error) {
      this.#rollBack();
      throw this.#explained(error, fate);
    }
  }

  #rollBack(): void {
    try {
      this.handle.exec("ROLLBACK");
    } catch {
      // There is no transaction any more.
    }
  }

  #locked(cause: unknown): LockTimeoutError {
    return new LockTimeoutError(
      `another writer held ${this.where} for ${this.#waitMs} ms: try again, or raise waitMs`,
      { file: this.where },
      { cause },
    );
  }

  #explained(error: unknown, fate: "not-written" | "unknown"): unknown {
    if (isBusy(error)) return this.#locked(error);
    return isSqliteError(error) ? unusable(this.where, error, fate) : error;
  }
}

/** Throws StorageError, LockTimeoutError, and a TypeError for a database of a newer version or without the library. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { database: given, waitMs = waitMsDefault, readonly = false } = options;
  const isOwn = typeof given === "string";
  const where = isOwn ? given : "the database";
  const handle = isOwn ? await openPath(given, options) : given;
  const database = new Database(where, handle, waitMs, isOwn);
  try {
    if (readonly) requireReadable(database);
    else await prepare(database, options);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** A database that another program made, to be read without a trace. Throws as `openDatabase` does. */
export async function openToRead(path: string): Promise<Database> {
  return new Database(path, await openPath(path, { database: path, readonly: true }), waitMsDefault, true);
}

async function prepare(database: Database, { synchronous = "full" }: DatabaseOptions): Promise<void> {
  const { handle, where } = database;
  const schema = schemaOf(handle);
  await database.patiently(
    () => handle.prepare(`PRAGMA ${schema}.journal_mode = WAL`).get(),
    () => handle.exec(`PRAGMA ${schema}.synchronous = ${synchronous}`),
  );
  if (database.read(() => versionOf(handle)) !== schemaVersion)
    await database.transaction(() => migrate(handle, where));
}

function requireReadable(database: Database): void {
  const { handle, where } = database;
  const version = database.read(() => versionOf(handle));
  requireKnown(version, where);
  if (version === schemaVersion) return;
  const fault = version === 0 ? "holds no journals" : `has the older schema ${version}`;
  throw new TypeError(`${where} ${fault}: open it once to write`);
}

async function openPath(path: string, { readonly = false, create = true }: DatabaseOptions): Promise<SqliteDatabase> {
  if ((readonly || !create) && !existsSync(path)) {
    throw new StorageError(`${path} is not there: check the path`, "not-written", { file: path });
  }
  const { default: Libsql } = await import("libsql").catch((cause: unknown) => {
    throw new TypeError("sqlite: needs the package libsql: run `npm install libsql`, or hand in an open database", {
      cause,
    });
  });
  try {
    const connect = (place: string): SqliteDatabase => new Libsql(place, { timeout: 0 });
    const attach = (place: string) => new AttachedDatabase(connect(":memory:"), place);
    if (readonly) return new ReadonlyDatabase(path, attach);
    if (elsewhere.test(path)) return connect(path);
    makePrivate(path);
    return attach(path);
  } catch (error) {
    throw unusable(path, error, "not-written");
  }
}

/** Not a path: a database in memory, or a scheme that the library understands. A drive of Windows is one letter. */
const elsewhere = /^$|^:memory:$|^[a-z][a-z0-9+.-]+:/i;

/** An empty file is an empty database, and SQLite gives its side files the mode of the file that it finds. */
function makePrivate(path: string): void {
  if (existsSync(path)) return;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, "wx", ownerOnly);
    fchmodSync(descriptor, ownerOnly);
  } catch {
    // Somebody else has just made it, or the library says what is wrong with the path.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function isBusy(error: unknown): boolean {
  return /SQLITE_BUSY|database is locked/.test(`${codeOf(error)} ${(error as Error).message}`);
}

/** As libsql, better-sqlite3 and `node:sqlite` name theirs. */
function isSqliteError(error: unknown): boolean {
  return /^(ERR_)?SQLITE/.test(`${codeOf(error)}`) || (error as Error).name === "SqliteError";
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

function unusable(where: string, cause: unknown, fate: "not-written" | "unknown"): StorageError {
  const { message } = cause as Error;
  return new StorageError(
    `cannot use the database ${where} (${message}): check the path and the disk`,
    fate,
    { file: where },
    cause,
  );
}
