/** Opens a database with the library that there is; a caller may hand in an open one instead. */
import { closeSync, existsSync, fchmodSync, openSync } from "node:fs";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { type Fate, JournalError, StorageError } from "../../errors.ts";
import { attach } from "./attached-database.ts";
import { findDriver } from "./drivers.ts";
import { explained, isBusy, patiently, unusable } from "./failure.ts";
import { OpenedFile } from "./opened-file.ts";
import { ReadonlyDatabase } from "./readonly-database.ts";
import { migrate, requireKnown, type SqliteDatabase, schemaOf, schemaVersion, versionOf } from "./schema.ts";

export interface DatabaseOptions {
  /** This is a path, or an open database of `node:sqlite`, `bun:sqlite`, better-sqlite3 or libsql. Its caller closes an open one. */
  readonly database: string | SqliteDatabase;
  /** "full" means that an acknowledged commit is on disk. "normal" survives this process, but not a power cut. The default is "full". */
  readonly synchronous?: "full" | "normal";
  /** This is how long to wait while another process holds the database. The default is 10,000. */
  readonly waitMs?: number;
  readonly readonly?: boolean;
  /** With true, the database is made if there is none. The default is true. */
  readonly create?: boolean;
}

const waitMsDefault = 10_000;
/** For so long, others of this process wait for a loop of calls. */
const turnMs = 5;
const ownerOnly = 0o600;

export class Database {
  /** This is for messages. */
  readonly where: string;
  readonly handle: SqliteDatabase;
  readonly #waitMs: number;
  readonly #isOwn: boolean;
  readonly #opened: OpenedFile | undefined;
  #turnAtMs = 0;

  /** `opened` is the file that must stay at its path. */
  constructor(where: string, handle: SqliteDatabase, waitMs: number, isOwn: boolean, opened?: OpenedFile) {
    this.where = where;
    this.#opened = opened;
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
    return this.patiently(() => {
      this.handle.exec("BEGIN IMMEDIATE");
      return this.#finish(work);
    });
  }

  /** It runs at once, and throws LockTimeoutError if another process holds the database at that moment. */
  read<Result>(work: () => Result): Result {
    try {
      this.#opened?.requireInPlace(this.where);
      return work();
    } catch (error) {
      throw explained(this.where, error, "not-written");
    }
  }

  /**
   * Tries `work` again while another process holds the database. SQLite works while the caller waits, so others of this
   * process get their turn after it: else a loop of calls would let no timer run.
   */
  async patiently<Result>(work: () => Result): Promise<Result> {
    const result = await patiently(this.where, this.#waitMs, () => {
      this.#opened?.requireInPlace(this.where);
      return work();
    });
    if (performance.now() >= this.#turnAtMs) {
      await turn();
      this.#turnAtMs = performance.now() + turnMs;
    }
    return result;
  }

  close(): void {
    if (this.#isOwn) this.handle.close();
  }

  #finish<Result>(work: () => Result): Result {
    let fate: Fate = "not-written";
    try {
      const result = work();
      this.#opened?.requireInPlace(this.where);
      fate = "unknown";
      this.handle.exec("COMMIT");
      return result;
    } catch (error) {
      this.#rollBack();
      throw isBusy(error) ? error : explained(this.where, error, fate);
    }
  }

  #rollBack(): void {
    try {
      this.handle.exec("ROLLBACK");
    } catch {
      // There is no transaction any more.
    }
  }
}

/** Throws StorageError, LockTimeoutError, and a TypeError for a database of a newer version or without the library. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { database: given, waitMs = waitMsDefault, readonly = false } = options;
  const isOwn = typeof given === "string";
  const where = isOwn ? given : "the database";
  const handle = isOwn ? await openPath(given, options) : given;
  const file = await patiently(where, waitMs, () => fileOf(given, handle));
  const database = new Database(where, handle, waitMs, isOwn, OpenedFile.of(file));
  try {
    if (readonly) await requireReadable(database);
    else await prepare(database, options);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The result is empty for a database that is no file. A caller's own knows where it lies. */
function fileOf(given: string | SqliteDatabase, handle: SqliteDatabase): string {
  if (typeof given === "string") return elsewhere.test(given) ? "" : path.resolve(given);
  const databases = handle.prepare("PRAGMA database_list").all() as readonly { name: string; file: string | null }[];
  return databases.find(({ name }) => name === schemaOf(handle))?.file ?? "";
}

/** Opens a database that another program made, to be read without a trace. It throws as `openDatabase` does. */
export async function openToRead(path: string): Promise<Database> {
  return new Database(path, await openPath(path, { database: path, readonly: true }), waitMsDefault, true);
}

async function prepare(database: Database, { synchronous = "full" }: DatabaseOptions): Promise<void> {
  const { handle, where } = database;
  const schema = schemaOf(handle);
  await database.patiently(() => handle.prepare(`PRAGMA ${schema}.journal_mode = WAL`).get());
  await database.patiently(() => handle.exec(`PRAGMA ${schema}.synchronous = ${synchronous}`));
  if ((await database.patiently(() => versionOf(handle))) !== schemaVersion)
    await database.transaction(() => migrate(handle, where));
}

async function requireReadable(database: Database): Promise<void> {
  const { handle, where } = database;
  const version = await database.patiently(() => versionOf(handle));
  requireKnown(version, where);
  if (version === schemaVersion) return;
  const fault = version === 0 ? "holds no journals" : `has the older schema ${version}`;
  throw new TypeError(`${where} ${fault}: open it once to write`);
}

async function openPath(path: string, options: DatabaseOptions): Promise<SqliteDatabase> {
  const { readonly = false, create = true, waitMs = waitMsDefault } = options;
  if ((readonly || !create) && !existsSync(path)) {
    throw new StorageError(`${path} does not exist: check the path`, "not-written", { file: path });
  }
  const { connect } = await findDriver();
  try {
    const open = (place: string) => attach(connect(":memory:"), place);
    // Attaching reads the database, and another process may hold it just then.
    if (readonly) return await patiently(path, waitMs, () => new ReadonlyDatabase(path, open));
    if (elsewhere.test(path)) return await patiently(path, waitMs, () => connect(path));
    makePrivate(path);
    return await patiently(path, waitMs, () => open(path));
  } catch (error) {
    throw error instanceof JournalError ? error : unusable(path, error, "not-written");
  }
}

/** This is not a path: a database in memory, or a scheme that the library understands. A drive of Windows has one letter. */
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
