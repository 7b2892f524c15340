/** What the table of event types says of each: see `types.ts`. */
import type { ScratchpadEvent, Space } from "./event.ts";
import type { Fields } from "./read.ts";

export interface EventType<Event extends ScratchpadEvent> {
  /** How each field of its payload is read from the outside; null: it is read from no line. */
  readonly fields: Fields<Omit<Event, "type">> | null;
  /** An event of this type changes this space. Null stands for none, or for all of them. */
  readonly space: Space | null;
  /** The name of the action that makes it; null: no action does. */
  readonly action: string | null;
  /** The parameters of that action, read back from the event; `at` is the ISO time of its commit. */
  readonly asked?: (event: Event, at: string) => object;
  /** The title says in few words what happened. */
  readonly title: (event: Event) => string;
  /** This is the text that says most about it, whole; "" if there is none. */
  readonly text: (event: Event) => string;
  /** This is what the answer to its action says, without use against budget. The default is the title. */
  readonly said?: (event: Event, quote: (text: string) => string) => string;
  /** This is what the event itself says was taken away. The default is nothing. */
  readonly taken?: (event: Event) => readonly Taken[];
  /**
   * Whether it says that the agent was at its scratchpad: what an accepted action, or a runtime before us, leaves.
   * Sections come from other parts of a host, such as the assembler of the working-memory file.
   */
  readonly isUse: boolean;
}

/** One text that an event says was taken away. */
export interface Taken {
  readonly reason: "truncated" | "capped" | "evicted" | "refused" | "ignored";
  readonly space: Space;
  /** This is the key of the entry, or the name of the section. */
  readonly key?: string;
  readonly text: string;
}
