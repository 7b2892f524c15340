/** A stream that lives in this process only: for tests, for previews, and as the plainest reading of the port. */

import { ClosedError, type OptionParsers, parseOptions, VersionConflictError } from "../errors.ts";
import type { Draft, Head } from "../event/commit.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { Ledger } from "../line/acceptance.ts";
import { genesisHash } from "../line/chain.ts";
import { commitDataOf } from "../line/encode.ts";
import { type AcceptedRecord, parseRecord, type StreamRecord, takeRecord } from "../line/record.ts";
import { sessionId as idOfSession } from "./option-parsers.ts";
import { headAmong } from "./records/record-stream.ts";
import type { EventSink, JournalStore, Position, StoreCapabilities, StreamEnd } from "./store.ts";

export interface MemoryStoreOptions {
  /** Root of the hash chain; by default a new UUID. */
  readonly sessionId?: string;
}

/** Several journals may use one such store at the same time; what they wrote is gone with the store object. */
export function memoryStore(options: MemoryStoreOptions = {}): JournalStore {
  const { sessionId = crypto.randomUUID() } = parseOptions<MemoryStoreOptions>(options, parsers);
  return new MemoryStore(sessionId);
}

const parsers: OptionParsers<MemoryStoreOptions> = { sessionId: idOfSession };

/** A history in memory is never rewritten. */
const epoch = 1;

class MemoryStore implements JournalStore {
  readonly where: string;
  readonly supports: StoreCapabilities = { shared: false, snapshots: false, lines: false };
  readonly #sessionId: string;
  readonly #ledger: Ledger;
  readonly #events: RecordedEvent[] = [];
  readonly #records: AcceptedRecord[] = [];
  readonly #wakes = new Set<() => void>();
  #closed = false;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
    this.#ledger = new Ledger({ id: sessionId });
    this.where = `memory:${sessionId}`;
  }

  async sessionId(): Promise<string> {
    return this.#sessionId;
  }

  async catchUp(from: Position | undefined, sink: EventSink): Promise<StreamEnd> {
    this.#mustBeOpen();
    this.#tell(from, sink);
    return this.#end();
  }

  /** Holds no await between telling and appending: that is the whole guard. */
  async commit(
    from: Position | undefined,
    sink: EventSink,
    decide: (end: StreamEnd) => Draft | undefined,
  ): Promise<StreamEnd> {
    this.#mustBeOpen();
    this.#tell(from, sink);
    const before = this.#end();
    const draft = decide(before);
    if (draft === undefined || draft.events.length === 0) return before;
    this.#append({ kind: "commit", turn: before.turn, data: commitDataOf(draft, before, "file") });
    this.#tell(before, sink);
    this.#wake();
    return this.#end();
  }

  knows(command: string): boolean {
    return this.#ledger.hasCommand(command);
  }

  async *read(from: Version): AsyncIterable<RecordedEvent> {
    this.#mustBeOpen();
    yield* this.#after(from);
  }

  async *records(): AsyncIterable<AcceptedRecord> {
    this.#mustBeOpen();
    yield* this.#records.slice();
  }

  async importRecords(after: Version, records: AsyncIterable<StreamRecord>): Promise<StreamEnd> {
    let expected = after;
    for await (const record of records) {
      this.#mustBeOpen();
      const { version } = this.#ledger;
      if (version !== expected) throw new VersionConflictError(expected, version, { file: this.where });
      this.#append(record);
      expected = this.#ledger.version;
      this.#wake();
    }
    return this.#end();
  }

  async watch(wake: () => void): Promise<() => Promise<void>> {
    this.#mustBeOpen();
    const own = (): void => wake();
    this.#wakes.add(own);
    return async () => {
      this.#wakes.delete(own);
    };
  }

  async headAt(version: Version): Promise<Head | undefined> {
    return headAmong(this.records(), version, genesisHash(this.#sessionId));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wakes.clear();
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new ClosedError(`${this.where} was closed: make a new memoryStore()`);
  }

  #end(): StreamEnd {
    const { version, hash, turn } = this.#ledger;
    return { epoch, version, hash, turn };
  }

  #wake(): void {
    for (const wake of this.#wakes) queueMicrotask(wake);
  }

  #tell(from: Position | undefined, sink: EventSink): void {
    const another = from !== undefined && (from.epoch !== epoch || from.version > this.#ledger.version);
    if (another) sink.reset("rewritten");
    for (const recorded of this.#after(from === undefined || another ? 0 : from.version)) sink.event(recorded);
  }

  #after(version: Version): readonly RecordedEvent[] {
    const isWhole = this.#events.length === this.#ledger.version;
    return isWhole ? this.#events.slice(version) : this.#events.filter((recorded) => recorded.version > version);
  }

  /** What is kept went through JSON and its parser, so that it reads back as it would from a file. */
  #append(written: StreamRecord): void {
    const record = parseRecord(JSON.stringify(written));
    const events =
      record === undefined ? [] : takeRecord(this.#ledger, record).events.map((recorded) => Object.freeze(recorded));
    if (record === undefined || events.length === 0) {
      throw new TypeError(`${this.where}: a record does not follow on version ${this.#ledger.version}`);
    }
    this.#records.push({ record, events });
    for (const event of events) this.#events.push(event);
  }
}
