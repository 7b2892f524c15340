import type { Version } from "../event/event.ts";

/** What a full-text search found. */
export interface Hit {
  readonly session: string;
  readonly version: Version;
  /** The place of the hit in what the event carries, `[` and `]` around each match. */
  readonly text: string;
}
