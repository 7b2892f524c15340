/** Keeps a journal in step with its stream as long as somebody follows: one watcher, however many do. */

import { Queue } from "../stream/queue.ts";
import type { JournalStore } from "../stream/stream-store.ts";

/** A reading that failed is tried again after so long, for nobody may commit again. */
const againMs = 1000;

export interface FollowerParts {
  readonly store: JournalStore;
  /** Reads what is new. Called again only once it has begun. */
  readonly readOn: (begun: () => void) => Promise<void>;
  /** It is called after each reading, with the error if the reading failed. One that fails because all was closed meanwhile has only ended. */
  readonly onRead: (failure?: unknown) => void;
}

export class Follower {
  readonly #parts: FollowerParts;
  readonly #queue = new Queue();
  #followers = 0;
  #unwatch: (() => Promise<void>) | undefined;
  #waiting = false;
  #again: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
  }

  /** Resolves when the stream is being watched; a first reading is under way. */
  start(): Promise<void> {
    this.#followers += 1;
    return this.#queue.run(() => this.#adjust());
  }

  /** This is to be called once for each start. */
  stop(): void {
    this.#followers -= 1;
    void this.#queue.run(() => this.#adjust()).catch(() => undefined);
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#queue.run(() => this.#adjust());
  }

  async #adjust(): Promise<void> {
    const wanted = this.#followers > 0 && !this.#closed;
    if (wanted === (this.#unwatch !== undefined)) return;
    if (wanted) {
      this.#unwatch = await this.#parts.store.watch(this.#wake);
      this.#wake();
    } else {
      const unwatch = this.#unwatch;
      this.#unwatch = undefined;
      clearTimeout(this.#again);
      await unwatch?.();
    }
  }

  /** One reading that has not begun answers all that wake it meanwhile. */
  readonly #wake = (): void => {
    if (this.#waiting || this.#closed) return;
    this.#waiting = true;
    const { readOn, onRead } = this.#parts;
    const begun = (): void => {
      this.#waiting = false;
    };
    void readOn(begun).then(
      () => onRead(),
      (failure: unknown) => {
        onRead(this.#closed ? undefined : failure);
        this.#wakeLater();
      },
    );
  };

  /** No process goes on for this alone. */
  #wakeLater(): void {
    if (this.#unwatch === undefined) return;
    clearTimeout(this.#again);
    this.#again = setTimeout(this.#wake, againMs).unref();
  }
}
