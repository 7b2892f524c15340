/** This is a caller of the port, as plain as can be: it remembers what it was told, and where that left it. */
import type { Draft, DraftEvent } from "../event/commit.ts";
import type { RecordedEvent } from "../event/event.ts";
import type { StreamRecord } from "../line/record.ts";
import { fold } from "../state/fold.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { EventSink, Position, StreamEnd } from "../stream/delivery.ts";
import type { JournalStore } from "../stream/stream-store.ts";

export class StoreReader implements EventSink {
  /** These are the events since the last reset. */
  events: RecordedEvent[] = [];
  resets = 0;
  /** The list has what `decide` was given each time it ran. */
  readonly decidedAt: StreamEnd[] = [];
  readonly store: JournalStore;
  #position: Position | undefined;

  constructor(store: JournalStore, from?: Position) {
    this.store = store;
    this.#position = from;
  }

  get state(): ScratchpadState {
    return fold(this.events);
  }

  reset(): void {
    this.resets += 1;
    this.events = [];
  }

  event(recorded: RecordedEvent): void {
    this.events.push(recorded);
  }

  async catchUp(): Promise<StreamEnd> {
    return this.#moveTo(await this.store.catchUp(this.#position, this));
  }

  async commit(decide: (end: StreamEnd) => Draft | undefined): Promise<StreamEnd> {
    return this.#moveTo(
      await this.store.commit(this.#position, this, (end) => {
        this.decidedAt.push(end);
        return decide(end);
      }),
    );
  }

  append(...events: readonly DraftEvent[]): Promise<StreamEnd> {
    const draft = newDraft(...events);
    return this.commit(() => draft);
  }

  #moveTo(end: StreamEnd): StreamEnd {
    this.#position = { generation: end.generation, version: end.version };
    return end;
  }
}

/** The result was told all that is there. */
export async function caughtUp(store: JournalStore): Promise<StoreReader> {
  const reader = new StoreReader(store);
  await reader.catchUp();
  return reader;
}

let drafts = 0;

/** Ids are unique across processes, because a stream takes each commit once. */
export function newDraft(...events: readonly DraftEvent[]): Draft {
  drafts += 1;
  return { id: crypto.randomUUID(), at: new Date(Date.UTC(2026, 0, 1) + drafts * 1000).toISOString(), events };
}

/** The result is an event that names its writer, and counts the events of that writer. */
export function mark(writer: string, index = 0): DraftEvent {
  return { event: { type: "notes.appended", text: `${writer} ${index}` }, actor: writer };
}

/** The result has the texts of all marks, in order. */
export function marksOf(events: readonly RecordedEvent[]): string[] {
  return events.flatMap(({ event }) => (event.type === "notes.appended" ? [event.text] : []));
}

export async function readAll(store: JournalStore, from = 0): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for await (const recorded of store.read(from)) events.push(recorded);
  return events;
}

export async function* recordsOf(store: JournalStore): AsyncGenerator<StreamRecord> {
  for await (const { record } of store.records()) yield record;
}
