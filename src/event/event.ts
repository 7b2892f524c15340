/**
 * An event is a fact in the past tense that carries everything `evolve` needs, so that a history folds to the same bytes under any
 * configuration. What a budget took away and a refused action offered is kept whole in it.
 */
import type { CarriedMarker } from "./marker.ts";

/** Counts the events of a stream: 1, 2, 3…; 0 is the stream before its first event. */
export type Version = number;

/** This is any plain JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A space is a part of the scratchpad that has a budget. */
export type Space = "notes" | "plan" | "refs" | "entries" | "sections";

/** This names an operation of `edit_notes`. */
export type EditOperation = "find_replace" | "prepend" | "append" | "delete";

/** A scratchpad written out whole, as it stands in `state.restored` and `session.forked`. */
export interface StateImage {
  /** This is free text. It is "" at first. */
  readonly notes: string;
  /** This is a text with a step on each line. `planSteps` reads it. */
  readonly plan: string;
  /** These are paths, URLs and the like, oldest first. */
  readonly refs: readonly string[];
  /** These are texts by key. */
  readonly entries: Readonly<Record<string, string>>;
  /** These say who holds which entry, by its key. A lease that has run out stays until somebody claims the entry. */
  readonly leases: Readonly<Record<string, Lease>>;
  /** These are texts by name that may end by themselves. */
  readonly sections: Readonly<Record<string, Section>>;
}

/** `until` is an ISO time. */
export interface Lease {
  /** This actor holds the entry. */
  readonly holder: string;
  /** The lease ends at this time. */
  readonly until: string;
}

/** `at` is an ISO time. */
export interface Section {
  /** This is the text of the section. */
  readonly text: string;
  /** The section was written at this time. */
  readonly at: string;
  /** The section is valid for so many minutes after `at`, and without end if this is absent. */
  readonly ttlMinutes?: number;
}

/** This is where a child session came from. `hash` is the head of the parent at `version`. */
export interface Origin {
  /** This is the id of the parent session. */
  readonly session: string;
  /** The child begins with the parent's state at this version. */
  readonly version: Version;
  readonly hash: string;
}

/** This is where a journal's first events came from: a session of another client, as its file stood when it was read. */
export interface ImportOrigin {
  /** This is the name of the client, for example `claude-code`. */
  readonly client: string;
  /** The client's own version, where the file says it. */
  readonly version?: string;
  /** This is the session's id. */
  readonly session: string;
  /** This is how many bytes were read. */
  readonly bytes: number;
  /** This is the SHA-256 of those bytes, in hexadecimal. */
  readonly sha256: string;
}

/**
 * These are the codes of refusals that are recorded. `rejected` occurs in the session of another client, where the client or a
 * person rejected something.
 */
export type RecordedRefusalCode = "over_budget" | "not_found" | "held" | "rejected";

/** `ignored` stands on a value that another runtime wrote: it is kept in the history and changes nothing. */
export type ScratchpadEvent =
  | { readonly type: "notes.set"; readonly text: string; readonly dropped?: string; readonly ignored?: true }
  | { readonly type: "notes.appended"; readonly text: string }
  | {
      readonly type: "notes.edited";
      readonly operation: EditOperation;
      readonly find?: string;
      readonly replace?: string;
      readonly all?: boolean;
      readonly text?: string;
    }
  | { readonly type: "plan.set"; readonly text: string; readonly dropped?: string; readonly ignored?: true }
  | { readonly type: "ref.added"; readonly ref: string; readonly evicted?: string }
  | { readonly type: "ref.removed"; readonly ref: string }
  | {
      readonly type: "refs.set";
      readonly refs: readonly string[];
      readonly dropped?: readonly string[];
      readonly ignored?: true;
    }
  | { readonly type: "entry.written"; readonly key: string; readonly text: string }
  | { readonly type: "entry.deleted"; readonly key: string }
  | { readonly type: "lease.claimed"; readonly key: string; readonly holder: string; readonly until: string }
  | { readonly type: "lease.released"; readonly key: string; readonly holder: string }
  | {
      readonly type: "section.written";
      readonly name: string;
      readonly text: string;
      readonly at: string;
      readonly ttlMinutes?: number;
    }
  | { readonly type: "section.cleared"; readonly name: string }
  | { readonly type: "legacy.set"; readonly text: string; readonly dropped?: string; readonly ignored?: true }
  | { readonly type: "turn.began"; readonly id?: string }
  | {
      readonly type: "action.refused";
      readonly action: string;
      readonly code: RecordedRefusalCode;
      readonly offered: Json;
    }
  | { readonly type: "state.restored"; readonly to: Version; readonly state: StateImage }
  | { readonly type: "session.forked"; readonly from: Origin; readonly state: StateImage }
  | { readonly type: "session.imported"; readonly from: ImportOrigin }
  /** This says which texts were taken out of the record: a keyed digest of each, and the versions that they stood in. */
  | {
      readonly type: "text.redacted";
      readonly versions: readonly Version[];
      readonly space?: Space;
      readonly digests: readonly string[];
      readonly reason?: string;
    }
  /** This is what a model was shown of its scratchpad; only where its host was told to record it. */
  | {
      readonly type: "prompt.shown";
      /** This is the version of the state in the block. */
      readonly shows: Version;
      /** This is the first 16 hexadecimal digits of the SHA-256 of the block. */
      readonly digest: string;
      /** This is the length of the block in UTF-16 code units. It is 0 if there was nothing to show. */
      readonly chars: number;
      /** This is a {@link ShownPlace}, or one that only a newer version knows. */
      readonly place: string;
    }
  /** The model was shown a hint or a warning. It is recorded only where the host was told to. */
  | { readonly type: "nudge.shown"; readonly kind: string; readonly text: string }
  | UnknownEvent;

/**
 * This is an event that this version cannot read. A newer version wrote it, or its payload has the wrong shape. It is kept and
 * reported, changes no state, and blocks writing, because a state that skipped it would be a lie.
 */
export interface UnknownEvent {
  readonly type: "unknown";
  /** The type as it stands in the line. */
  readonly name: string;
  readonly payload: Json;
}

/** This is the name of a type of events. */
export type ScratchpadEventType = ScratchpadEvent["type"];

export type EventOf<Type extends ScratchpadEventType> = Extract<ScratchpadEvent, { readonly type: Type }>;

/** These are the known sources of a text. */
export type KnownSource = "model" | "user" | "tool" | "imported";

/**
 * A source says where a text came from, as its host says: the model's own words, the user's, the output of a tool, or an
 * import. More may follow behind a colon, such as the name of the tool: `tool:read_file`.
 */
export type TextSource = KnownSource | `${KnownSource}:${string}`;

/** These are the budgets under which an event was decided, in their units. Defaults are left out. */
export type RecordedLimits = {
  readonly [Name in "notes" | "plan" | "refs" | "entry" | "entriesTotal" | "sections"]?: number;
};

/** This is who wrote it: a commit of ours; a value line of a three-key runtime; a value line of a single-key runtime. */
export type EventOrigin = "journal" | "host" | "legacy";

/** An event as it stands in a stream. */
export interface RecordedEvent {
  /** This is the number of the event in its stream, counted from 1. */
  readonly version: Version;
  /** This is what happened. */
  readonly event: ScratchpadEvent;
  /** This is the time of the commit, as an ISO time. */
  readonly at: string;
  /** The turn it belongs to; what comes before the first turn is 0. */
  readonly turn: number;
  /** This actor asked for it. It is "host" for values of older runtimes. */
  readonly actor: string;
  /** The caller gave this id, so that a repeated call is carried out once. */
  readonly command?: string;
  /** This is the source of its text, if the host named one: a {@link TextSource}, or one that only a newer version knows. */
  readonly source?: string;
  /** The budgets it was decided under, where they were not the defaults and its writer recorded them. */
  readonly limits?: RecordedLimits;
  /** This is what the host of an imported session did to its conversation after the event. */
  readonly markers?: readonly CarriedMarker[];
  /** This says which kind of line the event comes from. */
  readonly origin: EventOrigin;
  /** The commit's own id, stable when the line is renumbered or appended again. */
  readonly commit?: string;
  /** This is the id of the line's entry in the host's tree. */
  readonly entryId?: string;
  /** This is the byte offset of its line, if the backend has lines. */
  readonly offset?: number;
  /** This is how many bytes its line has, where the value in it is nested too deeply to be told: its text is "". */
  readonly unreadBytes?: number;
}
