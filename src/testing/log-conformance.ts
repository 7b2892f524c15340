/** Holds a log to every promise of the port. The runner is an argument: vitest's `test`, or that of `node:test`. */
import { requireOptions } from "../options.ts";
import type { Log } from "../stream/log.ts";
import { type JournalStore, streamStore } from "../stream/stream-store.ts";
import { logPromises } from "./log-promises.ts";
import type { StorePromise } from "./store-promise.ts";
import { mark, StoreReader } from "./store-reader.ts";
import { readingPromises } from "./store-reading.ts";
import { sharingPromises } from "./store-sharing.ts";
import { writingPromises } from "./store-writing.ts";

/** This is what {@link testLog} needs to know of a log. */
export interface LogConformance {
  readonly test: (name: string, run: () => Promise<void>) => unknown;
  /** It returns a log of a new, empty session. The suite closes it. */
  readonly createLog: () => Log | Promise<Log>;
  /** Another handle on what `log` is a handle on, as another process would open it. The suite closes it. */
  readonly openAgain?: (log: Log) => Log | Promise<Log>;
  /**
   * Has another process open what `log` is a handle on and call `writeMarks(handle, writer, count)`; resolves when that
   * process has ended well.
   */
  readonly spawnWriter?: (log: Log, writer: string, count: number) => Promise<void>;
  /** This is how long a wake-up may take. The default is 5000. */
  readonly patienceMs?: number;
}

/**
 * Registers a test for each promise of a log, and for those of several handles and processes if these can be opened.
 *
 * @param options The test function of your runner, and how to create a log.
 * @throws What `test` throws, and a TypeError for an option that does not exist: promises would go unchecked.
 * @example
 * testLog({ test, createLog: () => memoryStore().log });
 */
export function testLog(options: LogConformance): void {
  requireOptions(options, "test", "createLog", "openAgain", "spawnWriter", "patienceMs");
  const { createLog, openAgain, spawnWriter, ...conformance } = options;
  const logs = new WeakMap<JournalStore, Log>();
  const stored = (log: Log): JournalStore => {
    const store = streamStore(log);
    logs.set(store, log);
    return store;
  };
  const logOf = (store: JournalStore): Log => logs.get(store) as Log;
  testStore({
    ...conformance,
    createStore: async () => stored(await createLog()),
    openAgain: openAgain && (async (store) => stored(await openAgain(logOf(store)))),
    spawnWriter: spawnWriter && ((store, writer, count) => spawnWriter(logOf(store), writer, count)),
    logOf,
  });
}

export interface StoreConformance {
  readonly test: LogConformance["test"];
  readonly createStore: () => JournalStore | Promise<JournalStore>;
  readonly openAgain?: ((store: JournalStore) => JournalStore | Promise<JournalStore>) | undefined;
  readonly spawnWriter?: ((store: JournalStore, writer: string, count: number) => Promise<void>) | undefined;
  readonly patienceMs?: number | undefined;
  /** This answers the log of a store. It is undefined if only the promises of stores are asked of it. */
  readonly logOf?: (store: JournalStore) => Log;
}

/** This registers the promises of a store, whatever it is made of. */
export function testStore(conformance: StoreConformance): void {
  const promises = [...readingPromises, ...writingPromises, ...sharingPromises];
  for (const promise of conformance.logOf === undefined ? promises : [...logPromises, ...promises]) {
    if (promise.needs === "openAgain" && conformance.openAgain === undefined) continue;
    if (promise.needs === "spawnWriter" && conformance.spawnWriter === undefined) continue;
    conformance.test(promise.name, () => check(promise, conformance));
  }
}

async function check(promise: StorePromise, conformance: StoreConformance): Promise<void> {
  const { createStore, openAgain, spawnWriter, logOf, patienceMs = 5000 } = conformance;
  const store = await createStore();
  const opened = [store];
  try {
    await promise.check({
      store,
      log: logOf?.(store),
      patienceMs,
      openAgain: async () => {
        if (openAgain === undefined) return store;
        const another = await openAgain(store);
        opened.push(another);
        return another;
      },
      spawnWriter: async (writer, count) => spawnWriter?.(store, writer, count),
    });
  } finally {
    for (const each of opened) await each.close();
  }
}

/**
 * Appends marks of one writer, each in a commit of its own. `testLog` finds them in the log.
 *
 * @param handle The log, or a store over it.
 * @param writer The name of the writer.
 * @param count How many marks are appended.
 * @throws What the log throws (as a rejection).
 * @example
 * await writeMarks(new MyLog(process.argv[2]), process.argv[3], 50);
 */
export async function writeMarks(handle: Log | JournalStore, writer: string, count: number): Promise<void> {
  const reader = new StoreReader("catchUp" in handle ? handle : streamStore(handle));
  for (let index = 0; index < count; index++) await reader.append(mark(writer, index));
}
