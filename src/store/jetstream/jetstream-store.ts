/**
 * Journals on a NATS JetStream broker: one stream, one subject for each session. The broker appends a record only behind
 * the one that its writer saw last; which of the records count is decided by the format all the same, because brokers
 * have been seen to let two writers through.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ReadonlyError } from "../../errors.ts";
import type { Draft, Head } from "../../event/commit.ts";
import type { RecordedEvent, Version } from "../../event/event.ts";
import { genesisHash } from "../../line/chain.ts";
import type { AcceptedRecord, StreamRecord } from "../../line/record.ts";
import { mustBeThere } from "../records/absent-session.ts";
import { Desk } from "../records/desk.ts";
import { parseRecordSnapshot, printRecordSnapshot, type RecordSnapshot } from "../records/record-snapshot.ts";
import { headAmong, nobody, RecordStream } from "../records/record-stream.ts";
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
import { type Attempt, causeOf, type Fate } from "./attempt.ts";
import type { Broker, Sent } from "./broker.ts";
import { type JetStreamOptions, parseJetStreamOptions } from "./jetstream-options.ts";
import { addressOf, defaultPrefix, tokenOf } from "./names.ts";
import { openBroker } from "./nats-broker.ts";
import { recordsAfter, requireRecords, snapshotOf } from "./subject.ts";

/** Nothing is connected before the first read. Throws a TypeError for a wrong option. */
export function jetStreamStore(options: JetStreamOptions): JournalStore {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      "jetStreamStore takes { servers, session }: where the broker is, and the id of a session on it",
    );
  }
  const parsed = parseJetStreamOptions(options);
  return new JetStreamStore(parsed, () => openBroker(parsed), true);
}

/** A store on a broker that is shared, and stays open when the store is closed. */
export function jetStreamStoreOn(broker: () => Promise<Broker>, options: JetStreamOptions): JournalStore {
  return new JetStreamStore(options, broker, false);
}

const pauseMsMax = 20;

class JetStreamStore implements JournalStore {
  readonly where: string;
  readonly supports: StoreCapabilities = { shared: true, snapshots: true, lines: false };
  readonly #options: JetStreamOptions;
  readonly #desk: Desk<Broker>;
  readonly #token: string;
  readonly #subject: string;
  readonly #stream: RecordStream;
  readonly #unwatches = new Set<() => Promise<void>>();

  constructor(options: JetStreamOptions, open: () => Promise<Broker>, ownsBroker: boolean) {
    const { session, prefix = defaultPrefix } = options;
    this.#options = options;
    this.#token = tokenOf(session);
    this.#subject = `${prefix}.${this.#token}`;
    this.where = `${addressOf(options)}#${idInAddress(session)}`;
    this.#stream = this.#newStream();
    const opened = async (): Promise<Broker> => {
      const broker = await open();
      this.#stream.drops = broker.drops;
      return broker;
    };
    this.#desk = new Desk(this.where, opened, async (broker) => ownsBroker && broker.close());
  }

  async sessionId(): Promise<string> {
    return this.#options.session;
  }

  catchUp(from: Position | undefined, sink: EventSink): Promise<StreamEnd> {
    return this.#desk.alone(async (broker) => {
      await this.#requireSession(broker, from);
      await this.#advance(broker, from, sink);
      return this.#stream.end();
    });
  }

  commit(
    from: Position | undefined,
    sink: EventSink,
    decide: (end: StreamEnd) => Draft | undefined,
  ): Promise<StreamEnd> {
    return this.#desk.alone(async (broker) => {
      this.#requireWritable();
      await this.#requireSession(broker, from);
      const append = () =>
        this.#append(broker, sink, () => {
          const draft = decide(this.#stream.end());
          return draft === undefined || draft.events.length === 0 ? undefined : this.#stream.recordOf(draft).record;
        });
      // What is known is decided on first: the broker refuses what was decided on too little.
      if (this.#stream.isAt(from) && (await append())) return this.#stream.end();
      await this.#advance(broker, from, sink);
      await append();
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
    const broker = await this.#desk.resource();
    const saved = await this.#snapshot(broker);
    return {
      session,
      ...(seal === undefined ? {} : { seal }),
      drops: broker.drops,
      ...(saved === undefined ? {} : { saved: saved.ledger.head }),
      records: this.#kept(),
    };
  }

  importRecords(after: Version, records: AsyncIterable<StreamRecord>): Promise<StreamEnd> {
    return this.#desk.alone(async (broker) => {
      this.#requireWritable();
      await this.#requireSession(broker, undefined);
      await this.#advance(broker, undefined, nobody);
      this.#stream.requireWritable();
      let expected = after;
      for await (const record of records) {
        await this.#append(broker, nobody, () => {
          this.#stream.requireVersion(expected);
          this.#stream.requireTrusted(record);
          return record;
        });
        expected = this.#stream.ledger.version;
      }
      return this.#stream.end();
    });
  }

  headAt(version: Version): Promise<Head | undefined> {
    const { session, seal } = this.#options;
    return headAmong(this.records(), version, genesisHash(session, seal));
  }

  async watch(wake: () => void): Promise<() => Promise<void>> {
    const broker = await this.#desk.resource();
    const unwatch = await broker.watch(this.#subject, wake);
    this.#unwatches.add(unwatch);
    wake();
    return async () => {
      this.#unwatches.delete(unwatch);
      await unwatch();
    };
  }

  loadSnapshot(): Promise<Snapshot | undefined> {
    return this.#desk.alone(async (broker) => {
      const loaded = await this.#snapshot(broker);
      if (loaded === undefined) return undefined;
      const isNews = loaded.snapshot.end.version > this.#stream.ledger.version;
      return isNews && !this.#stream.resume(loaded) ? undefined : loaded.snapshot;
    });
  }

  async snapshotFault(): Promise<string | undefined> {
    const broker = await this.#desk.resource();
    return faultInRecordSnapshot(await this.#snapshot(broker), this.#newStream(broker), this.#kept(), this.where);
  }

  async saveSnapshot(snapshot: Snapshot): Promise<void> {
    if (this.#options.readonly === true) return;
    await this.#desk.alone(async (broker) => {
      const { seal } = this.#options;
      const saved = this.#stream.saved(snapshot);
      if (saved === undefined) return;
      const improves = (other: string): boolean => (parseRecordSnapshot(other, seal)?.place ?? 0) < saved.place;
      await broker.snapshots.save(this.#token, printRecordSnapshot(saved, seal), improves);
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#unwatches].map((unwatch) => unwatch()));
    await this.#desk.close();
  }

  #newStream(broker?: Broker): RecordStream {
    const { session, seal, strict } = this.#options;
    const stream = new RecordStream({ where: this.where, session, seal, strict });
    stream.drops = broker?.drops ?? false;
    return stream;
  }

  async *#kept(): AsyncGenerator<KeptRecord> {
    yield* recordsAfter(await this.#desk.resource(), this.#subject, 0);
  }

  #snapshot(broker: Broker): Promise<RecordSnapshot | undefined> {
    return snapshotOf(broker, this.#subject, this.#token, this.#options.seal);
  }

  #requireWritable(): void {
    if (this.#options.readonly !== true) return;
    throw new ReadonlyError(`${this.where} was opened readonly: open it without to write`);
  }

  /** Throws NotASessionError. */
  async #requireSession(broker: Broker, from: Position | undefined): Promise<void> {
    if (mustBeThere(from, this.#options)) await requireRecords(broker, this.#subject, this.where);
  }

  /** Tells `sink` what is after `from`. Answers the records that were read for it. */
  async #advance(broker: Broker, from: Position | undefined, sink: EventSink): Promise<readonly KeptRecord[]> {
    const tell = async () => {
      const news: KeptRecord[] = [];
      const after = this.#stream.needsAfter(from);
      for await (const kept of recordsAfter(broker, this.#subject, after)) news.push(kept);
      return this.#stream.tell(from, sink, news) && news;
    };
    return (await tell()) ?? (await tell()) ?? [];
  }

  /**
   * Appends what `make` returns, and makes it anew where somebody was faster; false where that is nothing. What got no answer is looked for, and sent
   * again as it was while nothing has come after the record that it follows on.
   */
  async #append(broker: Broker, sink: EventSink, make: () => StreamRecord | undefined): Promise<boolean> {
    const deadline = performance.now() + broker.waitMs;
    let attempt = this.#attempt(make());
    let fate: Fate = "not-written";
    while (attempt !== undefined) {
      const sent = await broker.send(this.#subject, attempt.json, attempt.id, attempt.after);
      if (sent.type === "kept" || sent.type === "silence") fate = "unknown";
      if (await this.#isIn(broker, sink, attempt, sent, fate)) return true;
      if (performance.now() >= deadline) throw broker.unreachable(causeOf(sent), fate);
      await sleep(Math.random() * pauseMsMax);
      if (attempt.after !== this.#stream.place) attempt = this.#attempt(make());
    }
    return false;
  }

  #attempt(record: StreamRecord | undefined): Attempt | undefined {
    if (record === undefined) return undefined;
    const after = this.#stream.place;
    const version = this.#stream.versionAfter(record);
    const name = record.kind === "commit" ? record.data.id : record.key;
    return { json: JSON.stringify({ ...record, version }), id: `${name}/${this.#token}/${after}`, after };
  }

  /** Tells `sink` what came. True: the attempt is among it, and counts. */
  async #isIn(broker: Broker, sink: EventSink, attempt: Attempt, sent: Sent, fate: Fate): Promise<boolean> {
    try {
      const news = await this.#readBack(broker, sink, attempt, sent);
      return news.some((kept) => kept.json === attempt.json && this.#stream.hasAccepted(kept));
    } catch (error) {
      throw fate === "unknown" ? broker.unreachable(error, fate) : error;
    }
  }

  async #readBack(broker: Broker, sink: EventSink, attempt: Attempt, sent: Sent): Promise<readonly KeptRecord[]> {
    const { json, after } = attempt;
    if (sent.type !== "kept" || !(await this.#isFirst(broker, after, sent.place))) {
      return this.#advance(broker, this.#stream.end(), sink);
    }
    const from = this.#stream.end();
    const news = [{ place: sent.place, json }];
    return this.#stream.tell(from, sink, news) === undefined ? this.#advance(broker, from, sink) : news;
  }

  async #isFirst(broker: Broker, after: number, place: number): Promise<boolean> {
    return place === after + 1 || (await broker.next(this.#subject, after))?.place === place;
  }
}
