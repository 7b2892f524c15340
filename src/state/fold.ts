import type { RecordedEvent, ScratchpadEvent } from "../event/event.ts";
import { evolve } from "./evolve.ts";
import { initialState, type ScratchpadState } from "./state.ts";

function isRecorded(item: ScratchpadEvent | RecordedEvent): item is RecordedEvent {
  return typeof item === "object" && item !== null && "event" in item;
}

/** The state that a history adds up to, from `from` on. A history may be split anywhere. */
export function fold(
  events: Iterable<ScratchpadEvent | RecordedEvent>,
  from: ScratchpadState = initialState,
): ScratchpadState {
  let state = from;
  for (const item of events) state = evolve(state, isRecorded(item) ? item.event : item);
  return state;
}
