import type { Log } from "../stream/log.ts";
import type { JournalStore } from "../stream/stream-store.ts";

/** A promise is checked with this. Every store it hands out is closed afterwards. */
export interface PromiseContext {
  readonly store: JournalStore;
  /** This is the log under it, which is closed with the store. */
  readonly log: Log | undefined;
  /** This opens the same stream through another handle, or through the same one if the backend has only that. */
  openAgain(): Promise<JournalStore>;
  spawnWriter(writer: string, count: number): Promise<void>;
  readonly patienceMs: number;
}

export interface StorePromise {
  readonly name: string;
  /** What the backend must have for the promise to be asked of it. */
  readonly needs?: "openAgain" | "spawnWriter";
  readonly check: (context: PromiseContext) => Promise<void>;
}
