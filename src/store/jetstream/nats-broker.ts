/** A stream of a NATS broker. The only file that names the client of JetStream. */

import { setTimeout as sleep } from "node:timers/promises";
import type { ConsumerMessages, JetStreamClient, JetStreamManager, StoredMsg } from "@nats-io/jetstream";
import { StorageError } from "../../errors.ts";
import type { KeptRecord } from "../kept-record.ts";
import type { Broker, Sent } from "./broker.ts";
import { type BrokerOptions, streamConfig } from "./broker-options.ts";
import { Bucket } from "./bucket.ts";
import { connectTo, missingPackages, type NatsConnection } from "./connection.ts";
import { type BrokerNames, brokerNames, defaultPrefix } from "./names.ts";

const waitMsDefault = 10_000;
const requestMs = 1000;
const pauseMs = 50;
/** Left of a message for what stands before the record. */
const headerBytes = 1024;
const bulkMessages = 500;
const listenMs = 10_000;
/** A watcher that hears nothing for two of them looks for its consumer. */
const heartbeatMs = 1000;
/** So many records are fetched one by one, before a consumer is worth its making. */
const stepsMax = 4;
/** Enough to name a few sessions. */
const stepsBackMax = 16;
/** Of the broker's error codes: https://github.com/nats-io/nats-server/blob/main/server/errors.json */
const streamNotFound = 10059;
const wrongLastSequence: readonly number[] = [10071, 10164];

type Library = typeof import("@nats-io/jetstream");

export async function openBroker(options: BrokerOptions): Promise<Broker> {
  const { servers, credentials, waitMs = waitMsDefault } = options;
  const names = brokerNames(options.prefix ?? defaultPrefix);
  const library = await import("@nats-io/jetstream").catch((cause: unknown) => {
    throw missingPackages(cause);
  });
  const access = credentials === undefined ? {} : { credentials };
  const connection = givenConnection(options) ?? (await connectTo({ servers, waitMs, ...access }));
  const broker = new NatsBroker(library, connection, names, options);
  try {
    await broker.requireStream(options);
    return broker;
  } catch (error) {
    await broker.close();
    throw error;
  }
}

function givenConnection({ connection }: BrokerOptions): NatsConnection | undefined {
  return connection as NatsConnection | undefined;
}

class NatsBroker implements Broker {
  readonly names: BrokerNames;
  readonly waitMs: number;
  readonly snapshots: Bucket;
  readonly #library: Library;
  readonly #connection: NatsConnection;
  readonly #client: JetStreamClient;
  readonly #manager: Promise<JetStreamManager>;
  readonly #isOwn: boolean;
  drops = false;

  constructor(library: Library, connection: NatsConnection, names: BrokerNames, options: BrokerOptions) {
    this.names = names;
    this.waitMs = options.waitMs ?? waitMsDefault;
    this.#library = library;
    this.#connection = connection;
    this.#client = library.jetstream(connection, { timeout: requestMs });
    this.#manager = library.jetstreamManager(connection, { checkAPI: false, timeout: requestMs });
    this.#isOwn = options.connection === undefined;
    this.snapshots = new Bucket(connection, names.bucket, options);
  }

  /** Throws StorageError where there is no stream and none may be made. */
  async requireStream(options: BrokerOptions): Promise<void> {
    const { stream } = this.names;
    const { readonly = false, create = true } = options;
    const { streams } = await this.#manager;
    await this.patiently(async () => {
      try {
        const { max_age, max_bytes, max_msgs, max_msgs_per_subject } = (await streams.info(stream)).config;
        this.drops = [max_age, max_bytes, max_msgs, max_msgs_per_subject].some((limit) => limit > 0);
      } catch (error) {
        if (!(error instanceof this.#library.JetStreamApiError) || error.code !== streamNotFound) throw error;
        if (readonly || !create) {
          throw new StorageError(`the broker has no stream ${stream}: check the prefix`, "not-written", {}, error);
        }
        await streams.add(streamConfig(this.names, options) as Parameters<typeof streams.add>[0]);
        this.drops = options.retention !== undefined;
      }
    });
  }

  async last(subject: string): Promise<KeptRecord | undefined> {
    const { streams } = await this.#manager;
    return this.patiently(async () => kept(await streams.getMessage(this.names.stream, { last_by_subj: subject })));
  }

  async next(subject: string, place: number): Promise<KeptRecord | undefined> {
    const { streams } = await this.#manager;
    const query = { seq: place + 1, next_by_subj: subject };
    return this.patiently(async () => kept(await streams.getMessage(this.names.stream, query)));
  }

  async at(subject: string, place: number): Promise<KeptRecord | undefined> {
    const { streams } = await this.#manager;
    const found = await this.patiently(() => streams.getMessage(this.names.stream, { seq: place }));
    return found?.subject === subject ? kept(found) : undefined;
  }

  async recentSubjects(subjectsMax: number): Promise<readonly string[]> {
    const { streams } = await this.#manager;
    const { last_seq } = (await this.patiently(() => streams.info(this.names.stream))).state;
    const subjects = new Set<string>();
    for (let seq = last_seq; seq > Math.max(0, last_seq - stepsBackMax) && subjects.size < subjectsMax; seq--) {
      const found = await this.patiently(() => streams.getMessage(this.names.stream, { seq }));
      if (found !== null) subjects.add(found.subject);
    }
    return [...subjects];
  }

  async *between(subject: string, after: number, last: number): AsyncGenerator<KeptRecord> {
    let place = after;
    for (let step = 0; step < stepsMax && place < last; step++) {
      const next = await this.next(subject, place);
      if (next === undefined) return;
      yield next;
      place = next.place;
    }
    while (place < last) {
      const page = await this.patiently(() => this.#page(subject, place, last));
      yield* page;
      place = page.at(-1)?.place ?? place;
    }
  }

  async send(subject: string, json: string, id: string, after: number): Promise<Sent> {
    this.#requireFit(Buffer.byteLength(json));
    try {
      const { seq } = await this.#client.publish(subject, json, {
        msgID: id,
        expect: { lastSubjectSequence: after },
        timeout: requestMs,
      });
      return { type: "kept", place: seq };
    } catch (error) {
      if (error instanceof this.#library.JetStreamApiError) {
        if (wrongLastSequence.includes(error.code)) return { type: "overtaken" };
        if (error.status === 503) return { type: "unavailable", cause: error };
        throw this.#refused(error);
      }
      if (this.#connection.isClosed()) throw this.unreachable(error, "not-written");
      return (error as Error).name === "JetStreamNotEnabled"
        ? { type: "unavailable", cause: error }
        : { type: "silence", cause: error };
    }
  }

  async watch(filter: string, wake: (subject: string) => void): Promise<() => Promise<void>> {
    const { streams } = await this.#manager;
    let place = (await this.patiently(() => streams.info(this.names.stream))).state.last_seq;
    const listen = () => this.patiently(() => this.#listen(filter, place + 1));
    let messages = await listen();
    let stopped = false;
    const watching = (async () => {
      while (!stopped) {
        try {
          for await (const { subject, seq } of messages) {
            place = seq;
            wake(subject);
          }
          if (!stopped) messages = await listen();
        } catch {
          await sleep(pauseMs);
        }
      }
    })();
    return async () => {
      stopped = true;
      await messages.close();
      await watching;
    };
  }

  async #listen(filter: string, from: number): Promise<ConsumerMessages> {
    const consumer = await this.#client.consumers.get(this.names.stream, {
      filter_subjects: filter,
      deliver_policy: this.#library.DeliverPolicy.StartSequence,
      opt_start_seq: from,
      headers_only: true,
    });
    return consumer.consume({ expires: listenMs, idle_heartbeat: heartbeatMs });
  }

  async *newest(): AsyncGenerator<KeptRecord & { readonly subject: string }> {
    const client = this.#library.jetstream(this.#connection, { timeout: this.waitMs });
    const consumer = await this.patiently(() =>
      client.consumers.get(this.names.stream, {
        filter_subjects: this.names.subjects,
        deliver_policy: this.#library.DeliverPolicy.LastPerSubject,
      }),
    );
    const { num_pending } = await consumer.info(true);
    if (num_pending === 0) return;
    const messages = await consumer.consume({ max_messages: bulkMessages });
    for await (const message of messages) {
      yield { place: message.seq, json: message.string(), subject: message.subject };
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
        if (error instanceof StorageError) throw error;
        if (error instanceof this.#library.JetStreamApiError && error.status !== 503) throw this.#refused(error);
        if (performance.now() >= deadline || this.#connection.isClosed()) throw this.unreachable(error, "not-written");
      }
      await sleep(pauseMs);
    }
  }

  unreachable(cause: unknown, fate: "not-written" | "unknown"): StorageError {
    const { message } = cause as Error;
    const advice = fate === "unknown" ? "try again with the same command" : "try again";
    return new StorageError(
      `the stream ${this.names.stream} gave no answer for ${this.waitMs} ms (${message}): see that most of its servers run, then ${advice}`,
      fate,
      {},
      cause,
    );
  }

  async close(): Promise<void> {
    if (this.#isOwn) await this.#connection.close();
  }

  #requireFit(size: number): void {
    const sizeMax = (this.#connection.info?.max_payload ?? Number.POSITIVE_INFINITY) - headerBytes;
    if (size <= sizeMax) return;
    throw new StorageError(
      `the record is ${size} bytes, more than the ${sizeMax} that this broker takes: send smaller actions, or raise its max_payload`,
      "not-written",
    );
  }

  #refused(cause: Error): StorageError {
    return new StorageError(
      `the broker refused: ${cause.message}: check the stream ${this.names.stream} and its limits`,
      "not-written",
      {},
      cause,
    );
  }

  async #page(subject: string, after: number, last: number): Promise<KeptRecord[]> {
    const consumer = await this.#client.consumers.get(this.names.stream, {
      filter_subjects: subject,
      deliver_policy: this.#library.DeliverPolicy.StartSequence,
      opt_start_seq: after + 1,
    });
    const page: KeptRecord[] = [];
    const messages = await consumer.fetch({ max_messages: bulkMessages, expires: requestMs });
    for await (const message of messages) {
      if (message.seq <= last) page.push({ place: message.seq, json: message.string() });
      if (message.seq >= last) break;
    }
    if (page.length === 0) throw new Error(`no record came after place ${after}`);
    return page;
  }
}

function kept(message: StoredMsg | null): KeptRecord | undefined {
  return message === null ? undefined : { place: message.seq, json: message.string() };
}
