/** The state is what the events of a history add up to. */
import type { StateImage } from "../event/event.ts";

/**
 * This is the scratchpad. It is plain data and deeply frozen. Texts are counted in UTF-16 code units, `refs` stand oldest
 * first, and the records have no prototype, so that a key such as `constructor` is a key like any other.
 */
export type ScratchpadState = StateImage;

/** This is the scratchpad before its first event, at version 0 of every stream. */
export const initialState: ScratchpadState = Object.freeze({
  notes: "",
  plan: "",
  refs: Object.freeze([]),
  entries: emptyRecord<string>(),
  leases: emptyRecord<StateImage["leases"][string]>(),
  sections: emptyRecord<StateImage["sections"][string]>(),
});

function emptyRecord<Value>(): Readonly<Record<string, Value>> {
  return Object.freeze(Object.create(null));
}
