/** Sends records, and reads back what became of them. */
import { setTimeout as sleep } from "node:timers/promises";
import type { LogRecord } from "../../stream/log.ts";
import type { KeptRecord } from "../kept-record.ts";
import type { Broker, Sent } from "./broker.ts";
import { recordsAfter } from "./subject.ts";

const pauseMsMax = 20;

export class Sending {
  readonly #broker: Broker;
  readonly #subject: string;
  readonly #token: string;
  readonly #deadline: number;
  #fate: "not-written" | "unknown" = "not-written";

  constructor(broker: Broker, subject: string, token: string) {
    this.#broker = broker;
    this.#subject = subject;
    this.#token = token;
    this.#deadline = performance.now() + broker.waitMs;
  }

  /**
   * What stands behind the record at `after` once this one was sent, be it among it or not. What got no answer is looked
   * for, and sent again as it was while nothing has come.
   */
  async send(record: LogRecord, after: number): Promise<readonly KeptRecord[]> {
    const json = JSON.stringify(record);
    const name = record.kind === "commit" ? record.data.id : record.key;
    for (;;) {
      // The broker drops what it has had under the same id.
      const sent = await this.#broker.send(this.#subject, json, `${name}/${this.#token}/${after}`, after);
      if (sent.type === "kept" || sent.type === "silence") this.#fate = "unknown";
      else await sleep(Math.random() * pauseMsMax);
      const news = await this.#readBack(sent, json, after);
      if (news.length > 0) return news;
      if (performance.now() >= this.#deadline) throw this.#broker.unreachable(causeOf(sent), this.#fate);
      await sleep(Math.random() * pauseMsMax);
    }
  }

  async #readBack(sent: Sent, json: string, after: number): Promise<readonly KeptRecord[]> {
    try {
      const isNext = sent.type === "kept" && (await this.#isFirst(after, sent.place));
      return isNext ? [{ place: sent.place, json }] : await newsAfter(this.#broker, this.#subject, after);
    } catch (error) {
      throw this.#fate === "unknown" ? this.#broker.unreachable(error, this.#fate) : error;
    }
  }

  async #isFirst(after: number, place: number): Promise<boolean> {
    return place === after + 1 || (await this.#broker.next(this.#subject, after))?.place === place;
  }
}

export async function newsAfter(broker: Broker, subject: string, place: number): Promise<readonly KeptRecord[]> {
  const news: KeptRecord[] = [];
  for await (const kept of recordsAfter(broker, subject, place)) news.push(kept);
  return news;
}

function causeOf(sent: Sent): unknown {
  return "cause" in sent ? sent.cause : new Error("other writers were always faster");
}
