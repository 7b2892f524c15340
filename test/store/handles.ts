/** Handles on a stream in memory, as separate processes would hold them, to be broken one promise at a time. */
import { ClosedError } from "../../src/errors.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Snapshot } from "../../src/stream/checkpoint.ts";
import type { JournalStore } from "../../src/stream/stream-store.ts";

/** What all handles of a stream share. */
export interface SharedStream {
  readonly inner: JournalStore;
  snapshot: Snapshot | undefined;
}

export function sharedStream(): SharedStream {
  return { inner: memoryStore(), snapshot: undefined };
}

/** The same store, each part of it to be replaced. */
export function parts(inner: JournalStore): { -readonly [Name in keyof JournalStore]: JournalStore[Name] } {
  return {
    where: inner.where,
    log: inner.log,
    file: inner.file,
    options: inner.options,
    sessionId: () => inner.sessionId(),
    catchUp: (from, sink, pages) => inner.catchUp(from, sink, pages),
    commit: (from, sink, decide) => inner.commit(from, sink, decide),
    newestTurn: undefined,
    knows: (command) => inner.knows(command),
    read: (from, pages) => inner.read(from, pages),
    records: () => inner.records(),
    pagesIn: (lines, look) => inner.pagesIn(lines, look),
    savedHead: () => inner.savedHead(),
    checkpointFault: (pages) => inner.checkpointFault(pages),
    drops: () => inner.drops(),
    foreign: (options) => inner.foreign(options),
    isDamaged: () => inner.isDamaged(),
    headAt: (version) => inner.headAt(version),
    importRecords: (after, records) => inner.importRecords(after, records),
    watch: (wake) => inner.watch(wake),
    loadSnapshot: async () => undefined,
    saveSnapshot: async () => false,
    close: () => inner.close(),
  };
}

/** Keeps every promise. Closing it leaves the stream to the other handles. */
export function handleOn(stream: SharedStream): JournalStore {
  const { inner } = stream;
  let closed = false;
  return {
    ...parts(inner),
    commit: async (from, sink, decide) => {
      if (closed) throw new ClosedError("closed");
      return inner.commit(from, sink, decide);
    },
    loadSnapshot: async () => {
      const { snapshot } = stream;
      if (snapshot === undefined) return undefined;
      const head = await inner.headAt(snapshot.end.version);
      return head?.hash === snapshot.end.hash ? snapshot : undefined;
    },
    saveSnapshot: async ({ end }) => {
      const snapshot = await inner.loadSnapshot();
      stream.snapshot = snapshot && { ...snapshot, end };
      return stream.snapshot !== undefined;
    },
    close: async () => {
      closed = true;
    },
  };
}
