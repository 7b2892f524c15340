/** What a host did to its conversation between events: it stands in its file, and changes no state. */
export type HostMarkerKind =
  /** The host replaced the older part of its model's context with a summary. */
  | "compaction"
  /** An entry hangs on another one than the newest: the conversation was rewound and goes on from there. */
  | "branch"
  /** Another model answers from here on. */
  | "model"
  /** What stands before it was copied from another session. */
  | "fork"
  /** A person let the agent go on with its plan. */
  | "plan approved";

export interface HostMarker {
  readonly marker: HostMarkerKind;
  /** ISO time, as it stands in the line; absent where there is none. */
  readonly at?: string;
  /** In bytes from the start of the file: where it stands between events with an offset. */
  readonly offset: number;
  /** Lines are counted from 1. */
  readonly line: number;
  readonly entryId?: string;
  /** More about it: the model, the tokens before a compaction, the entry that a branch goes on from. */
  readonly detail: string;
}

/** These are the titles of the markers for people. */
export const markerTitles: Readonly<Record<HostMarkerKind, string>> = {
  compaction: "context compacted",
  branch: "conversation rewound",
  model: "model changed",
  fork: "conversation copied",
  "plan approved": "plan approved",
};
