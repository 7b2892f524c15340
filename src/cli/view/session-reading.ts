/** The events of one session, read once for all who look at it. */
import { HeldEvents } from "../../audit/report/newest-events.ts";
import type { RecordedEvent, Version } from "../../event/event.ts";
import { requireFirst } from "../../journal/beginning.ts";
import type { Position } from "../../stream/delivery.ts";
import type { JournalStore } from "../../stream/stream-store.ts";
import type { Opening } from "./listed-session.ts";

export class SessionReading {
  readonly store: JournalStore;
  /** These are as many events as a page shows. After a rewrite, another object takes its place. */
  events = new HeldEvents();
  turns = 0;
  #position: Position | undefined;
  #first: Version | undefined;
  #refreshing: Promise<void> | undefined;

  constructor(store: JournalStore) {
    this.store = store;
  }

  /** Reads on. A call during a reading waits for the next one, and sees what was written until now. */
  async refresh(): Promise<void> {
    while (this.#refreshing !== undefined) await this.#refreshing.catch(() => undefined);
    this.#refreshing = this.#read();
    try {
      await this.#refreshing;
    } finally {
      this.#refreshing = undefined;
    }
  }

  async #read(): Promise<void> {
    const startOver = (): void => {
      this.events = new HeldEvents();
      this.#first = undefined;
    };
    try {
      const event = (recorded: RecordedEvent): void => {
        this.#first ??= recorded.version;
        this.events.add(recorded);
      };
      const { generation, version, turn } = await this.store.catchUp(this.#position, { reset: startOver, event });
      this.#position = { generation, version };
      await requireFirst(this.#first ?? version + 1, this.store, "a report would show states that never were");
      this.turns = turn;
    } catch (error) {
      // Some of what is new may have been told.
      startOver();
      this.#position = undefined;
      throw error;
    }
  }
}

/** A session is opened when the first looks, and closed when the last has left. */
export class SessionReadings {
  readonly #open = new Map<string, { readonly reading: Promise<SessionReading>; readers: number }>();

  async use(opening: Opening, task: (reading: SessionReading) => Promise<void>): Promise<void> {
    const { key } = opening.listed;
    const used = this.#open.get(key) ?? {
      reading: opening.open().then((store) => new SessionReading(store)),
      readers: 0,
    };
    this.#open.set(key, used);
    used.readers += 1;
    try {
      await task(await used.reading);
    } finally {
      used.readers -= 1;
      if (used.readers === 0) {
        this.#open.delete(key);
        const reading = await used.reading.catch(() => undefined);
        await reading?.store.close();
      }
    }
  }
}
