/** One call of the journal on its way into a commit. */
import type { DraftEvent } from "../event/commit.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import type { ScratchpadState } from "../state/state.ts";

/** A call decides on this: the stream, and the calls before it in the same commit. */
export interface Base {
  readonly state: ScratchpadState;
  readonly version: Version;
  readonly turn: number;
  /** This is the newest event, if it is a refusal. */
  readonly refusal: DraftEvent | undefined;
}

/** A call appends this. `resolve` tells its caller, once that is durable. */
export interface Decided {
  readonly events: readonly DraftEvent[];
  readonly after: Base;
  /** The answer says that something is there already: it is told once that is durable, too. */
  readonly hasExisting?: boolean;
  readonly resolve: () => void;
}

/** This is the commit that first carried a command: its events with that command, and the state before them. */
export interface FirstTime {
  readonly before: ScratchpadState;
  readonly events: readonly [RecordedEvent, ...RecordedEvent[]];
}

export interface Call {
  readonly command?: string;
  readonly expectedVersion?: Version;
  /** Looks up what it decides with, when all that was asked before it is in the stream. */
  prepare?(): Promise<void>;
  /** What it has looked up is not that of `base` any more: it is to be prepared again. */
  isStale?(base: Base): boolean;
  /** Pure: it runs again on a newer base where somebody was faster. `at` is the time of the commit. */
  decide(base: Base, at: string): Decided;
  /** Answers a repeated command as the first time. */
  recall(first: FirstTime): void;
  reject(error: unknown): void;
}
