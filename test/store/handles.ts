/** Handles on a stream in memory, as separate processes would hold them, to be broken one promise at a time. */
import { ClosedError } from "../../src/errors.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { JournalStore, Snapshot } from "../../src/store/store.ts";

/** What all handles of a stream share. */
export interface SharedStream {
  readonly inner: JournalStore;
  snapshot: Snapshot | undefined;
}

export function sharedStream(): SharedStream {
  return { inner: memoryStore(), snapshot: undefined };
}

/** Keeps every promise. Closing it leaves the stream to the other handles. */
export function handleOn(stream: SharedStream): JournalStore {
  const { inner } = stream;
  let closed = false;
  return {
    where: inner.where,
    supports: { shared: true, snapshots: true, lines: false },
    sessionId: () => inner.sessionId(),
    catchUp: (from, sink) => inner.catchUp(from, sink),
    commit: async (from, sink, decide) => {
      if (closed) throw new ClosedError("closed");
      return inner.commit(from, sink, decide);
    },
    knows: (command) => inner.knows(command),
    read: (from) => inner.read(from),
    watch: (wake) => inner.watch(wake),
    headAt: async (version) => inner.headAt?.(version),
    loadSnapshot: async () => {
      const { snapshot } = stream;
      if (snapshot === undefined) return undefined;
      const head = await inner.headAt?.(snapshot.end.version);
      return head?.hash === snapshot.end.hash ? snapshot : undefined;
    },
    saveSnapshot: async (snapshot) => {
      stream.snapshot = snapshot;
    },
    close: async () => {
      closed = true;
    },
  };
}
