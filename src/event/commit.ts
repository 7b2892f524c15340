/** A commit has the events that one flush appended. It counts as a whole, or not at all. */

import type { RecordedLimits, ScratchpadEvent, StateImage, Version } from "./event.ts";
import type { CarriedMarker } from "./marker.ts";

/** This says which events are folded: those of the whole file, or those of the branch of the conversation. */
export type FoldPolicy = "file" | "branch";

/** This actor is recorded where nobody says who wrote. */
export const defaultActor = "agent";

/** Evidence of everything up to `version`: keep it elsewhere to prove later that nothing was changed or cut off. */
export interface Head {
  /** This is the version of the newest event. */
  readonly version: Version;
  /** This is the hash of its commit in hexadecimal: 32 digits, or 64 under a seal. */
  readonly hash: string;
}

/** This is an event that is about to be appended. */
export interface DraftEvent {
  readonly event: ScratchpadEvent;
  /** This is the name of whoever wrote the event. If it is absent, it is `"agent"`. That name is not printed. */
  readonly actor?: string | undefined;
  readonly command?: string | undefined;
  readonly source?: string | undefined;
  readonly limits?: RecordedLimits | undefined;
  readonly markers?: readonly CarriedMarker[] | undefined;
  /** This is the state after the event, if it is known. */
  readonly state?: StateImage;
}

/** This is what one flush appends, all or nothing. Without events nothing is appended, but what was read is made durable. */
export interface Draft {
  readonly id: string;
  /** This is an ISO time. */
  readonly at: string;
  readonly events: readonly DraftEvent[];
}

/** This is an event as it stands in a commit: `type`, the payload's fields, `actor`, `command`, `source`, `limits`, `markers`. */
export interface WrittenEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A commit as every backend keeps it: hashed and chained the same way, so that it can move between them. */
export interface CommitData {
  readonly v: number;
  readonly id: string;
  readonly at: string;
  readonly version: Version;
  readonly events: readonly WrittenEvent[];
  readonly fold?: "branch";
  /** Only in a redacted copy: the hash that it had before texts were taken out of it. */
  readonly redacted?: { readonly hash: string };
  readonly prev: string;
  readonly hash: string;
}
