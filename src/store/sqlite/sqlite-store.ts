/**
 * Many journals in one SQLite database. A transaction that begins by taking the write lock is the guard: what is read in
 * it is the newest, and deciding happens inside.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ClosedError, CorruptEntryError, LockTimeoutError, ReadonlyError } from "../../errors.ts";
import type { CommitData, Draft, Head } from "../../event/commit.ts";
import type { RecordedEvent, Version } from "../../event/event.ts";
import { Ledger } from "../../line/acceptance.ts";
import { genesisHash, type SealKey } from "../../line/chain.ts";
import { commitDataOf } from "../../line/encode.ts";
import { type AcceptedRecord, parseRecord, type StreamRecord, takeRecord } from "../../line/record.ts";
import type { EventSink, JournalStore, Position, Snapshot, StoreCapabilities, StreamEnd } from "../store.ts";
import { isBusy, type OpenedDatabase, openDatabase, unusable } from "./database.ts";
import type { SqliteDatabase } from "./schema.ts";
import { parseSqliteSnapshot, type SqliteSnapshot } from "./snapshot.ts";

export interface SqliteOptions {
  /** The path of the database file, or an open database of libsql, better-sqlite3 or `node:sqlite`. */
  readonly database: string | SqliteDatabase;
  /** The session's id. */
  readonly session: string;
  /** "full": acknowledged is on disk. "normal": it survives this process, but not a power cut. "full" by default. */
  readonly synchronous?: "full" | "normal";
  /** How long to wait for another writer: 5000. */
  readonly waitMs?: number;
  /** Key that seals the hash chain. */
  readonly seal?: SealKey;
  readonly readonly?: boolean;
}

export function sqliteStore(options: SqliteOptions): JournalStore {
  return new SqliteStore(options);
}

/** A history in the database is only ever appended to. */
const epoch = 1;
const pollMs = 50;
const pauseMsMax = 8;
const waitMsDefault = 5000;
const nobody: EventSink = { reset: () => undefined, event: () => undefined };

class SqliteStore implements JournalStore {
  readonly where: string;
  readonly supports: StoreCapabilities = { shared: true, snapshots: true, lines: false };
  readonly #options: SqliteOptions;
  readonly #wakes = new Set<() => void>();
  #ledger: Ledger;
  #opening: Promise<OpenedDatabase> | undefined;
  #turnstile: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: SqliteOptions) {
    const { database, session } = options;
    this.#options = options;
    this.where = `sqlite:${typeof database === "string" ? database : ""}#${session}`;
    this.#ledger = this.#newLedger();
  }

  async sessionId(): Promise<string> {
    return this.#options.session;
  }

  catchUp(from: Position | undefined, sink: EventSink): Promise<StreamEnd> {
    return this.#alone(async (database) => this.#tell(database, from, sink));
  }

  commit(
    from: Position | undefined,
    sink: EventSink,
    decide: (end: StreamEnd) => Draft | undefined,
  ): Promise<StreamEnd> {
    return this.#alone(async (database) => {
      if (this.#options.readonly === true)
        throw new ReadonlyError(`${this.where} was opened readonly: open it without to write`);
      await this.#begin(database);
      try {
        const draft = decide(this.#tell(database, from, sink));
        if (draft !== undefined && draft.events.length > 0) this.#insert(database, draft);
        database.exec("COMMIT");
      } catch (error) {
        rollBack(database);
        throw error;
      }
      this.#advance(database, sink);
      for (const wake of this.#wakes) queueMicrotask(wake);
      return this.#end();
    });
  }

  knows(command: string): boolean {
    return this.#ledger.hasCommand(command);
  }

  async *read(from: Version): AsyncIterable<RecordedEvent> {
    for await (const { events } of this.records()) {
      for (const recorded of events) if (recorded.version > from) yield recorded;
    }
  }

  async *records(): AsyncIterable<AcceptedRecord> {
    const ledger = this.#newLedger();
    const database = await this.#database();
    for (let more = true; more; ) {
      const rows = rowsAfter(database, this.#options.session, ledger.version, pageRows);
      for (const row of rows) yield this.#accept(ledger, row);
      more = rows.length === pageRows;
    }
  }

  async headAt(version: Version): Promise<Head | undefined> {
    const { session, seal } = this.#options;
    if (version === 0) return { version, hash: genesisHash(session, seal) };
    for await (const { record, events } of this.records()) {
      const last = events.at(-1);
      if (last !== undefined && last.version >= version && record.kind === "commit") {
        return { version, hash: record.data.hash };
      }
    }
    return undefined;
  }

  async watch(wake: () => void): Promise<() => Promise<void>> {
    const database = await this.#database();
    const look = database.prepare("PRAGMA data_version");
    const seenNow = (): number => (look.get() as { data_version: number }).data_version;
    let seen = seenNow();
    const own = (): void => wake();
    this.#wakes.add(own);
    const poll = setInterval(() => {
      if (this.#closed || seenNow() === seen) return;
      seen = seenNow();
      wake();
    }, pollMs);
    return async () => {
      clearInterval(poll);
      this.#wakes.delete(own);
    };
  }

  async loadSnapshot(): Promise<Snapshot | undefined> {
    return this.#alone(async (database) => {
      const { session } = this.#options;
      const row = database.prepare("SELECT snapshot FROM snapshots WHERE session = ?").get(session);
      const loaded = parseSqliteSnapshot((row as { snapshot?: unknown } | undefined)?.snapshot);
      if (loaded === undefined || !this.#holds(database, loaded)) return undefined;
      this.#ledger.restore(loaded.ledger);
      return loaded.snapshot;
    });
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    if (this.#options.readonly === true) return;
    await this.#alone(async (database) => {
      if (snapshot.end.version !== this.#ledger.version) return;
      const saved: SqliteSnapshot = { snapshot, ledger: this.#ledger.image() };
      const sql = "INSERT OR REPLACE INTO snapshots (session, snapshot) VALUES (?, ?)";
      database.prepare(sql).run(this.#options.session, JSON.stringify(saved));
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#wakes.clear();
    await this.#turnstile;
    (await this.#opening?.catch(() => undefined))?.close();
  }

  /** The row that the snapshot ends with is still the one it was taken at. */
  #holds(database: SqliteDatabase, { ledger }: SqliteSnapshot): boolean {
    if (ledger.head.version === 0) return true;
    const row = rowsAfter(database, this.#options.session, ledger.head.version - 1, 1)[0];
    const record = row === undefined ? undefined : parseRecord(row.record);
    if (row?.version !== ledger.head.version || record === undefined) return false;
    return record.kind === "value" || record.data.hash === ledger.head.hash;
  }

  #newLedger(): Ledger {
    return new Ledger({ id: this.#options.session }, this.#options.seal);
  }

  async #database(): Promise<SqliteDatabase> {
    if (this.#closed) throw new ClosedError(`${this.where} was closed: open it again`);
    const { database, synchronous = "full" } = this.#options;
    this.#opening ??= openDatabase(database, synchronous);
    return (await this.#opening).database;
  }

  #alone<Result>(task: (database: SqliteDatabase) => Promise<Result>): Promise<Result> {
    const turn = this.#turnstile.then(async () => task(await this.#database()));
    this.#turnstile = turn.catch(() => undefined);
    return turn;
  }

  /** Waits in pauses of this process's own: waiting inside the library would stop the event loop. */
  async #begin(database: SqliteDatabase): Promise<void> {
    const { waitMs = waitMsDefault } = this.#options;
    const deadline = Date.now() + waitMs;
    for (;;) {
      try {
        database.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE");
        return;
      } catch (error) {
        if (!isBusy(error)) throw unusable(this.where, error);
        if (Date.now() >= deadline) {
          throw new LockTimeoutError(`another writer held ${this.where} for ${waitMs} ms: try again, or raise waitMs`);
        }
        await sleep(1 + Math.random() * (pauseMsMax - 1));
      }
    }
  }

  #end(): StreamEnd {
    const { version, hash, turn } = this.#ledger;
    return { epoch, version, hash, turn };
  }

  /** Another journal on this store may lag behind what the store has read. */
  #tell(database: SqliteDatabase, from: Position | undefined, sink: EventSink): StreamEnd {
    const strange = from !== undefined && from.epoch !== epoch;
    const known = from === undefined || strange ? 0 : from.version;
    if (strange) sink.reset("rewritten");
    if (known === this.#ledger.version) return this.#advance(database, sink);
    this.#advance(database, nobody);
    const ledger = this.#newLedger();
    for (const row of rowsAfter(database, this.#options.session, 0)) {
      for (const recorded of this.#accept(ledger, row).events) if (recorded.version > known) sink.event(recorded);
    }
    return this.#end();
  }

  #advance(database: SqliteDatabase, sink: EventSink): StreamEnd {
    for (const row of rowsAfter(database, this.#options.session, this.#ledger.version)) {
      for (const recorded of this.#accept(this.#ledger, row).events) sink.event(recorded);
    }
    return this.#end();
  }

  #accept(ledger: Ledger, row: Row): AcceptedRecord {
    const record = parseRecord(row.record);
    const events = record === undefined ? [] : takeRecord(ledger, record).events;
    if (record !== undefined && ledger.version === row.version) return { record, events };
    throw new CorruptEntryError(
      `${this.where}, version ${row.version}: the record is damaged: restore the database from a copy`,
      { file: this.where },
    );
  }

  #insert(database: SqliteDatabase, draft: Draft): void {
    const data = commitDataOf(draft, this.#ledger.head, "file", this.#options.seal);
    this.#keep(database, { kind: "commit", turn: this.#ledger.turn, data }, data.version);
  }

  #keep(database: SqliteDatabase, record: StreamRecord, version: Version): void {
    const { session } = this.#options;
    const insert = database.prepare("INSERT INTO records (session, version, record) VALUES (?, ?, ?)");
    insert.run(session, version, JSON.stringify(record));
    const text = record.kind === "commit" ? textsOf(record.data) : JSON.stringify(record.data ?? "");
    database.prepare("INSERT INTO texts (session, version, text) VALUES (?, ?, ?)").run(session, version, text);
  }
}

interface Row {
  readonly version: Version;
  readonly record: string;
}

const pageRows = 256;

function rowsAfter(database: SqliteDatabase, session: string, version: Version, limit = -1): readonly Row[] {
  const sql = "SELECT version, record FROM records WHERE session = ? AND version > ? ORDER BY version LIMIT ?";
  return database.prepare(sql).all(session, version, limit) as readonly Row[];
}

function textsOf(data: CommitData): string {
  return data.events.map((event) => JSON.stringify(event)).join("\n");
}

function rollBack(database: SqliteDatabase): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // There is no transaction any more.
  }
}
