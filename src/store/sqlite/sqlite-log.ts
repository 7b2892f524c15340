/**
 * Many journals in one SQLite database. A transaction that begins by taking the write lock is the guard: what is read in
 * it is the newest, and deciding happens inside.
 */
import type { CheckpointPlace, Cursor, Log, LogPage, LogRecord, Session, Step } from "../../stream/log.ts";
import { isAtRecord, RecordCursor, readRecord } from "../../stream/record-entry.ts";
import { type StreamStore, streamStore } from "../../stream/stream-store.ts";
import { absentSession, namedMax } from "../absent-session.ts";
import { OpenedOnce } from "../opened-once.ts";
import { idInAddress } from "../session-id.ts";
import { type Database, openDatabase } from "./database.ts";
import { keepRecord, newestSessions, recordAt, recordsAfter, savedSnapshot, saveSnapshot } from "./rows.ts";
import { parseSqliteOptions, type SqliteOptions } from "./sqlite-options.ts";
import { wakeWatchers, watchDatabase } from "./watch.ts";

/** Nothing is touched before the first read. Throws a TypeError for a wrong option. */
export function sqliteStore(options: SqliteOptions): StreamStore {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      "sqliteStore takes { database, session }: where the database is, and the id of a session in it",
    );
  }
  const parsed = parseSqliteOptions(options);
  return streamStore(new SqliteLog(parsed, () => openDatabase(parsed), true), parsed);
}

/** A store on a database that is shared, and stays open when the store is closed. */
export function sqliteStoreOn(database: () => Promise<Database>, options: SqliteOptions): StreamStore {
  return streamStore(new SqliteLog(options, database, false), options);
}

const pageRows = 256;

class SqliteLog implements Log {
  readonly where: string;
  readonly checkpoint: CheckpointPlace;
  readonly #options: SqliteOptions;
  readonly #database: OpenedOnce<Database>;
  readonly #ownsDatabase: boolean;
  readonly #unwatches = new Set<() => void>();

  constructor(options: SqliteOptions, open: () => Promise<Database>, ownsDatabase: boolean) {
    const { database, session } = options;
    this.#options = options;
    this.#ownsDatabase = ownsDatabase;
    this.where = `sqlite:${typeof database === "string" ? database : ""}#${idInAddress(session)}`;
    this.#database = new OpenedOnce(this.where, open);
    this.checkpoint = { where: `of ${this.where}`, load: () => this.#load(), save: (text) => this.#save(text) };
  }

  /** Who only reads may come before the first event: a session that nobody has written to yet leaves no trace. */
  async session(): Promise<Session> {
    const { session, create = true } = this.#options;
    if (create) return { id: session };
    const database = await this.#database.get();
    if (database.read(() => this.#after(database, 0, 1)).length > 0) return { id: session };
    throw absentSession(
      this.where,
      database.read(() => newestSessions(database.handle, namedMax)),
    );
  }

  async *read(after: Cursor | undefined): AsyncGenerator<LogPage, undefined> {
    const database = await this.#database.get();
    let cursor = database.read(() => this.#cursorAt(database, after));
    if (cursor === undefined) {
      cursor = new RecordCursor(0, undefined);
      yield { entries: [{ kind: "begin", session: { id: this.#options.session } }], cursor };
    }
    for (let rows = pageRows; rows === pageRows; ) {
      const page = database.read(() => this.#pageAfter(database, cursor as RecordCursor, pageRows));
      rows = page.entries.length;
      cursor = page.cursor;
      if (rows > 0) yield page;
    }
  }

  async append(after: Cursor | undefined, next: (page: LogPage) => Step): Promise<void> {
    const database = await this.#database.get();
    let cursor = database.read(() => this.#cursorAt(database, after));
    if (cursor === undefined) {
      next({ entries: [{ kind: "begin", session: { id: this.#options.session } }], cursor });
      return;
    }
    const told = (): Step => {
      const page = this.#pageAfter(database, cursor as RecordCursor);
      cursor = page.cursor;
      return next(page);
    };
    // What it asks for outside of a transaction is asked for again in the next one.
    for (let isOver = false; !isOver; isOver ||= database.read(told).type !== "append") {
      await database.transaction(() => {
        const step = told();
        if (step.type === "append") this.#insert(database, (cursor as RecordCursor).place, step.records);
        else isOver = true;
      });
      if (!isOver) wakeWatchers(database.handle);
    }
  }

  async watch(wake: () => void): Promise<() => Promise<void>> {
    const unwatch = watchDatabase(await this.#database.get(), wake);
    this.#unwatches.add(unwatch);
    return async () => {
      this.#unwatches.delete(unwatch);
      unwatch();
    };
  }

  async close(): Promise<void> {
    for (const unwatch of this.#unwatches) unwatch();
    await this.#database.close((database) => this.#ownsDatabase && database.close());
  }

  /** Undefined: it was printed when another record stood there. */
  #cursorAt(database: Database, after: Cursor | undefined): RecordCursor | undefined {
    if (after instanceof RecordCursor) return after;
    const { place, digest } = (after ?? { place: 0, digest: "" }) as {
      readonly place: number;
      readonly digest: string;
    };
    const record = place === 0 ? undefined : recordAt(database.handle, this.#options.session, place);
    return isAtRecord({ digest }, record) ? new RecordCursor(place, record) : undefined;
  }

  #pageAfter(database: Database, cursor: RecordCursor, rowsMax?: number): LogPage & { readonly cursor: RecordCursor } {
    const rows = this.#after(database, cursor.place, rowsMax);
    const last = rows.at(-1);
    return {
      entries: rows.map(({ place, json }) => readRecord(json, place)),
      cursor: last === undefined ? cursor : new RecordCursor(last.place, last.json),
    };
  }

  #after(database: Database, place: number, rowsMax?: number) {
    return recordsAfter(database.handle, this.#options.session, place, rowsMax);
  }

  /** Inside a transaction. A record that does not count stays where it is: the next one stands behind it. */
  #insert(database: Database, after: number, records: readonly LogRecord[]): void {
    let place = after;
    for (const { version, ...record } of records) {
      place = Math.max(version, place + 1);
      keepRecord(database.handle, this.#options.session, { place, json: JSON.stringify(record) }, version);
    }
  }

  async #load(): Promise<string | undefined> {
    const database = await this.#database.get();
    const saved = database.read(() => savedSnapshot(database.handle, this.#options.session));
    return typeof saved === "string" ? saved : undefined;
  }

  async #save(text: string): Promise<void> {
    const database = await this.#database.get();
    await database.transaction(() => saveSnapshot(database.handle, this.#options.session, text));
  }
}
