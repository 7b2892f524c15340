/** This is a stream of a NATS broker. No other file names the client of JetStream. */
import { setTimeout as sleep } from "node:timers/promises";
import type {
  ConsumerMessages,
  JetStreamClient,
  JetStreamManager,
  MsgRequest,
  OrderedConsumerOptions,
  SeqMsgRequest,
} from "@nats-io/jetstream";
import { type Fate, StorageError } from "../../errors.ts";
import type { KeptRecord } from "../records/record-cursor.ts";
import { type BrokerOptions, nanosecondsPerMs } from "./broker-options.ts";
import { connectTo, missingPackages, type NatsConnection } from "./connection.ts";
import { connectionClosed, forbidden, full, isForbidden, refused, requireFit, unreachable } from "./failure.ts";
import { type BrokerNames, brokerNames, defaultPrefix } from "./names.ts";
import { forgottenMs, pullFrom, SubjectReader } from "./subject-reader.ts";
import { watchSubjects } from "./subject-watch.ts";

const waitMsDefault = 10_000;
const [requestMs, pauseMs] = [1000, 50];
const bulkMessages = 500;
const listenMs = 10_000;
/** A watcher that hears nothing for two of them looks for its consumer. */
const heartbeatMs = 1000;
/** So many records are enough to name a few sessions. */
const stepsBackMax = 16;
/** These are error codes of the broker: https://github.com/nats-io/nats-server/blob/main/server/errors.json */
const wrongLastSequence: readonly number[] = [10071, 10164];
/** A cluster has not stored yet what was sent before under this id, and may still do so. */
const idInProcess = 10158;
/** A store that fails may be closed for a moment, for its server ends. One that is full stays so. */
const [storeFailed, isFull] = [10077, /^maximum .*exceeded/];
/** With one of these the broker has taken nothing, and may take it soon: it has no leader, or too much to do. */
const passing: readonly number[] = [429, 503];

type Library = typeof import("@nats-io/jetstream");

/** This says what became of a record that was sent. */
export type Sent =
  | { readonly type: "kept"; readonly place: number }
  /** Another record is the newest of its subject. */
  | { readonly type: "overtaken" }
  /** No answer came, or one to another record of this id: it may be there, now or later. */
  | { readonly type: "silence"; readonly cause: unknown }
  /** There was nobody to take it, for now. */
  | { readonly type: "unavailable"; readonly cause: unknown };

export async function connectBroker(options: BrokerOptions): Promise<NatsBroker> {
  const names = brokerNames(options.prefix ?? defaultPrefix);
  const library = await import("@nats-io/jetstream").catch((cause: unknown) => {
    throw missingPackages(cause);
  });
  const given = options.connection as NatsConnection | undefined;
  const connection = given ?? (await connectTo(options, options.waitMs ?? waitMsDefault));
  return new NatsBroker(library, connection, names, options);
}

/** Throws StorageError where nobody answers for `waitMs`: an election takes a moment, so until then it is tried again. */
export class NatsBroker {
  readonly names: BrokerNames;
  readonly waitMs: number;
  readonly connection: NatsConnection;
  readonly #library: Library;
  readonly #client: JetStreamClient;
  readonly manager: Promise<JetStreamManager>;
  readonly #isOwn: boolean;
  readonly #readers = new Map<string, SubjectReader>();

  constructor(library: Library, connection: NatsConnection, names: BrokerNames, options: BrokerOptions) {
    this.names = names;
    this.waitMs = options.waitMs ?? waitMsDefault;
    this.connection = connection;
    this.#library = library;
    this.#client = library.jetstream(connection, { timeout: requestMs });
    this.manager = library.jetstreamManager(connection, { checkAPI: false, timeout: requestMs });
    this.#isOwn = options.connection === undefined;
  }

  /** The result is the first record of a subject after a place. */
  next(subject: string, place: number): Promise<KeptRecord | undefined> {
    return this.#record({ seq: place + 1, next_by_subj: subject }, subject);
  }

  /** The result is the newest record of a subject. */
  last(subject: string): Promise<KeptRecord | undefined> {
    return this.#record({ last_by_subj: subject }, subject);
  }

  /** The result is the record at a place. It is undefined if there is none, or one of another subject. */
  at(subject: string, place: number): Promise<KeptRecord | undefined> {
    return this.#record({ seq: place }, subject);
  }

  /** The subjects are those of the newest records, as far as a few steps back show them. */
  async recentSubjects(subjectsMax: number): Promise<readonly string[]> {
    const { streams } = await this.manager;
    const { last_seq } = (await this.patiently(() => streams.info(this.names.stream))).state;
    const subjects = new Set<string>();
    for (let seq = last_seq; seq > Math.max(0, last_seq - stepsBackMax) && subjects.size < subjectsMax; seq--) {
      const found = await this.patiently(() => streams.getMessage(this.names.stream, { seq }));
      if (found !== null) subjects.add(found.subject);
    }
    return [...subjects];
  }

  /**
   * The result has at most `max` records of a subject after a place. None may be skipped, not even if the last names its predecessor: the
   * broker has let two writers through that named the same one, and the first of them counts. With `isAhead`, what a consumer that was
   * kept has at once is enough: the newest may not be among it.
   */
  after(subject: string, place: number, max: number, isAhead = false): Promise<readonly KeptRecord[]> {
    return this.patiently(async () => {
      const mayRead = isAhead && this.#readers.get(this.#keyOf(subject))?.mayRead(place);
      if (mayRead) return this.#between(subject, place, 0, max);
      const newest = await this.last(subject);
      const last = newest?.place ?? 0;
      if (newest === undefined || last <= place) return [];
      if (last === place + 1) return [newest];
      return this.#between(subject, place, last, max);
    });
  }

  /** Others write meanwhile, faster than one by one could be read: whoever read before goes on with the same consumer. */
  async #between(subject: string, place: number, last: number, max: number): Promise<readonly KeptRecord[]> {
    const key = this.#keyOf(subject);
    const found = this.#readers.get(key);
    const kept = found?.mayRead(place) ? found : undefined;
    // Nobody else has it meanwhile. One that is further stays for others.
    if (kept !== undefined) this.#readers.delete(key);
    const next = kept === undefined ? await this.next(subject, place) : undefined;
    if (next?.place === last) return [next];
    const reader = kept ?? (await this.#readerBehind(subject, place));
    const records = await reader.read(place, last, max);
    // One that failed is not kept: a broker that was started anew has lost the consumer.
    this.#readers.set(key, reader);
    // Nobody came back for some.
    for (const [other, each] of this.#readers) if (!each.mayRead(Number.POSITIVE_INFINITY)) this.#readers.delete(other);
    return records;
  }

  async #readerBehind(subject: string, place: number): Promise<SubjectReader> {
    const { consumers } = await this.manager;
    const { name } = await consumers.add(this.names.stream, {
      filter_subject: subject,
      deliver_policy: this.#library.DeliverPolicy.StartSequence,
      opt_start_seq: place + 1,
      ack_policy: this.#library.AckPolicy.None,
      mem_storage: true,
      num_replicas: 1,
      inactive_threshold: forgottenMs * nanosecondsPerMs,
    });
    return new SubjectReader(pullFrom(this.connection, this.names.stream, name), place);
  }

  /** It has another name each time that it is started. */
  get server(): string | undefined {
    return this.connection.info?.server_id;
  }

  /** A server that was started anew has no consumers, and leaves whoever asks one without an answer. */
  #keyOf(subject: string): string {
    return `${this.server} ${subject}`;
  }

  /** Sends a record that must follow on the one at `after`; 0: be the first of its subject. `fate` is what became of it before. */
  async send(subject: string, json: string, id: string, after: number, fate: Fate): Promise<Sent> {
    requireFit("the record", json, "send smaller actions, or raise its max_payload", this.connection.info?.max_payload);
    if (this.connection.isClosed()) throw this.unreachable(new Error("the connection was closed"), fate);
    // What is expected to be the newest keeps it from standing there twice.
    return (await this.#publish(subject, json, id, after, fate)) ?? this.send(subject, json, `${id}+`, after, fate);
  }

  /** The result is undefined if the broker knows the id of a record that was purged since: it does so for two minutes. */
  async #publish(subject: string, json: string, id: string, after: number, fate: Fate): Promise<Sent | undefined> {
    try {
      const { seq, duplicate } = await this.#client.publish(subject, json, {
        msgID: id,
        expect: { lastSubjectSequence: after },
        timeout: requestMs,
      });
      if (!duplicate) return { type: "kept", place: seq };
      if ((await this.at(subject, seq)) === undefined) return undefined;
      return { type: "silence", cause: new Error("its id was sent before") };
    } catch (error) {
      return this.#sentInVain(error, fate);
    }
  }

  /** Throws where the broker refused the record, whenever it is sent. */
  #sentInVain(error: unknown, fate: Fate): Sent {
    if (isForbidden(error)) throw forbidden(this.names.stream, error, fate);
    if (!(error instanceof this.#library.JetStreamApiError) || error.code === idInProcess)
      return { type: (error as Error).name === "JetStreamNotEnabled" ? "unavailable" : "silence", cause: error };
    if (wrongLastSequence.includes(error.code)) return { type: "overtaken" };
    if (error.code === storeFailed && isFull.test(error.message)) throw full(this.names.stream, error, fate);
    if (passing.includes(error.status)) return { type: "unavailable", cause: error };
    throw refused(this.names.stream, error, fate);
  }

  /** Calls `wake` with the subject of each record that comes, of `filter`. Where the connection was closed for good, it calls `closed`, and ends. */
  async watch(filter: string, wake: (subject: string) => void, closed: () => void): Promise<() => Promise<void>> {
    const { streams } = await this.manager;
    const { last_seq, last_ts } = (await this.patiently(() => streams.info(this.names.stream))).state;
    const { StartSequence, StartTime } = this.#library.DeliverPolicy;
    const listen = (from: Partial<OrderedConsumerOptions>) => this.patiently(() => this.#listen(filter, from));
    return watchSubjects({
      first: await listen({ deliver_policy: StartSequence, opt_start_seq: last_seq + 1 }),
      listenFrom: (time) => listen({ deliver_policy: StartTime, opt_start_time: time }),
      since: last_ts,
      isClosed: () => this.connection.isClosed(),
      wake,
      again: () => {
        if (!filter.endsWith(">")) wake(filter);
      },
      closed,
    });
  }

  async #listen(filter: string, from: Partial<OrderedConsumerOptions>): Promise<ConsumerMessages> {
    const wanted = { filter_subjects: filter, headers_only: true, ...from };
    const consumer = await this.#client.consumers.get(this.names.stream, wanted);
    return consumer.consume({ expires: listenMs, idle_heartbeat: heartbeatMs });
  }

  /** A record of every subject, once: the newest when it was looked for. The broker goes through all of them before it answers, which takes its time. */
  async *newest(): AsyncGenerator<KeptRecord & { readonly subject: string }> {
    const client = this.#library.jetstream(this.connection, { timeout: this.waitMs });
    const consumer = await this.patiently(() =>
      client.consumers.get(this.names.stream, {
        filter_subjects: this.names.subjects,
        deliver_policy: this.#library.DeliverPolicy.LastPerSubject,
      }),
    );
    const { num_pending } = await consumer.info(true);
    if (num_pending === 0) return;
    const messages = await consumer.consume({ max_messages: bulkMessages });
    // A record that is appended meanwhile comes, too.
    const subjects = new Set<string>();
    for await (const message of messages) {
      const { subject } = message;
      if (!subjects.has(subject)) yield { place: message.seq, json: message.string(), subject };
      subjects.add(subject);
      if (message.info.pending === 0) break;
    }
    await messages.close();
  }

  async patiently<Result>(ask: () => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + this.waitMs;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        this.#requirePassing(error);
        if (performance.now() >= deadline || this.connection.isClosed()) throw this.unreachable(error, "not-written");
      }
      await sleep(pauseMs);
    }
  }

  /** An error is thrown again if it does not pass by itself. */
  #requirePassing(error: unknown): void {
    if (error instanceof StorageError) throw error;
    if (isForbidden(error)) throw forbidden(this.names.stream, error, "not-written");
    if (error instanceof this.#library.JetStreamApiError && !passing.includes(error.status))
      throw refused(this.names.stream, error);
  }

  /** The result is the error for a broker that gave no answer in time, or never will on this connection. */
  unreachable(cause: unknown, fate: Fate): StorageError {
    if (this.connection.isClosed()) return connectionClosed(this.names.stream, fate, cause);
    return unreachable(this.names.stream, this.waitMs, fate, cause);
  }

  async close(): Promise<void> {
    if (this.#isOwn) await this.connection.close();
  }

  async #record(
    query: MsgRequest | (SeqMsgRequest & { next_by_subj: string }),
    subject: string,
  ): Promise<KeptRecord | undefined> {
    const { streams } = await this.manager;
    const { server } = this;
    const found = await this.patiently(() => streams.getMessage(this.names.stream, query));
    return found?.subject === subject ? { place: found.seq, json: found.string(), server } : undefined;
  }
}
