/**
 * This backend keeps the records of many sessions in one stream of a broker, each session under its own subject. The broker appends a
 * record only behind the one that its writer saw last; which of the records count is decided by the format all the same, because brokers
 * have been seen to let two writers through.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Fate } from "../../errors.ts";
import { parseRecord } from "../../line/record.ts";
import type { LogRecord } from "../../stream/log.ts";
import type { AppendCall } from "../records/append-call.ts";
import { type Appending, type Backend, entryMadeHere, type ListedSession, markOf } from "../records/backend.ts";
import { type KeptRecord, RecordCursor } from "../records/record-cursor.ts";
import { changeOf } from "../records/record-texts.ts";
import type { BrokerOptions } from "./broker-options.ts";
import { Bucket } from "./bucket.ts";
import { predecessorGone } from "./failure.ts";
import { sessionOf, tokenOf } from "./names.ts";
import { connectBroker, type NatsBroker, type Sent } from "./nats-broker.ts";
import { requireStream } from "./stream.ts";
import { TurnMessages } from "./turn-messages.ts";
import { type Turn, Turns } from "./turns.ts";

const [pageRecords, pauseMsMax] = [500, 20];

/** Throws StorageError where nobody answers, or there is no stream and none may be made. */
export async function openBroker(options: BrokerOptions): Promise<JetStreamBackend> {
  const broker = await connectBroker(options);
  try {
    const drops = await requireStream(broker, options);
    return new JetStreamBackend(broker, options, drops);
  } catch (error) {
    await broker.close();
    throw error;
  }
}

export class JetStreamBackend implements Backend {
  readonly #broker: NatsBroker;
  readonly #checkpoints: Bucket;
  readonly #turns: Turns;
  /** The owner of the stream wants old records dropped. */
  readonly drops: boolean;

  constructor(broker: NatsBroker, options: BrokerOptions, drops: boolean) {
    this.#broker = broker;
    this.drops = drops;
    this.#checkpoints = new Bucket(broker.connection, broker.names.bucket, options);
    this.#turns = new Turns(new TurnMessages(broker, { create: options.create }));
  }

  async after(session: string, cursor: RecordCursor, max: number, isAhead = false): Promise<Kept> {
    const subject = this.#subjectOf(session);
    if (!this.#isStill(cursor) && (await this.#isOther(subject, cursor))) return undefined;
    return this.#broker.after(subject, cursor.place, max, isAhead);
  }

  /** A server that was started anew may have lost its newest records, and have others in their places by now. Without a connection there is none. */
  #isStill({ isBeginning, isSeen, server }: RecordCursor): boolean {
    return isBeginning || (isSeen && server !== undefined && server === this.#broker.server);
  }

  async #isOther(subject: string, cursor: RecordCursor): Promise<boolean> {
    const { place, isSeen } = cursor;
    const newest = isSeen ? await this.#newestFrom(subject, place) : undefined;
    if (isSeen && this.drops && (newest === undefined || newest.place < place)) return false;
    const found = newest?.place === place ? newest : await this.#broker.at(subject, place);
    // What is gone may have been dropped because its owner wants old ones dropped.
    if (found === undefined) return !this.drops;
    cursor.server = found.server;
    return !cursor.isBehind(found.json);
  }

  /** A cluster that changes its leader does not show for a moment what it has. What it shows for longer is all that it has. */
  async #newestFrom(subject: string, place: number): Promise<KeptRecord | undefined> {
    const deadline = performance.now() + this.#broker.waitMs / 2;
    for (;;) {
      const newest = await this.#broker.last(subject);
      const isThere = newest !== undefined && newest.place >= place;
      if (isThere || this.drops || performance.now() >= deadline) return newest;
      await sleep(pauseMsMax);
    }
  }

  /** What is known is decided on first: the broker refuses what was decided on too little. */
  async append(session: string, call: AppendCall): Promise<void> {
    const subject = this.#subjectOf(session);
    const deadline = performance.now() + this.#broker.waitMs;
    const sending: Sending = { session, subject, call, deadline, fate: "not-written", turn: undefined };
    try {
      await this.#append(sending);
    } finally {
      if (sending.turn !== undefined) this.#turns.end(subject, sending.turn);
    }
  }

  async #append(sending: Sending): Promise<void> {
    const { session, subject, call } = sending;
    if (await this.#turns.areTaken(subject)) await this.#wait(sending);
    const isNew = sending.turn?.appends === 0;
    const first = this.#isStill(call.at) && !isNew ? [] : await this.after(session, call.at, pageRecords, isNew);
    if (isNew && first?.length === 0) this.#turns.areOver(subject);
    let step = call.next(first, pageRecords);
    for (let isRead = false; !isRead || step.type === "append"; ) {
      const read = () => this.after(session, call.at, pageRecords);
      const news = step.type === "append" ? await this.#send(sending, step) : await read();
      isRead = news === undefined || news.length < pageRecords;
      step = call.next(news, pageRecords);
    }
  }

  loadCheckpoint(session: string, unitsMax: number): Promise<string | undefined> {
    return this.#checkpoints.load(tokenOf(session), unitsMax);
  }

  saveCheckpoint(session: string, text: string, over?: string): Promise<void> {
    return this.#checkpoints.save(tokenOf(session), text, over);
  }

  async markCheckpoint(session: string): Promise<string> {
    return markOf((await this.#checkpoints.load(tokenOf(session))) ?? "");
  }

  /** The list comes from the newest record of each. A record that the rule of acceptance refuses may be listed until the next one comes. */
  async *list(): AsyncGenerator<ListedSession> {
    for await (const { subject, json } of this.#broker.newest()) {
      const [session, record] = [this.#sessionOf(subject), parseRecord(json)];
      if (session === undefined || record === undefined) continue;
      const [at, actor] = changeOf(record);
      yield { session, version: (JSON.parse(json) as { version: number }).version, at, actor };
    }
  }

  async newestSessions(max: number): Promise<readonly string[]> {
    const subjects = await this.#broker.recentSubjects(max);
    return subjects.flatMap((subject) => this.#sessionOf(subject) ?? []);
  }

  watch(wake: (session: string) => void, only?: string): Promise<() => Promise<void>> {
    const filter = only === undefined ? this.#broker.names.subjects : this.#subjectOf(only);
    const woken = (subject: string): void => {
      const session = this.#sessionOf(subject);
      if (session !== undefined) wake(session);
    };
    // Whoever reads any session then is told that the connection was closed.
    return this.#broker.watch(filter, woken, () => wake(only ?? this.#broker.names.stream));
  }

  async close(): Promise<void> {
    await this.#turns.close();
    await this.#broker.close();
  }

  /**
   * What stands behind the record at `after` once this one was sent, be it among it or not. What got no answer is looked
   * for, and sent again as it was while nothing has come. The result is undefined if the broker has lost what it follows on.
   */
  async #send(sending: Sending, step: Appending): Promise<Kept> {
    const { session, subject, call } = sending;
    const [record] = step.records as readonly [LogRecord];
    const after = call.at.place;
    const json = JSON.stringify(record);
    // The broker drops what it has had under the same id.
    const id = `${record.kind === "commit" ? record.data.id : record.key}/${tokenOf(session)}/${after}`;
    let follows = after;
    for (let refusedMs = performance.now(); ; ) {
      const { server } = this.#broker;
      const sent = await this.#broker.send(subject, json, id, follows, sending.fate);
      if (sent.type !== "overtaken") refusedMs = performance.now();
      if (sent.type === "kept" || sent.type === "silence") sending.fate = "unknown";
      else if (sent.type === "overtaken") await this.#wait(sending);
      else await sleep(Math.random() * pauseMsMax);
      const isOld = call.at.place !== after;
      const news = await this.#readBack(sending, sent, step, { json, server });
      if (isOld || news === undefined || news.length > 0) return news;
      if (performance.now() >= sending.deadline) return this.#giveUp(sending, sent, refusedMs);
      follows = await this.#placeToFollow(sending, after, sent);
      await sleep(Math.random() * pauseMsMax);
    }
  }

  /**
   * Throws, unless the broker has only refused since then, and does not have what it was told to follow on: its newest records are gone.
   * A cluster that changes its leader does not show for a moment what it has, so one look would not tell.
   */
  async #giveUp({ subject, call, fate }: Sending, sent: Sent, refusedMs: number): Promise<undefined> {
    const isTold = performance.now() >= refusedMs + this.#broker.waitMs / 2;
    const mayBeLost = isTold && fate === "not-written" && !call.at.isBeginning;
    if (mayBeLost && (await this.#broker.at(subject, call.at.place)) === undefined) {
      if (!this.drops) return undefined;
      throw predecessorGone(this.#broker.names.stream, call.at.place);
    }
    const cause = "cause" in sent ? sent.cause : new Error("other writers were always faster");
    throw this.#broker.unreachable(cause, fate);
  }

  /**
   * Waits for the turn of whoever was overtaken; without turns, for a moment. It reads nothing meanwhile: one request then tells all
   * that others appended, while who reads in between takes the processor from whoever has the turn.
   */
  async #wait(sending: Sending): Promise<void> {
    if (sending.turn !== undefined) return;
    sending.turn = await this.#turns.begin(sending.subject, sending.deadline - performance.now());
    if (sending.turn === undefined) await sleep(Math.random() * pauseMsMax);
  }

  /** Where all records of a session were dropped, the broker takes the next one as its first. Throws where a snapshot knows of later ones. */
  async #placeToFollow({ session, subject }: Sending, after: number, { type }: Sent): Promise<number> {
    const areDropped = this.drops && type === "overtaken" && (await this.#broker.next(subject, 0)) === undefined;
    if (!areDropped) return after;
    const saved = await this.loadCheckpoint(session, Number.POSITIVE_INFINITY);
    if (saved !== undefined && RecordCursor.ofCheckpoint(saved).place > after)
      throw predecessorGone(this.#broker.names.stream, after);
    return 0;
  }

  async #readBack(sending: Sending, sent: Sent, step: Appending, made: Omit<KeptRecord, "place">): Promise<Kept> {
    const { subject, call, fate } = sending;
    const { place: after } = call.at;
    try {
      if (!this.#isStill(call.at) && (await this.#isOther(subject, call.at))) return undefined;
      if (sent.type === "kept") {
        const next = sent.place === after + 1 ? sent.place : (await this.#broker.next(subject, after))?.place;
        if (next === sent.place) return [{ ...made, place: next, entry: entryMadeHere(step, next) }];
      }
      return await this.#broker.after(subject, after, pageRecords);
    } catch (error) {
      throw fate === "unknown" ? this.#broker.unreachable(error, fate) : error;
    }
  }

  #subjectOf(session: string): string {
    return `${this.#broker.names.prefix}.${tokenOf(session)}`;
  }

  #sessionOf(subject: string): string | undefined {
    return sessionOf(subject.slice(this.#broker.names.prefix.length + 1));
  }
}

type Kept = readonly KeptRecord[] | undefined;

/** One append: how long it tries, and what may have become of what it sent. */
interface Sending {
  readonly session: string;
  readonly subject: string;
  readonly call: AppendCall;
  readonly deadline: number;
  fate: Fate;
  turn: Turn | undefined;
}
