/** Commands that are repeated are answered as the first time, so that is looked for in the history. */
import type { RecordedEvent, Version } from "../event/event.ts";
import { evolve } from "../state/evolve.ts";
import { initialState } from "../state/state.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import type { FirstTime } from "./call.ts";
import type { Projection } from "./projection.ts";

/**
 * So many commands behind those that were asked for are remembered, as long as their events have no more characters than that: whoever repeats
 * one command is likely to repeat the next ones, and each would take a reading of the whole history.
 */
const [aheadMax, aheadUnitsMax] = [1024, 1 << 20];

type Found = Pick<FirstTime, "before"> & { readonly events: [RecordedEvent, ...RecordedEvent[]] };

export class FirstTimes {
  readonly #store: JournalStore;
  #known: ReadonlyMap<string, FirstTime> = new Map();

  constructor(store: JournalStore, projection: Projection) {
    this.#store = store;
    // The first time stays the first time within one history.
    projection.tap(({ type }) => {
      if (type === "reset") this.#known = new Map();
    });
  }

  /** The result says where each of these commands was carried out the first time. It lacks commands that never were, and may have others. */
  async of(commands: ReadonlySet<string>): Promise<ReadonlyMap<string, FirstTime>> {
    const isKnown = [...commands].every((command) => this.#known.has(command));
    if (!isKnown) this.#known = await this.#find(commands);
    return this.#known;
  }

  async #find(commands: ReadonlySet<string>): Promise<ReadonlyMap<string, FirstTime>> {
    const search = new Search(commands);
    let first: Version | undefined;
    for await (const recorded of this.#store.read(0)) {
      first ??= recorded.version;
      if (!search.goesOnWith(recorded)) break;
    }
    // Without what was dropped the state before is not known, and an answer would be another one than the first time.
    return first !== undefined && first > 1 && (await this.#store.drops()) ? new Map() : search.found;
  }
}

class Search {
  readonly found = new Map<string, Found>();
  readonly #commands: ReadonlySet<string>;
  #sought: number;
  #unitsLeft = aheadUnitsMax;
  #commit: string | undefined;
  #state = initialState;

  constructor(commands: ReadonlySet<string>) {
    this.#commands = commands;
    this.#sought = commands.size;
  }

  /** The result is false once all were found, and enough behind them. */
  goesOnWith(recorded: RecordedEvent): boolean {
    const { commit, command, event } = recorded;
    const isNext = commit !== this.#commit;
    this.#commit = commit;
    if (isNext && this.#isDone) return false;
    if (command !== undefined) this.#note(command, recorded);
    this.#state = evolve(this.#state, event);
    return true;
  }

  get #isDone(): boolean {
    return this.#sought === 0 && (this.found.size >= this.#commands.size + aheadMax || this.#unitsLeft <= 0);
  }

  #note(command: string, recorded: RecordedEvent): void {
    const first = this.found.get(command);
    const isSought = this.#commands.has(command);
    if (first?.events[0].commit === recorded.commit) first?.events.push(recorded);
    else if (first === undefined && (isSought || this.found.size > 0)) {
      this.found.set(command, { before: this.#state, events: [recorded] });
      if (isSought) this.#sought -= 1;
    } else return;
    this.#unitsLeft -= JSON.stringify(recorded.event).length;
  }
}
