/**
 * A short history, held by who goes through it more than once and then ends, such as a verb of the command line: opening
 * and all that is asked afterwards take one reading together. A long one is read again each time.
 */
import type { RecordedEvent, Version } from "../event/event.ts";
import { unitsIn } from "../state/newest-turn.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import type { Projection } from "./projection.ts";

/** Looking back takes this of a store. */
export type RecordedHistory = Pick<JournalStore, "read" | "newestTurn" | "drops">;

/** A process of little memory has room for so much. */
const eventsMax = 20_000;
const unitsMax = 4 * 1024 * 1024;

export class HeldHistory implements RecordedHistory {
  readonly #store: JournalStore;
  readonly #projection: Projection;
  /** All events of what is shown; undefined: they are not at hand. */
  #held: Events | undefined;

  /** `projection`: before it was told anything. */
  constructor(store: JournalStore, projection: Projection) {
    this.#store = store;
    this.#projection = projection;
    this.#held = projection.view.version === 0 ? new Events() : undefined;
    projection.tap((step) => {
      if (step.type === "reset" || this.#held?.add(step.recorded) === false) this.#held = undefined;
    });
  }

  get newestTurn() {
    return this.#store.newestTurn;
  }

  drops(): Promise<boolean> {
    return this.#store.drops();
  }

  async *read(from: Version): AsyncGenerator<RecordedEvent, undefined> {
    if (this.#held === undefined) yield* this.#readAll(from);
    else yield* this.#held.after(from);
  }

  async *#readAll(from: Version): AsyncGenerator<RecordedEvent, undefined> {
    const { generation, view } = this.#projection;
    const found = new Events();
    yield* found.passOn(this.#store.read(0), from, () => {
      // Of anything else than what is shown now they are no use later.
      const isShown = generation === this.#projection.generation && view === this.#projection.view;
      if (isShown && found.version <= view.version) this.#held = found;
    });
  }
}

/** This reads as `read` does, but does not read again what was short the first time. */
export function heldFrom(read: () => AsyncIterable<RecordedEvent>): () => AsyncIterable<RecordedEvent> {
  let held: Events | undefined;
  return async function* () {
    const found = new Events();
    if (held !== undefined) yield* held.after(0);
    else
      yield* found.passOn(read(), 0, () => {
        held = found;
      });
  };
}

class Events {
  readonly #all: RecordedEvent[] = [];
  #units = 0;

  /** This is the version of the last event. */
  get version(): Version {
    return this.#all.at(-1)?.version ?? 0;
  }

  /** False: it is too much to hold, and was not added. */
  add(recorded: RecordedEvent): boolean {
    this.#units += unitsIn(recorded.event);
    if (this.#all.length === eventsMax || this.#units > unitsMax) return false;
    this.#all.push(recorded);
    return true;
  }

  /** What comes after `version`; of a short history once all of it is here, and `whenShort` was called. */
  async *passOn(
    history: AsyncIterable<RecordedEvent>,
    version: Version,
    whenShort: () => void,
  ): AsyncGenerator<RecordedEvent, undefined> {
    let isShort = true;
    for await (const recorded of history) {
      if (isShort && this.add(recorded)) continue;
      if (isShort) yield* this.after(version);
      isShort = false;
      if (recorded.version > version) yield recorded;
    }
    if (!isShort) return;
    whenShort();
    yield* this.after(version);
  }

  *after(version: Version): Generator<RecordedEvent, undefined> {
    for (const recorded of this.#all) if (recorded.version > version) yield recorded;
  }
}
