/**
 * The records of one subject, in order, in batches from a consumer that is kept for whoever comes back soon: pushed one by one, each
 * record would wake every process that waits for its turn. The client's own iterators would cost more than the records.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { KeptRecord } from "../records/record-cursor.ts";
import type { NatsConnection } from "./connection.ts";

/** Pulls the next records that are there, at most `max`. This throws if one was lost on its way. */
export type Pull = (max: number) => Promise<readonly KeptRecord[]>;

/** Nobody needs it any more after so long; the broker has forgotten it soon after. */
const idleMs = 3000;
export const forgottenMs = 2 * idleMs;
const requestMs = 1000;
const pauseMs = 5;
/** A batch that took longer was too large for the way to the broker. */
const quickMs = requestMs / 4;
const [batchMin, batchMax] = [8, 512];
/** With these codes the broker says so. */
const noMore: readonly unknown[] = [404, 408];

export class SubjectReader {
  readonly #pull: Pull;
  readonly #patienceMs: number;
  /** The records up to this one were pulled. */
  #place: number;
  #usedMs = performance.now();
  #batch = batchMin;

  /** `pull` has all records behind the place `from`, without a gap. A record that is there and does not come is waited for `patienceMs`. */
  constructor(pull: Pull, from: number, patienceMs = 1000) {
    this.#pull = pull;
    this.#place = from;
    this.#patienceMs = patienceMs;
  }

  /** It can go on behind this place. */
  mayRead(place: number): boolean {
    return this.#place <= place && performance.now() < this.#usedMs + idleMs;
  }

  /**
   * Gives the records behind `place`, which is no earlier than what was pulled: at least up to `last`, where 0 stands for all that are
   * there at once, or `max` of them.
   */
  async read(place: number, last: number, max: number): Promise<readonly KeptRecord[]> {
    const records: KeptRecord[] = [];
    for (let waitedMs = 0; ; ) {
      const [before, startMs] = [this.#place, performance.now()];
      const asked = Math.min(this.#batch, max - records.length);
      const pulled = await this.#pull(asked);
      records.push(...pulled.filter((record) => record.place > place));
      this.#place = pulled.at(-1)?.place ?? before;
      this.#usedMs = performance.now();
      this.#batch = this.#usedMs < startMs + quickMs ? Math.min(batchMax, this.#batch * 4) : Math.ceil(this.#batch / 4);
      const isThere = last === 0 ? pulled.length < asked : this.#place >= last;
      if (isThere || records.length >= max) return records;
      if (this.#place > before) continue;
      if (waitedMs >= this.#patienceMs) throw new Error(`no record came after place ${before}`);
      await sleep(pauseMs);
      waitedMs += performance.now() - startMs;
    }
  }
}

/** `consumer` is one of the stream's, of which nobody else asks anything. */
export function pullFrom(connection: NatsConnection, stream: string, consumer: string): Pull {
  const subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`;
  const server = connection.info?.server_id;
  let count = 0;
  return async (batch) => {
    // A message comes with its own subject, which is not that of the answer.
    const asked = { strategy: "timer", maxWait: requestMs, noMux: true } as const;
    const records: KeptRecord[] = [];
    const messages = await connection.requestMany(subject, JSON.stringify({ batch, no_wait: true }), asked);
    for await (const message of messages) {
      if (!message.reply && noMore.includes(message.headers?.code)) return records;
      // It ends in place, number, time, how many are pending, and with a domain some random letters.
      const tokens = String(message.reply).split(".");
      const [place = 0, number] = tokens.slice(tokens.length === 9 ? 5 : 7).map(Number);
      count += 1;
      if (number !== count) throw new Error(`record ${count} of those behind the place did not come`);
      records.push({ place, json: message.string(), server });
      if (records.length === batch) return records;
    }
    throw new Error("the broker did not say whether there are more records");
  };
}
