/** Stores that each break one promise of the port, to prove that the suite can tell. */
import { Readable } from "node:stream";
import type { DraftEvent } from "../../src/event/commit.ts";
import type { RecordedEvent } from "../../src/event/event.ts";
import type { StreamRecord } from "../../src/line/record.ts";
import type { EventSink } from "../../src/stream/delivery.ts";
import type { JournalStore } from "../../src/stream/stream-store.ts";
import { mark, newDraft } from "../../src/testing/store-reader.ts";
import { handleOn, type SharedStream } from "./handles.ts";

export interface BrokenStore {
  /** The promise that it breaks, by name. */
  readonly promise: string;
  readonly how: string;
  readonly open: (stream: SharedStream) => JournalStore;
}

function broken(
  promise: string,
  how: string,
  change: (good: JournalStore, stream: SharedStream) => Partial<JournalStore>,
): BrokenStore {
  return {
    promise,
    how,
    open: (stream) => {
      const good = handleOn(stream);
      return { ...good, ...change(good, stream) };
    },
  };
}

/** A sink that changes what goes through it. */
function through(sink: EventSink, change: (recorded: RecordedEvent) => readonly RecordedEvent[]): EventSink {
  return {
    reset: (reason) => sink.reset(reason),
    event: (recorded) => {
      for (const each of change(recorded)) sink.event(each);
    },
  };
}

function cut(draft: DraftEvent): DraftEvent {
  const { event } = draft;
  return event.type === "notes.set" ? { ...draft, event: { ...event, text: event.text.slice(0, 65_535) } } : draft;
}

const deaf: EventSink = { reset: () => undefined, event: () => undefined };

function into(events: RecordedEvent[]): EventSink {
  return { reset: () => undefined, event: (recorded) => events.push(recorded) };
}

async function* filtered(
  events: AsyncIterable<RecordedEvent>,
  keep: (recorded: RecordedEvent) => boolean | Promise<boolean>,
): AsyncIterable<RecordedEvent> {
  for await (const recorded of events) if (await keep(recorded)) yield recorded;
}

export const brokenStores: readonly BrokenStore[] = [
  broken("an unknown stream reads as empty", "it begins without the hash of its session", (good) => ({
    catchUp: async (from, sink) => ({ ...(await good.catchUp(from, sink)), hash: "" }),
  })),
  broken("events are told in order, with all that was handed over", "commands get lost", (good) => ({
    catchUp: (from, sink) =>
      good.catchUp(
        from,
        through(sink, ({ command: _, ...recorded }) => [recorded]),
      ),
  })),
  broken("events are told in order, with all that was handed over", "a commit is told backwards", (good) => ({
    catchUp: async (from, sink) => {
      const told: RecordedEvent[] = [];
      const end = await good.catchUp(from, into(told));
      for (const recorded of told.reverse()) sink.event(recorded);
      return end;
    },
  })),
  broken("a reader that goes on is told each event exactly once", "the newest event is told again", (good) => ({
    catchUp: (from, sink) => good.catchUp(from && { ...from, version: Math.max(0, from.version - 1) }, sink),
  })),
  broken("reading on from any version tells exactly what comes after it", "it goes on at whole commits", (good) => ({
    catchUp: (from, sink) => good.catchUp(from && { ...from, version: from.version - (from.version % 2) }, sink),
  })),
  broken("read yields what comes after any version, whatever sinks were told", "from is inclusive", (good) => ({
    read: (from) => good.read(Math.max(0, from - 1)),
  })),
  broken("read yields what comes after any version, whatever sinks were told", "only what was told is read", (good) => {
    let told = 0;
    return {
      commit: async (from, sink, decide) => {
        const end = await good.commit(from, sink, decide);
        told = end.version;
        return end;
      },
      read: (from) => filtered(good.read(from), ({ version }) => version <= told),
    };
  }),
  broken("a commit between two events of a read disturbs neither", "a read ends where the stream grows", (good) => ({
    read: async function* (from) {
      const { version } = await good.catchUp(undefined, deaf);
      yield* filtered(good.read(from), async () => (await good.catchUp(undefined, deaf)).version === version);
    },
  })),
  broken("plain appends never void what was told", "every read starts over", (good) => ({
    catchUp: (_from, sink) => {
      sink.reset("rewritten");
      return good.catchUp(undefined, sink);
    },
  })),
  broken("a position in another history is voided, and all is told again", "only the version is looked at", (good) => ({
    catchUp: async (from, sink) => {
      const { generation } = await good.catchUp(undefined, deaf);
      return good.catchUp(from && { ...from, generation }, sink);
    },
  })),
  broken("turns are counted where they begin", "there are no turns", (good) => ({
    commit: async (from, sink, decide) => ({ ...(await good.commit(from, sink, decide)), turn: 0 }),
  })),
  broken("a wake-up follows the last append of a burst", "only the first append wakes", (good) => ({
    watch: (wake) => {
      let asleep = true;
      return good.watch(() => {
        if (asleep) wake();
        asleep = false;
      });
    },
  })),
  broken("of many commits none is lost", "every fiftieth is told to its writer and not kept", (good) => {
    let commits = 0;
    return {
      commit: async (from, sink, decide) => {
        commits += 1;
        if (commits % 50 !== 0) return good.commit(from, sink, decide);
        const end = await good.catchUp(from, sink);
        for (const { event, actor = "agent" } of decide(end)?.events ?? [])
          sink.event({ version: end.version + 1, event, actor, at: "", turn: 0, origin: "journal" });
        return end;
      },
    };
  }),
  broken("records that are appended together stand in their order", "one between two others is left out", (good) => ({
    importRecords: async (after, records) => {
      const all: StreamRecord[] = [];
      for await (const record of records) all.push(record);
      return good.importRecords(after, Readable.from(all.toSpliced(1, 1)));
    },
  })),
  broken("a long text comes back as it was", "it is cut to 65,535 characters", (good) => ({
    commit: (from, sink, decide) =>
      good.commit(from, sink, (end) => {
        const draft = decide(end);
        return draft && { ...draft, events: draft.events.map(cut) };
      }),
  })),
  broken("a commit of several events is there whole, under one id", "events are appended one by one", (good) => ({
    commit: async (from, sink, decide) => {
      let at = from;
      let index = 0;
      for (let count = 1; index < count; index++) {
        at = await good.commit(at, sink, (end) => {
          const draft = decide(end);
          count = draft?.events.length ?? 0;
          return draft && { ...draft, id: `${draft.id}${index || ""}`, events: draft.events.slice(index, index + 1) };
        });
      }
      return good.catchUp(at, sink);
    },
  })),
  broken("a commit of several events is there whole, under one id", "the last event is forgotten", (good) => ({
    commit: (from, sink, decide) =>
      good.commit(from, sink, (end) => {
        const draft = decide(end);
        return draft && { ...draft, events: draft.events.slice(0, 2) };
      }),
  })),
  broken("a writer is told its own events once", "a writer is told nothing of its own", (good) => ({
    commit: (from, sink, decide) => {
      let id: string | undefined;
      const others = through(sink, (recorded) => (recorded.commit === id ? [] : [recorded]));
      return good.commit(from, others, (end) => {
        const draft = decide(end);
        id = draft?.id;
        return draft;
      });
    },
  })),
  broken("decide runs on everything that was appended before", "it decides first and tells afterwards", (good) => ({
    commit: async (from, sink, decide) => {
      const told: RecordedEvent[] = [];
      const end = await good.commit(from, into(told), decide);
      for (const recorded of told) sink.event(recorded);
      return end;
    },
  })),
  broken("decide that returns nothing appends nothing", "a mark is left instead", (good) => ({
    commit: (from, sink, decide) => good.commit(from, sink, (end) => decide(end) ?? newDraft(mark("store"))),
  })),
  broken("a draft without events appends nothing", "a turn begins instead", (good) => ({
    commit: (from, sink, decide) =>
      good.commit(from, sink, (end) => {
        const draft = decide(end);
        if (draft === undefined || draft.events.length > 0) return draft;
        return { ...draft, events: [{ event: { type: "turn.began" }, actor: "store" }] };
      }),
  })),
  broken("no update is lost between two handles", "it decides before the guard", (good) => ({
    commit: async (from, sink, decide) => {
      const end = await good.catchUp(from, sink);
      const draft = decide(end);
      await Promise.resolve();
      return good.commit(end, sink, () => draft);
    },
  })),
  broken("a command is known as soon as its event was told, to every handle", "long ones are forgotten", (good) => ({
    knows: (command) => command.length < 64 && good.knows(command),
  })),
  broken("the chain is the one that every backend keeps", "each commit stands alone", (good) => ({
    commit: async (from, sink, decide) => {
      const end = await good.commit(from, sink, decide);
      return { ...end, hash: String(end.version).padStart(32, "0") };
    },
  })),
  broken("headAt gives the hash after the commit that holds a version", "it gives the newest", (good) => ({
    headAt: async (version) => ({ version, hash: (await good.catchUp(undefined, deaf)).hash }),
  })),
  broken("any text comes back as it was", "control characters are cleaned away", (good) => ({
    read: async function* (from) {
      for await (const recorded of good.read(from)) {
        yield JSON.parse(JSON.stringify(recorded).replace(/\\u00[01][0-9a-f]/g, "")) as RecordedEvent;
      }
    },
  })),
  broken("what the caller does to its draft afterwards changes no history", "it keeps the caller's objects", (good) => {
    const kept = new Map<string, readonly { readonly event: RecordedEvent["event"] }[]>();
    const asKept = (recorded: RecordedEvent): RecordedEvent => {
      const event = kept.get(recorded.commit ?? "")?.[0]?.event;
      return event === undefined ? recorded : { ...recorded, event };
    };
    return {
      commit: (from, sink, decide) =>
        good.commit(from, sink, (end) => {
          const draft = decide(end);
          if (draft !== undefined) kept.set(draft.id, draft.events);
          return draft;
        }),
      read: async function* (from) {
        for await (const recorded of good.read(from)) yield asKept(recorded);
      },
    };
  }),
  broken("closing twice is fine, and a closed store takes no commit", "the second closing throws", (good) => {
    let closed = false;
    return {
      close: async () => {
        if (closed) throw new Error("closed already");
        closed = true;
        return good.close();
      },
    };
  }),
  broken("closing twice is fine, and a closed store takes no commit", "it goes on after closing", () => ({
    close: async () => undefined,
  })),
  broken("what was acknowledged is there for the next to open", "it is written when somebody cares to ask", (good) => {
    const unwritten: (() => Promise<unknown>)[] = [];
    return {
      commit: async (from, sink, decide) => {
        const end = await good.catchUp(from, sink);
        unwritten.push(() => good.commit(end, deaf, decide));
        return end;
      },
    };
  }),
  broken("processes that write at the same time lose and repeat nothing", "every tenth commit is lost", (good) => {
    let commits = 0;
    return {
      commit: (from, sink, decide) => {
        commits += 1;
        return commits % 10 === 0 ? good.catchUp(from, sink) : good.commit(from, sink, decide);
      },
    };
  }),
  broken("without a checkpoint there is none", "an empty one is made up", (good) => ({
    loadSnapshot: async () => {
      const snapshot = await good.loadSnapshot?.();
      const end = await good.catchUp(undefined, deaf);
      return snapshot ?? { end, state: { notes: "", plan: "", refs: [], entries: {}, leases: {}, sections: {} } };
    },
  })),
  broken("resuming from a checkpoint adds up to the same", "it is of another state", (_good, stream) => ({
    loadSnapshot: async () => stream.snapshot && { ...stream.snapshot, state: { ...stream.snapshot.state, notes: "" } },
  })),
  broken("a checkpoint is not taken where the stream does not stand", "every one is believed", (_good, stream) => ({
    loadSnapshot: async () => stream.snapshot,
  })),
];
