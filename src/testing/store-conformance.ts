/** Holds a backend to every promise of the store port. The runner is an argument: vitest's `test`, or that of `node:test`. */
import type { JournalStore, StoreCapabilities } from "../store/store.ts";
import type { PromiseContext, StorePromise } from "./store-promise.ts";
import { mark, StoreReader } from "./store-reader.ts";
import { readingPromises } from "./store-reading.ts";
import { sharingPromises } from "./store-sharing.ts";
import { writingPromises } from "./store-writing.ts";

export interface StoreConformance {
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** A store on a new, empty stream, without a seal and under the fold policy "file". The suite closes it. */
  readonly createStore: () => JournalStore | Promise<JournalStore>;
  /** Another handle on the stream of `store`, as another process would open it. The suite closes it. */
  readonly openAgain?: (store: JournalStore) => JournalStore | Promise<JournalStore>;
  /**
   * Has another process open the stream of `store` and call `writeMarks(handle, writer, count)`; resolves when that
   * process has ended well.
   */
  readonly spawnWriter?: (store: JournalStore, writer: string, count: number) => Promise<void>;
  /** What the backend declares, which decides what it is asked. */
  readonly supports: StoreCapabilities;
  /** How long a wake-up may take. */
  readonly patienceMs?: number;
}

export function testJournalStore(conformance: StoreConformance): void {
  for (const promise of [...readingPromises, ...writingPromises, ...sharingPromises]) {
    if (promise.needs === "snapshots" && !conformance.supports.snapshots) continue;
    if (promise.needs === "openAgain" && conformance.openAgain === undefined) continue;
    if (promise.needs === "spawnWriter" && conformance.spawnWriter === undefined) continue;
    conformance.test(promise.name, () => check(promise, conformance));
  }
}

async function check(promise: StorePromise, conformance: StoreConformance): Promise<void> {
  const { createStore, openAgain, spawnWriter, patienceMs = 5000 } = conformance;
  const store = await createStore();
  const opened = [store];
  const context: PromiseContext = {
    store,
    patienceMs,
    openAgain: async () => {
      if (openAgain === undefined) return store;
      const another = await openAgain(store);
      opened.push(another);
      return another;
    },
    spawnWriter: async (writer, count) => spawnWriter?.(store, writer, count),
  };
  try {
    if (promise.needs !== "headAt" || store.headAt !== undefined) await promise.check(context);
  } finally {
    for (const each of opened) await each.close();
  }
}

/** Appends `count` marks of this writer, a commit each. */
export async function writeMarks(store: JournalStore, writer: string, count: number): Promise<void> {
  const reader = new StoreReader(store);
  for (let index = 0; index < count; index++) await reader.append(mark(writer, index));
}
