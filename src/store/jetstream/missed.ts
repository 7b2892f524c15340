/**
 * The records of a session that others write to at the same time, in batches from one consumer that is kept: pushed one by one,
 * each record would wake every process that waits.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { KeptRecord } from "../records/record-cursor.ts";

export interface Batches {
  /** The result is how many records are there to be fetched. */
  pending(): Promise<number>;
  fetch(max: number): Promise<AsyncIterable<KeptRecord>>;
  close(): Promise<unknown>;
}

/** Nobody needs it any more after so long. */
const idleMs = 3000;
const pauseMs = 5;
const batchMax = 500;

export class Missed {
  readonly #batches: Promise<Batches>;
  readonly #ended: () => void;
  readonly #patienceMs: number;
  readonly #idle: NodeJS.Timeout;
  /** Those up to here were fetched. */
  #from: number;
  #isBusy = false;
  #isEnded = false;

  /** `batches` have all records behind the place `from`, without a gap. `ended` is called when there is nothing more here. What is pending and does not come is waited for `patienceMs`. */
  constructor(batches: Promise<Batches>, from: number, ended: () => void, patienceMs = 1000) {
    this.#patienceMs = patienceMs;
    this.#batches = batches;
    this.#from = from;
    this.#ended = ended;
    this.#idle = setTimeout(() => this.end(), idleMs).unref();
    batches.catch(() => this.end());
  }

  /** Those behind a place, at least up to `last`; undefined where they are not to be had here. */
  async between(place: number, last: number): Promise<readonly KeptRecord[] | undefined> {
    if (this.#isEnded || this.#isBusy) return undefined;
    if (place < this.#from) return void this.end();
    this.#isBusy = true;
    try {
      const records = await this.#fetched(last);
      if (records === undefined) this.end();
      return records?.filter((record) => record.place > place);
    } catch {
      return void this.end();
    } finally {
      this.#isBusy = false;
      this.#idle.refresh();
    }
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#idle);
    this.#ended();
    this.#batches.then((batches) => batches.close()).catch(() => undefined);
  }

  async #fetched(last: number): Promise<readonly KeptRecord[] | undefined> {
    const batches = await this.#batches;
    const records: KeptRecord[] = [];
    let deadline = performance.now() + this.#patienceMs;
    while (this.#from < last) {
      const before = this.#from;
      const pending = await batches.pending();
      for await (const record of pending === 0 ? [] : await batches.fetch(Math.min(pending, batchMax))) {
        records.push(record);
        this.#from = record.place;
      }
      if (this.#from > before) deadline = performance.now() + this.#patienceMs;
      else if (performance.now() >= deadline) return undefined;
      else await sleep(pauseMs);
    }
    return records;
  }
}
