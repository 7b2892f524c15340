/**
 * A database that is read without a trace. In WAL mode even a reader needs the files beside the database: where there are
 * none it would make them, which changes the folder, or fails where the folder may not be written to. So a database that
 * nobody has open is read as a file that does not change (`immutable`), and opened again when it has changed after all;
 * once there is a log beside it, it is read with the log, as a live writer's (`mode=ro`). Nothing but SQLite may open the
 * file: closing a descriptor of one's own drops the locks that this process's writers hold.
 */
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { SqliteDatabase, SqliteStatement } from "./schema.ts";

/** A file that was changed so recently may be changed again without a new time. */
const settledMs = 50;
const attemptsMax = 100;

interface Look {
  /** What commits change; undefined where the log must be read. */
  readonly fingerprint: string | undefined;
  readonly settled: boolean;
}

export class ReadonlyDatabase implements SqliteDatabase {
  /** Counts the times that it was opened: counters of SQLite's begin anew. */
  openings = 0;
  readonly #file: string;
  readonly #openUri: (uri: string) => SqliteDatabase;
  #opened: { readonly handle: SqliteDatabase; readonly look: Look } | undefined;

  /** `openUri`: throws as the library does. */
  constructor(file: string, openUri: (uri: string) => SqliteDatabase) {
    this.#file = path.resolve(file);
    this.#openUri = openUri;
    this.#handle();
  }

  get schema(): string | undefined {
    return this.#handle().schema;
  }

  exec(sql: string): unknown {
    return this.#handle().exec(sql);
  }

  prepare(sql: string): SqliteStatement {
    return {
      run: (...values) =>
        this.#handle()
          .prepare(sql)
          .run(...values),
      get: (...values) => this.#read((handle) => handle.prepare(sql).get(...values)),
      all: (...values) => this.#read((handle) => handle.prepare(sql).all(...values)),
    };
  }

  close(): void {
    this.#opened?.handle.close();
    this.#opened = undefined;
  }

  /** What was read while somebody changed the file may be of two states, and is read again. */
  #read<Result>(ask: (handle: SqliteDatabase) => Result): Result {
    for (let attempt = 1; ; attempt++) {
      const handle = this.#handle();
      try {
        const result = ask(handle);
        if (this.#isCurrent() || attempt === attemptsMax) return result;
      } catch (error) {
        if (this.#isCurrent() || attempt === attemptsMax) throw error;
      }
    }
  }

  #handle(): SqliteDatabase {
    const opened = this.#opened;
    if (opened?.look.settled && this.#isCurrent()) return opened.handle;
    this.close();
    const look = this.#look();
    const uri = `${pathToFileURL(this.#file).href}?${look.fingerprint === undefined ? "mode=ro" : "mode=ro&immutable=1"}`;
    const handle = this.#openUri(uri);
    this.#opened = { handle, look };
    this.openings += 1;
    return handle;
  }

  #isCurrent(): boolean {
    const fingerprint = this.#opened?.look.fingerprint;
    return fingerprint === undefined || this.#look().fingerprint === fingerprint;
  }

  #look(): Look {
    const hasLog = (sizeOf(`${this.#file}-wal`) ?? 0) > 0 || sizeOf(`${this.#file}-journal`) !== undefined;
    if (hasLog) return { fingerprint: undefined, settled: true };
    const stats = fs.statSync(this.#file, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return { fingerprint: "gone", settled: false };
    const { dev, ino, size, mtimeNs, ctimeNs, mtimeMs } = stats;
    return {
      fingerprint: [dev, ino, size, mtimeNs, ctimeNs].join(),
      settled: Date.now() - Number(mtimeMs) > settledMs,
    };
  }
}

function sizeOf(file: string): number | undefined {
  return fs.statSync(file, { throwIfNoEntry: false })?.size;
}
