/** What a model is shown of its scratchpad, as a host tells it to a journal. */
import type { Version } from "./event.ts";

/**
 * This is where a block stood: in the system prompt, in the message of the user, in a message of its own, where the client read
 * it (`resource`, `prompt`), or nowhere new, because the one that was sent before still stands (`earlier`).
 */
export type ShownPlace = "system" | "message" | "context" | "resource" | "prompt" | "earlier";

/** This is a block, or a hint or warning. */
export type Shown =
  | {
      /** This is the text of the block. It is "" if there was nothing to show. Its digest is recorded, not the text. */
      readonly block: string;
      readonly place: ShownPlace;
      /** This is the version of the state that it shows. The default is the newest that the journal has read. */
      readonly version?: Version;
    }
  | {
      /** This is the name of the hint, such as `nudgeAfterTurns`. */
      readonly nudge: string;
      readonly text: string;
    };
