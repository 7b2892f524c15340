/**
 * Many journals in one SQLite database. A transaction that begins by taking the write lock is the guard: what is read in
 * it is the newest, and deciding happens inside.
 */
import { ReadonlyError } from "../../errors.ts";
import type { Draft, Head } from "../../event/commit.ts";
import type { RecordedEvent, Version } from "../../event/event.ts";
import { genesisHash } from "../../line/chain.ts";
import type { AcceptedRecord, StreamRecord } from "../../line/record.ts";
import { absentSession, mustBeThere, namedMax } from "../records/absent-session.ts";
import { Desk } from "../records/desk.ts";
import { parseRecordSnapshot, printRecordSnapshot, type RecordSnapshot } from "../records/record-snapshot.ts";
import { digestOf, headAmong, nobody, pagesOf, RecordStream } from "../records/record-stream.ts";
import { faultInRecordSnapshot } from "../records/snapshot-check.ts";
import { idInAddress } from "../session-id.ts";
import type {
  EventSink,
  JournalStore,
  KeptRecord,
  Position,
  RecordContext,
  Snapshot,
  StoreCapabilities,
  StreamEnd,
} from "../store.ts";
import { type Database, openDatabase } from "./database.ts";
import { keepRecord, newestSessions, recordAt, recordsAfter, savedSnapshot, saveSnapshot } from "./rows.ts";
import type { SqliteDatabase } from "./schema.ts";
import { parseSqliteOptions, type SqliteOptions } from "./sqlite-options.ts";
import { wakeWatchers, watchDatabase } from "./watch.ts";

/** Nothing is touched before the first read. Throws a TypeError for a wrong option. */
export function sqliteStore(options: SqliteOptions): JournalStore {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      "sqliteStore takes { database, session }: where the database is, and the id of a session in it",
    );
  }
  const parsed = parseSqliteOptions(options);
  return new SqliteStore(parsed, () => openDatabase(parsed), true);
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
  readonly #desk: Desk<Database>;
  readonly #stream: RecordStream;
  readonly #unwatches = new Set<() => void>();

  constructor(options: SqliteOptions, open: () => Promise<Database>, ownsDatabase: boolean) {
    const { database, session } = options;
    this.#options = options;
    this.where = `sqlite:${typeof database === "string" ? database : ""}#${idInAddress(session)}`;
    this.#desk = new Desk(this.where, open, (opened) => ownsDatabase && opened.close());
    this.#stream = this.#newStream();
  }

  async sessionId(): Promise<string> {
    return this.#options.session;
  }

  catchUp(from: Position | undefined, sink: EventSink): Promise<StreamEnd> {
    return this.#desk.alone(async (database) => {
      this.#requireSession(database, from);
      return database.read(() => this.#tell(database, from, sink));
    });
  }

  commit(
    from: Position | undefined,
    sink: EventSink,
    decide: (end: StreamEnd) => Draft | undefined,
  ): Promise<StreamEnd> {
    return this.#desk.alone(async (database) => {
      this.#requireWritable();
      this.#requireSession(database, from);
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

  isDamaged(): boolean {
    return this.#stream.damaged;
  }

  async *read(from: Version): AsyncIterable<RecordedEvent> {
    for await (const { events } of this.records()) {
      for (const recorded of events) if (recorded.version > from) yield recorded;
    }
  }

  async *records(): AsyncIterable<AcceptedRecord> {
    const stream = this.#newStream();
    for await (const kept of this.#kept()) {
      const { accepted } = stream.take(kept);
      if (accepted !== undefined) yield accepted;
    }
  }

  async keptRecords(): Promise<RecordContext & { readonly records: AsyncIterable<KeptRecord> }> {
    const { session, seal } = this.#options;
    return { session, ...(seal === undefined ? {} : { seal }), drops: false, records: this.#kept() };
  }

  importRecords(after: Version, records: AsyncIterable<StreamRecord>): Promise<StreamEnd> {
    return this.#desk.alone(async (database) => {
      this.#requireWritable();
      this.#requireSession(database, undefined);
      const stream = this.#newStream();
      stream.tell(
        undefined,
        nobody,
        database.read(() => this.#after(database, 0)),
      );
      stream.requireVersion(after);
      stream.requireWritable();
      for await (const page of pagesOf(records, pageRows)) {
        await database.transaction(() => this.#append(database, stream, page));
      }
      database.read(() => this.#tell(database, this.#stream.end(), nobody));
      wakeWatchers(database.handle);
      return this.#stream.end();
    });
  }

  headAt(version: Version): Promise<Head | undefined> {
    const { session, seal } = this.#options;
    return headAmong(this.records(), version, genesisHash(session, seal));
  }

  async watch(wake: () => void): Promise<() => Promise<void>> {
    const unwatch = watchDatabase(await this.#desk.resource(), wake);
    this.#unwatches.add(unwatch);
    return async () => {
      this.#unwatches.delete(unwatch);
      unwatch();
    };
  }

  async loadSnapshot(): Promise<Snapshot | undefined> {
    return this.#desk.alone(async (database) => {
      const { session, seal } = this.#options;
      const loaded = parseRecordSnapshot(
        database.read(() => savedSnapshot(database.handle, session)),
        seal,
      );
      if (loaded === undefined || !database.read(() => this.#holds(database.handle, loaded))) return undefined;
      const isNews = loaded.snapshot.end.version > this.#stream.ledger.version;
      return isNews && !this.#stream.resume(loaded) ? undefined : loaded.snapshot;
    });
  }

  async snapshotFault(): Promise<string | undefined> {
    const { session, seal } = this.#options;
    const database = await this.#desk.resource();
    const saved = parseRecordSnapshot(
      database.read(() => savedSnapshot(database.handle, session)),
      seal,
    );
    if (saved !== undefined && !database.read(() => this.#holds(database.handle, saved))) return undefined;
    return faultInRecordSnapshot(saved, this.#newStream(), this.#kept(), this.where);
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    if (this.#options.readonly === true) return;
    await this.#desk.alone(async (database) => {
      const { session, seal } = this.#options;
      const saved = this.#stream.saved(snapshot);
      if (saved === undefined) return;
      await database.transaction(() => saveSnapshot(database.handle, session, printRecordSnapshot(saved, seal)));
    });
  }

  async close(): Promise<void> {
    for (const unwatch of this.#unwatches) unwatch();
    await this.#desk.close();
  }

  /** The record that the snapshot ends with is still there. */
  #holds(database: SqliteDatabase, { place, digest }: RecordSnapshot): boolean {
    const record = place === 0 ? undefined : recordAt(database, this.#options.session, place);
    return (record === undefined ? "" : digestOf(record)) === digest;
  }

  #newStream(): RecordStream {
    const { session, seal, strict } = this.#options;
    return new RecordStream({ where: this.where, session, seal, strict });
  }

  async *#kept(): AsyncGenerator<KeptRecord> {
    const database = await this.#desk.resource();
    let page: readonly KeptRecord[] = [];
    do {
      const place = page.at(-1)?.place ?? 0;
      page = database.read(() => this.#after(database, place, pageRows));
      yield* page;
    } while (page.length === pageRows);
  }

  #requireWritable(): void {
    if (this.#options.readonly !== true) return;
    throw new ReadonlyError(`${this.where} was opened readonly: open it without to write`);
  }

  /** Throws NotASessionError. */
  #requireSession(database: Database, from: Position | undefined): void {
    if (!mustBeThere(from, this.#options) || database.read(() => this.#after(database, 0, 1)).length > 0) return;
    throw absentSession(
      this.where,
      database.read(() => newestSessions(database.handle, namedMax)),
    );
  }

  #after(database: Database, place: number, rowsMax?: number) {
    return recordsAfter(database.handle, this.#options.session, place, rowsMax);
  }

  #tell(database: Database, from: Position | undefined, sink: EventSink): StreamEnd {
    const tell = () => this.#stream.tell(from, sink, this.#after(database, this.#stream.needsAfter(from)));
    return tell() ?? tell() ?? this.#stream.end();
  }

  /** Inside a transaction. */
  #append(database: Database, stream: RecordStream, records: readonly StreamRecord[]): void {
    const known = stream.ledger.version;
    stream.tell(stream.end(), nobody, this.#after(database, stream.place));
    stream.requireVersion(known);
    for (const record of records) stream.takeOwn(this.#insert(database, stream, record));
  }

  #insert(database: Database, stream: RecordStream, record: StreamRecord): KeptRecord {
    const version = stream.versionAfter(record);
    // Behind a record that does not count, which stays where it is.
    const place = Math.max(version, stream.place + 1);
    const kept = { place, json: JSON.stringify(record) };
    keepRecord(database.handle, this.#options.session, kept, version);
    return kept;
  }
}
