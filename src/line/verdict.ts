/** A verdict is what is said of a commit. The image is what must be remembered to say it. */
import type { FoldPolicy, Head } from "../event/commit.ts";
import type { RecordedEvent } from "../event/event.ts";

/** A finding says why a commit was refused, or what is remarkable about one that was accepted. */
export type AcceptanceFinding = "hash" | "duplicate" | "fork" | "gap" | "inherited";

export interface Verdict {
  /** These events now count, in order. */
  readonly events: readonly RecordedEvent[];
  readonly finding?: AcceptanceFinding;
  /** The finding is damage, not a note: what no crash, race, host or branch leaves. */
  readonly damage?: true;
  /**
   * The finding may be due to what this reader missed, not to the file: one that went on from the middle must read the
   * file from the start and see. A refused commit that named a head of this very history is nothing to doubt.
   */
  readonly doubtful?: true;
}

/** Acceptance must remember this to go on from the middle of a file. The last three are printed {@link IdSet}. */
export interface LedgerImage {
  readonly head: Head;
  /** If the newest commit was redacted, this is the hash that it had before. */
  readonly hashBefore?: string | undefined;
  readonly policy: FoldPolicy;
  readonly turn: number;
  readonly notesWritten: boolean;
  readonly sealed: boolean;
  readonly at: string;
  readonly lastCommit: string;
  readonly ids: string;
  readonly commands: string;
  readonly valueIds: string;
}

/** The header says this of a session. */
export interface JudgedSession {
  readonly id: string;
  readonly timestamp?: string | undefined;
  readonly parentSession?: string | undefined;
  /** Commits before the first may have been dropped. */
  readonly beginsLater?: boolean | undefined;
}
