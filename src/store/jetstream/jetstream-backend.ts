/**
 * This backend keeps the records of many sessions in one stream of a broker, each session under its own subject. The broker appends a
 * record only behind the one that its writer saw last; which of the records count is decided by the format all the same, because brokers
 * have been seen to let two writers through.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Fate } from "../../errors.ts";
import { parseRecord } from "../../line/record.ts";
import type { SessionSummary } from "../../stream/catalog.ts";
import type { LogRecord } from "../../stream/log.ts";
import type { AppendCall } from "../records/append-call.ts";
import type { Backend } from "../records/backend.ts";
import type { KeptRecord, RecordCursor } from "../records/record-cursor.ts";
import { changeOf } from "../records/record-texts.ts";
import type { BrokerOptions } from "./broker-options.ts";
import { Bucket } from "./bucket.ts";
import { sessionOf, tokenOf } from "./names.ts";
import { connectBroker, type NatsBroker, type Sent } from "./nats-broker.ts";

const pageRecords = 500;
const pauseMsMax = 20;

/** Throws StorageError where nobody answers, or there is no stream and none may be made. */
export async function openBroker(options: BrokerOptions): Promise<JetStreamBackend> {
  const broker = await connectBroker(options);
  try {
    await broker.requireStream(options);
    return new JetStreamBackend(broker, options);
  } catch (error) {
    await broker.close();
    throw error;
  }
}

export class JetStreamBackend implements Backend {
  readonly #broker: NatsBroker;
  readonly #checkpoints: Bucket;

  constructor(broker: NatsBroker, options: BrokerOptions) {
    this.#broker = broker;
    this.#checkpoints = new Bucket(broker.connection, broker.names.bucket, options);
  }

  get drops(): boolean {
    return this.#broker.drops;
  }

  async after(session: string, cursor: RecordCursor, max: number): Promise<readonly KeptRecord[] | undefined> {
    const subject = this.#subjectOf(session);
    if (!cursor.isSeen) {
      const json = (await this.#broker.at(subject, cursor.place))?.json;
      // What is gone may have been dropped because its owner wants old ones dropped.
      if (json === undefined ? !this.drops : !cursor.isBehind(json)) return undefined;
    }
    return this.#broker.after(subject, cursor.place, max);
  }

  /** What is known is decided on first: the broker refuses what was decided on too little. */
  async append(session: string, call: AppendCall): Promise<void> {
    const until: Patience = { deadline: performance.now() + this.#broker.waitMs, fate: "not-written" };
    let step = call.next(call.at.isSeen ? [] : await this.after(session, call.at, pageRecords));
    for (let isRead = false; !isRead || step.type === "append"; ) {
      const [record] = step.type === "append" ? step.records : [];
      const news =
        record === undefined
          ? await this.after(session, call.at, pageRecords)
          : await this.#send(session, record, call.at.place, until);
      isRead = news === undefined || news.length < pageRecords;
      step = call.next(news);
    }
  }

  loadCheckpoint(session: string): Promise<string | undefined> {
    return this.#checkpoints.load(tokenOf(session));
  }

  saveCheckpoint(session: string, text: string, improves: (saved: string) => boolean): Promise<void> {
    return this.#checkpoints.save(tokenOf(session), text, improves);
  }

  /** The list comes from the newest record of each. A record that the rule of acceptance refuses may be listed until the next one comes. */
  async *list(): AsyncGenerator<SessionSummary> {
    for await (const { subject, json } of this.#broker.newest()) {
      const session = this.#sessionOf(subject);
      if (session === undefined || parseRecord(json) === undefined) continue;
      const { version } = JSON.parse(json) as { version: number };
      const [at, actor] = changeOf(json);
      yield { session, version, at: at ?? undefined, actor: actor ?? undefined };
    }
  }

  async newestSessions(max: number): Promise<readonly string[]> {
    const subjects = await this.#broker.recentSubjects(max);
    return subjects.flatMap((subject) => this.#sessionOf(subject) ?? []);
  }

  watch(wake: (session: string) => void, only?: string): Promise<() => Promise<void>> {
    const filter = only === undefined ? this.#broker.names.subjects : this.#subjectOf(only);
    return this.#broker.watch(filter, (subject) => {
      const session = this.#sessionOf(subject);
      if (session !== undefined) wake(session);
    });
  }

  close(): Promise<void> {
    return this.#broker.close();
  }

  /**
   * What stands behind the record at `after` once this one was sent, be it among it or not. What got no answer is looked
   * for, and sent again as it was while nothing has come.
   */
  async #send(session: string, record: LogRecord, after: number, until: Patience): Promise<readonly KeptRecord[]> {
    const subject = this.#subjectOf(session);
    const json = JSON.stringify(record);
    // The broker drops what it has had under the same id.
    const id = `${record.kind === "commit" ? record.data.id : record.key}/${tokenOf(session)}/${after}`;
    for (;;) {
      const sent = await this.#broker.send(subject, json, id, after);
      if (sent.type === "kept" || sent.type === "silence") until.fate = "unknown";
      else await sleep(Math.random() * pauseMsMax);
      const news = await this.#readBack(subject, sent, json, after, until);
      if (news.length > 0) return news;
      const cause = "cause" in sent ? sent.cause : new Error("other writers were always faster");
      if (performance.now() >= until.deadline) throw this.#broker.unreachable(cause, until.fate);
      await sleep(Math.random() * pauseMsMax);
    }
  }

  async #readBack(subject: string, sent: Sent, json: string, after: number, { fate }: Patience) {
    try {
      const isNext = sent.type === "kept" && (await this.#isNext(subject, after, sent.place));
      return isNext ? [{ place: sent.place, json }] : await this.#broker.after(subject, after, pageRecords);
    } catch (error) {
      throw fate === "unknown" ? this.#broker.unreachable(error, fate) : error;
    }
  }

  async #isNext(subject: string, after: number, place: number): Promise<boolean> {
    return place === after + 1 || (await this.#broker.next(subject, after))?.place === place;
  }

  #subjectOf(session: string): string {
    return `${this.#broker.names.prefix}.${tokenOf(session)}`;
  }

  #sessionOf(subject: string): string | undefined {
    return sessionOf(subject.slice(this.#broker.names.prefix.length + 1));
  }
}

/** How long one append tries, and what may have become of what it sent. */
interface Patience {
  readonly deadline: number;
  fate: Fate;
}
