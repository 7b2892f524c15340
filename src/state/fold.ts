import type { RecordedEvent, ScratchpadEvent } from "../event/event.ts";
import { evolve } from "./evolve.ts";
import { initialState, type ScratchpadState } from "./state.ts";

function isRecorded(item: ScratchpadEvent | RecordedEvent): item is RecordedEvent {
  return typeof item === "object" && item !== null && "event" in item;
}

/**
 * Answers the state that a history adds up to. A history may be split anywhere, and the second part folded onto the state of the
 * first.
 *
 * @param events The events, oldest first. They may stand in the form of `journal.history()`.
 * @param from The state to begin with; by default the empty one.
 * @throws What `events` throws, if it is a generator.
 * @example
 * fold([{ type: "notes.set", text: "First" }]).notes; // "First"
 */
export function fold(
  events: Iterable<ScratchpadEvent | RecordedEvent>,
  from: ScratchpadState = initialState,
): ScratchpadState {
  let state = from;
  for (const item of events) state = evolve(state, isRecorded(item) ? item.event : item);
  return state;
}
