/**
 * Many journals in one SQLite database. A transaction that begins by taking the write lock is the guard: what is read in
 * it is the newest, and deciding happens inside.
 */
import { ClosedError, ReadonlyError } from "../../errors.ts";
import type { Draft, Head } from "../../event/commit.ts";
import type { RecordedEvent, Version } from "../../event/event.ts";
import { genesisHash, type SealKey } from "../../line/chain.ts";
import { type AcceptedRecord, parseRecord, type StreamRecord } from "../../line/record.ts";
import { parseRecordSnapshot, printRecordSnapshot, type RecordSnapshot } from "../records/record-snapshot.ts";
import { type KeptRecord, nobody, pagesOf, RecordStream } from "../records/record-stream.ts";
import type { EventSink, JournalStore, Position, Snapshot, StoreCapabilities, StreamEnd } from "../store.ts";
import { type Database, type DatabaseOptions, openDatabase } from "./database.ts";
import { commitUpTo, holdsVersion, keepRecord, recordsAfter, savedSnapshot, saveSnapshot } from "./rows.ts";
import type { SqliteDatabase } from "./schema.ts";
import { watchDatabase, wakeWatchers } from "./watch.ts";

export interface SqliteOptions extends DatabaseOptions {
  /** The session's id. */
  readonly session: string;
  /** Key that seals the hash chain. */
  readonly seal?: SealKey;
}

/** Nothing is touched before the first read. */
export function sqliteStore(options: SqliteOptions): JournalStore {
  return new SqliteStore(options, () => openDatabase(options), true);
}

/** A store on a database that is shared, and stays open when the store is closed. */
export function sqliteStoreOn(database: () => Promise<Database>, options: SqliteOptions): JournalStore {
  return new SqliteStore(options, database, false);
}

const pageRows = 256;

class SqliteStore implements JournalStore {
  readonly where: string;
  readonly supports: StoreCapabilities = { shared: true, snapshots: true, lines: false };
  readonly #options: SqliteOptions;
  readonly #open: () => Promise<Database>;
  readonly #ownsDatabase: boolean;
  readonly #stream: RecordStream;
  readonly #unwatches = new Set<() => void>();
  #opening: Promise<Database> | undefined;
  #turnstile: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: SqliteOptions, open: () => Promise<Database>, ownsDatabase: boolean) {
    const { database, session } = options;
    this.#options = options;
    this.#open = open;
    this.#ownsDatabase = ownsDatabase;
    this.where = `sqlite:${typeof database === "string" ? database : ""}#${session}`;
    this.#stream = this.#newStream();
  }

  async sessionId(): Promise<string> {
    return this.#options.session;
  }

  catchUp(from: Position | undefined, sink: EventSink): Promise<StreamEnd> {
    return this.#alone(async (database) => database.read(() => this.#tell(database, from, sink)));
  }

  commit(
    from: Position | undefined,
    sink: EventSink,
    decide: (end: StreamEnd) => Draft | undefined,
  ): Promise<StreamEnd> {
    return this.#alone(async (database) => {
      this.#requireWritable();
      await database.transaction(() => {
        const draft = decide(this.#tell(database, from, sink));
        if (draft === undefined || draft.events.length === 0) return;
        this.#insert(database, this.#stream, this.#stream.recordOf(draft).record);
      });
      database.read(() => this.#tell(database, this.#stream.end(), sink));
      wakeWatchers(database.handle);
      return this.#stream.end();
    });
  }

  knows(command: string): boolean {
    return this.#stream.ledger.hasCommand(command);
  }

  async *read(from: Version): AsyncIterable<RecordedEvent> {
    for await (const { events } of this.records()) {
      for (const recorded of events) if (recorded.version > from) yield recorded;
    }
  }

  async *records(): AsyncIterable<AcceptedRecord> {
    const stream = this.#newStream();
    const database = await this.#database();
    for (let more = true; more; ) {
      const page = database.read(() => this.#after(database, stream.place, pageRows));
      for (const kept of page) yield stream.take(kept);
      more = page.length === pageRows;
    }
  }

  importRecords(after: Version, records: AsyncIterable<StreamRecord>): Promise<StreamEnd> {
    return this.#alone(async (database) => {
      this.#requireWritable();
      const stream = this.#newStream();
      stream.tell(undefined, nobody, database.read(() => this.#after(database, 0)));
      stream.requireVersion(after);
      for await (const page of pagesOf(records, pageRows)) {
        await database.transaction(() => this.#append(database, stream, page));
      }
      database.read(() => this.#tell(database, this.#stream.end(), nobody));
      wakeWatchers(database.handle);
      return this.#stream.end();
    });
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
    const unwatch = watchDatabase(await this.#database(), wake);
    this.#unwatches.add(unwatch);
    return async () => {
      this.#unwatches.delete(unwatch);
      unwatch();
    };
  }

  async loadSnapshot(): Promise<Snapshot | undefined> {
    return this.#alone(async (database) => {
      const { session, seal } = this.#options;
      const loaded = parseRecordSnapshot(
        database.read(() => savedSnapshot(database.handle, session)),
        seal,
      );
      if (loaded === undefined || !database.read(() => this.#holds(database.handle, loaded))) return undefined;
      if (loaded.snapshot.end.version > this.#stream.ledger.version) this.#stream.resume(loaded);
      return loaded.snapshot;
    });
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    if (this.#options.readonly === true) return;
    await this.#alone(async (database) => {
      const { session, seal } = this.#options;
      if (snapshot.end.version !== this.#stream.ledger.version) return;
      const saved = { place: this.#stream.place, snapshot, ledger: this.#stream.ledger.image() };
      await database.transaction(() => saveSnapshot(database.handle, session, printRecordSnapshot(saved, seal)));
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const unwatch of this.#unwatches) unwatch();
    await this.#turnstile;
    if (this.#ownsDatabase) (await this.#opening?.catch(() => undefined))?.close();
  }

  /** The snapshot's end is still in the stream: that very version, behind that very commit. */
  #holds(database: SqliteDatabase, { ledger: { head } }: RecordSnapshot): boolean {
    const { session, seal } = this.#options;
    if (!holdsVersion(database, session, head.version)) return false;
    const commit = commitUpTo(database, session, head.version);
    const record = commit === undefined ? undefined : parseRecord(commit);
    return (record?.kind === "commit" ? record.data.hash : genesisHash(session, seal)) === head.hash;
  }

  #newStream(): RecordStream {
    const { session, seal } = this.#options;
    return new RecordStream({ where: this.where, session, seal });
  }

  async #database(): Promise<Database> {
    if (this.#closed) throw new ClosedError(`${this.where} was closed: open it again`);
    this.#opening ??= this.#open();
    return this.#opening.catch((error) => {
      this.#opening = undefined;
      throw error;
    });
  }

  /** One call at a time, in the order they came. */
  #alone<Result>(task: (database: Database) => Promise<Result>): Promise<Result> {
    const turn = this.#turnstile.then(async () => task(await this.#database()));
    this.#turnstile = turn.catch(() => undefined);
    return turn;
  }

  #requireWritable(): void {
    if (this.#options.readonly !== true) return;
    throw new ReadonlyError(`${this.where} was opened readonly: open it without to write`);
  }

  #after(database: Database, place: number, rowsMax?: number) {
    return recordsAfter(database.handle, this.#options.session, place, rowsMax);
  }

  #tell(database: Database, from: Position | undefined, sink: EventSink): StreamEnd {
    return this.#stream.tell(from, sink, this.#after(database, this.#stream.needsAfter(from)));
  }

  /** Inside a transaction. */
  #append(database: Database, stream: RecordStream, records: readonly StreamRecord[]): void {
    const known = stream.ledger.version;
    stream.tell(stream.end(), nobody, this.#after(database, stream.place));
    stream.requireVersion(known);
    for (const record of records) stream.takeOwn(this.#insert(database, stream, record));
  }

  #insert(database: Database, { ledger }: RecordStream, record: StreamRecord): KeptRecord {
    const place = record.kind === "commit" ? record.data.version : ledger.version + 1;
    const json = JSON.stringify(record);
    keepRecord(database.handle, this.#options.session, place, json);
    return { place, json };
  }
}
