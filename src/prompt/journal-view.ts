import type { RecordedEvent, Version } from "../event/event.ts";
import type { Shown } from "../event/shown.ts";
import type { ScratchpadState } from "../state/state.ts";

/** This is what a prompt needs of a journal. */
export interface JournalView {
  readonly state: ScratchpadState;
  readonly version: Version;
  readonly turn: number;
  /** Reads on: others may have written. */
  refresh(): Promise<unknown>;
  /** Records what the model was shown, where it is asked to. */
  recordShown?(shown: readonly Shown[]): Promise<void>;
  /** This gives the events after `from`, in order. */
  history(range?: { readonly from?: Version }): AsyncIterable<RecordedEvent>;
}
