/** This file says how full each space was after every event. */
import type { Space } from "../../action/actions.ts";
import type { Limits } from "../../action/limits.ts";
import { byteCount } from "../../action/text.ts";
import type { RecordedEvent, ScratchpadEvent } from "../../event/event.ts";
import { evolve } from "../../state/evolve.ts";
import { initialState, type ScratchpadState } from "../../state/state.ts";

/**
 * This says what each space held: UTF-16 code units of notes and plan, the number of refs, UTF-8 bytes of all entries, the
 * number of sections.
 */
export type SpaceUse = { readonly [Name in Space]: number };

export function limitOf(space: Space, limits: Limits): number {
  return space === "entries" ? limits.entriesTotal : limits[space];
}

/** One use for every position, from the initial state on: one more than there are events. */
export class SpaceUseOver {
  readonly all: SpaceUse[] = [spaceUseOf(initialState, 0)];
  /** The states are indexed by position, as `all` is. What did not change is shared. */
  readonly states: ScratchpadState[] = [initialState];
  #state = initialState;
  #entries = 0;

  grow(events: readonly RecordedEvent[]): void {
    for (const { event } of events) {
      const before = this.#state;
      this.#state = evolve(before, event);
      if (this.#state.entries !== before.entries) {
        this.#entries = entryBytes(this.#entries, before, this.#state, event);
      }
      this.all.push(spaceUseOf(this.#state, this.#entries));
      this.states.push(this.#state);
    }
  }
}

function spaceUseOf(state: ScratchpadState, entries: number): SpaceUse {
  const { notes, plan, refs, sections } = state;
  return {
    notes: notes.length,
    plan: plan.length,
    refs: refs.length,
    entries,
    sections: Object.keys(sections).length,
  };
}

/** An event about one entry changes the sum by that entry; counting all of them each time would cost entries × events. */
function entryBytes(sum: number, before: ScratchpadState, after: ScratchpadState, event: ScratchpadEvent): number {
  if (event.type === "entry.written" || event.type === "entry.deleted") {
    const bytes = (state: ScratchpadState): number => byteCount(state.entries[event.key] ?? "");
    return sum - bytes(before) + bytes(after);
  }
  return Object.values(after.entries).reduce((total, text) => total + byteCount(text), 0);
}
