/** The events of a session's journal with the states after them, read on as they come. */
import type { Journal } from "../journal/public.ts";
import { evolve } from "../state/evolve.ts";
import { initialState } from "../state/state.ts";
import type { EventWithState } from "./pi-blocks.ts";

export class PiHistory {
  readonly #journal: Journal;
  #events: EventWithState[] = [];
  #head: { readonly version: number; readonly hash: string } | undefined;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  async read(): Promise<readonly EventWithState[]> {
    await this.#journal.refresh();
    const { version, hash } = this.#journal.head;
    if (this.#head?.version === version && this.#head.hash === hash) return this.#events;
    if (version <= this.#read) this.forget();
    const from = this.#read;
    for await (const { event, at, command, ...recorded } of this.#journal.history({ from })) {
      const state = evolve(this.#events.at(-1)?.state ?? initialState, event);
      const place = { version: recorded.version, atMs: Date.parse(at) || 0, state };
      this.#events.push(command === undefined ? place : { ...place, command });
    }
    this.#head = { version, hash };
    return this.#events;
  }

  /** On a branch of the conversation, versions of other branches are left out: there are fewer events than versions. */
  get #read(): number {
    return this.#events.at(-1)?.version ?? 0;
  }

  /** The conversation may stand elsewhere now. */
  forget(): void {
    this.#events = [];
    this.#head = undefined;
  }
}
