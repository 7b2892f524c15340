/** The single key of older runtimes: one value that holds the whole text, so that every change writes all of it. */
import type { EventOf, ScratchpadEvent } from "../event/event.ts";
import { evolve } from "../state/evolve.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { ParsedAction } from "./actions.ts";

/** A change of notes as a value of the single key; other events as they are. */
export function asLegacy(event: ScratchpadEvent, before: ScratchpadState): ScratchpadEvent {
  if (event.type === "notes.set") return Object.freeze({ ...event, type: "legacy.set" });
  if (event.type !== "notes.appended" && event.type !== "notes.edited") return event;
  return Object.freeze({ type: "legacy.set", text: evolve(before, event).notes });
}

/** The result says whether deciding `action` could have given this value. What stood before an appended text is not in the event. */
export function couldGiveLegacy(action: ParsedAction, { text, dropped = "" }: EventOf<"legacy.set">): boolean {
  if (action.action === "set_notes") return text + dropped === action.content;
  if (action.action !== "append_notes") return false;
  return text === action.content || text.endsWith(`\n${action.content}`);
}
