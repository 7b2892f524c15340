/**
 * Readings of a store that are under way. Each holds what its store opened for it, and whoever asked for it may leave it in
 * the middle without a word: then closing ends it.
 */
import type { RecordedEvent } from "../event/event.ts";

export interface Reading extends AsyncIterable<RecordedEvent> {
  readonly iterator: AsyncIterator<RecordedEvent>;
}

export class Readings {
  readonly #open = new Set<Reading>();

  /** To be iterated once, and given back to `end` whether that came to its end or not. */
  begin(events: AsyncIterable<RecordedEvent>): Reading {
    const iterator = events[Symbol.asyncIterator]();
    const reading: Reading = { iterator, [Symbol.asyncIterator]: () => iterator };
    this.#open.add(reading);
    return reading;
  }

  end(reading: Reading): void {
    this.#open.delete(reading);
  }

  /** Ends those under way: what was read so far is all that there is. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map(({ iterator }) => iterator.return?.()));
  }
}
