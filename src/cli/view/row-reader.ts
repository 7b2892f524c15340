/** What the list says of one journal, read on from where it was read last. */
import { existsSync } from "node:fs";
import { planProgress } from "../../audit/steps.ts";
import { given } from "../../options.ts";
import { evolve } from "../../state/evolve.ts";
import { initialState } from "../../state/state.ts";
import type { Position } from "../../stream/delivery.ts";
import type { JournalStore } from "../../stream/stream-store.ts";
import { keyOf, type Opening } from "./listed-session.ts";

export class RowReader {
  readonly #where: string;
  readonly #open: () => Promise<JournalStore>;
  readonly #folder: string | undefined;
  #store: JournalStore | undefined;
  #position: Position | undefined;
  #state = initialState;
  #newest: { readonly at: string; readonly actor: string } | undefined;

  constructor(where: string, open: () => Promise<JournalStore>, folder?: string) {
    this.#where = where;
    this.#open = open;
    this.#folder = folder;
  }

  /** The result is undefined if nothing is written yet, if the file is gone, or if what is there cannot be read: other verbs say what is wrong with it. */
  async read(): Promise<Opening | undefined> {
    // Who reads on keeps what was there, for a host may be about to put the file back.
    if (this.#folder !== undefined && !existsSync(this.#where)) {
      await this.close();
      return undefined;
    }
    try {
      this.#store ??= await this.#open();
      return await this.#readOn(this.#store);
    } catch {
      await this.close();
      return undefined;
    }
  }

  async close(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    this.#position = undefined;
    this.#state = initialState;
    await store?.close();
  }

  async #readOn(store: JournalStore): Promise<Opening | undefined> {
    const { generation, version, turn } = await store.catchUp(this.#position, {
      reset: () => {
        this.#state = initialState;
        this.#newest = undefined;
      },
      event: (recorded, state = evolve(this.#state, recorded.event)) => {
        this.#state = state;
        this.#newest = recorded;
      },
    });
    this.#position = { generation, version };
    const foreign = await store.foreign();
    if (version === 0 && foreign === undefined) return undefined;
    const progress = planProgress(this.#state.plan);
    const where = this.#where;
    const listed = {
      ...{ key: keyOf(where), client: foreign?.client ?? "session-journal" },
      ...{ title: foreign?.title ?? "session-journal", session: await store.sessionId(), where },
      ...{ turns: foreign?.turns ?? turn, version },
      ...(this.#newest === undefined ? {} : { at: this.#newest.at, actor: this.#newest.actor }),
      ...given({ folder: this.#folder }),
      ...(progress.total === 0 ? {} : { progress }),
      ...given({ firstMessage: foreign?.firstMessage }),
    };
    return { listed, open: this.#open };
  }
}
