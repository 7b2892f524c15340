/**
 * This keeps the readings of a store that are under way. Each holds what its store opened for it, and whoever asked for it may leave it in
 * the middle without a word: then closing ends it.
 */

import { isJournalError } from "../errors.ts";
import type { Projection, View } from "./projection.ts";

export interface Reading<Item> extends AsyncIterable<Item> {
  readonly iterator: AsyncIterator<Item>;
}

export class Readings {
  readonly #open = new Set<Reading<unknown>>();

  /** The result is to be iterated once, and given back to `end` whether that came to its end or not. */
  begin<Item>(items: AsyncIterable<Item>): Reading<Item> {
    const iterator = items[Symbol.asyncIterator]();
    const reading: Reading<Item> = { iterator, [Symbol.asyncIterator]: () => iterator };
    this.#open.add(reading);
    return reading;
  }

  end(reading: Reading<unknown>): void {
    this.#open.delete(reading);
  }

  /** The result yields the items, until there are no more or it `isOver`. */
  async *until<Item>(isOver: () => boolean, items: AsyncIterable<Item>): AsyncGenerator<Item, undefined> {
    const reading = this.begin(items);
    try {
      for await (const item of reading) {
        if (isOver()) return;
        yield item;
      }
    } finally {
      this.end(reading);
    }
  }

  /** Ends those under way: what was read so far is all that there is. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map(({ iterator }) => iterator.return?.()));
  }
}

export async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Another history each time is one that somebody rewrites all the time. */
const looksMax = 8;

/** What is shown and its events are two readings, and a host may put another history there in between: then `look` looks again. */
export async function ofOneHistory<Result>(
  journal: { refresh(): Promise<void> },
  projection: Pick<Projection, "generation" | "view">,
  look: (view: View) => Promise<Result>,
): Promise<Result> {
  await journal.refresh();
  for (let left = looksMax; ; left--) {
    const { generation, view } = projection;
    const result = await look(view);
    await refreshUnlessClosed(journal);
    if (generation === projection.generation || left === 1) return result;
  }
}

/** What was asked before the journal was closed is answered. */
async function refreshUnlessClosed(journal: { refresh(): Promise<void> }): Promise<void> {
  try {
    await journal.refresh();
  } catch (error) {
    if (!isJournalError(error, "closed")) throw error;
  }
}
