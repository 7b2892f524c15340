import type { StateImage } from "../event/event.ts";
import { parseImage } from "../event/image.ts";
import type { Read } from "../event/read.ts";
import { initialState, type ScratchpadState } from "./state.ts";

/** A state from the outside, as a snapshot keeps it: a frozen copy, or undefined when the shape is wrong. */
export const parseState: Read<ScratchpadState> = parseImage;

/** The result is a deeply frozen copy without prototypes. A caller without types that passes no state gets the initial one. */
export function freezeState(image: StateImage): ScratchpadState {
  return parseImage(image) ?? initialState;
}
