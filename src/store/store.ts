/**
 * WHERE IT LIVES: the port between a journal and whatever keeps its stream. A backend is held to these obligations by
 * the conformance suite in `session-journal/testing`.
 */
import type { Draft, Head } from "../event/commit.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import type { ForeignSession } from "../event/foreign.ts";
import type { AcceptedRecord, StreamRecord } from "../line/record.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { SessionFileOptions } from "./session-file/session-file-options.ts";

/**
 * How far a caller has been told. `epoch` names the history that its versions belong to: where the backend finds
 * another history than before (rewritten, or another branch), it counts the epoch on and tells the caller to start over.
 */
export interface Position {
  readonly epoch: number;
  readonly version: Version;
}

/** Where the stream stood when the backend last looked. `turn` may move without an event. */
export interface StreamEnd extends Position {
  readonly hash: string;
  readonly turn: number;
}

/** Receives what its owner has not been told: each event exactly once, in order. Must not throw. */
export interface EventSink {
  /** Everything received before is void: fold what follows from the initial state. */
  reset(reason: "rewritten" | "branch"): void;
  /** `state`: what everything received adds up to with this event, where the backend has folded it already. */
  event(recorded: RecordedEvent, state?: ScratchpadState): void;
}

/** A cache of everything that resuming needs. Absent, stale, damaged or ahead of the stream: it is ignored. */
export interface Snapshot {
  readonly end: StreamEnd;
  readonly state: ScratchpadState;
  /** The newest event, when it was a refusal: a refusal identical to it is not recorded again. */
  readonly refusal?: RecordedEvent;
  /** When the event at `end.version` happened; absent at version 0. */
  readonly at?: string;
}

/** What a backend cannot do; the conformance suite and the journal read it. */
export interface StoreCapabilities {
  /** Outlives the process and is shared between processes. */
  readonly shared: boolean;
  readonly snapshots: boolean;
  /** A session file with lines of others in it, which `lines` can list. */
  readonly lines: boolean;
}

/** A line of a session file as it lies there. `bytes` is cut after `lineBytesMax`; `size` is the whole length. */
export interface RawLine {
  readonly offset: number;
  /** Counted from 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly size: number;
  /** Hands on all bytes of a line that `bytes` may be only the beginning of. */
  readonly pieces?: (take: (piece: Uint8Array) => void) => void;
  /** False for a last line without its newline. */
  readonly ended: boolean;
}

/** What `lines` needs besides the lines to judge them. */
export interface LineContext {
  readonly file: string;
  readonly namespace: string;
  readonly seal?: string | Uint8Array;
}

/** A record as it is kept, where a backend keeps no lines. `place`: what records are ordered by, above 0. */
export interface KeptRecord {
  readonly place: number;
  readonly json: string;
}

/** What records need besides them to be judged. */
export interface RecordContext {
  readonly session: string;
  readonly seal?: string | Uint8Array;
  /** The owner has old records dropped. */
  readonly drops: boolean;
  /** Where the snapshot stands that is kept beside them. */
  readonly saved?: Head;
}

export interface JournalStore {
  /** For messages: the path or address. */
  readonly where: string;
  readonly supports: StoreCapabilities;
  /** Identity of the stream, the root of its hash chain. */
  sessionId(): Promise<string>;
  /**
   * Tells `sink` everything after `from` (undefined: from the start) and answers where the stream stands. Reading
   * changes nothing. An unknown stream reads as empty.
   */
  catchUp(from: Position | undefined, sink: EventSink): Promise<StreamEnd>;
  /**
   * Under whatever guard the backend has: tells `sink` what is new, runs `decide`, appends what it returns, all or
   * nothing, and tells `sink` that too (its events carry the draft's id as `commit`). Resolves when it is durable and
   * accepted. Where somebody was faster, `sink` is told and `decide` runs again: it must have no other effects.
   * `decide` returning undefined appends nothing; a draft without events waits for durability only.
   */
  commit(
    from: Position | undefined,
    sink: EventSink,
    decide: (end: StreamEnd) => Draft | undefined,
  ): Promise<StreamEnd>;
  /** Whether an accepted event up to what was last told carries this command. May err only towards true. */
  knows(command: string): boolean;
  /** Events after `from`, in order, from the stream as it is now; independent of what sinks were told. */
  read(from: Version): AsyncIterable<RecordedEvent>;
  /** Whether a line or record of the stream was found damaged or missing, in all that was last told. */
  isDamaged?(): boolean;
  /** Calls `wake` when the stream may have grown: late, twice or for nothing, but always after the last append. */
  watch(wake: () => void): Promise<() => Promise<void>>;
  /** Every line of the session file, for verification and diagnosis. */
  lines?(): Promise<LineContext & { readonly lines: AsyncIterable<RawLine> }>;
  /** Every record, whether or not it counts, for verification. */
  keptRecords?(): Promise<RecordContext & { readonly records: AsyncIterable<KeptRecord> }>;
  /** The hash of the chain after the commit that holds `version`; at version 0 what its first commit names as `prev`. */
  headAt?(version: Version): Promise<Head | undefined>;
  /** The accepted lines of the stream, each without the file around it, as it is now. */
  records?(): AsyncIterable<AcceptedRecord>;
  /**
   * Appends records of another backend as they are, behind version `after`. What was appended before a failure stays.
   * Throws VersionConflictError where the stream is at another version.
   */
  importRecords?(after: Version, records: AsyncIterable<StreamRecord>): Promise<StreamEnd>;
  /**
   * What is known of the session besides its events, where it is one of another client's. `whole`: every line is parsed,
   * and the digest of all bytes is taken.
   */
  foreign?(options?: { readonly whole?: boolean }): Promise<ForeignSession>;
  loadSnapshot?(): Promise<Snapshot | undefined>;
  /** What the kept snapshot says that the stream does not, as a sentence; undefined where it holds or there is none. */
  snapshotFault?(): Promise<string | undefined>;
  saveSnapshot?(snapshot: Snapshot): Promise<void>;
  close(): Promise<void>;
}

/** What a list of sessions says of one. `at` and `actor` are those of the newest event; absent at version 0. */
export interface SessionSummary {
  /** What opens it: the session's id, or its file's path in the folder. */
  readonly session: string;
  readonly version: Version;
  /** Absent where the list knows the records but not the host's messages. */
  readonly turn?: number;
  readonly at?: string;
  readonly actor?: string;
}

/** A place that keeps many sessions. */
export interface SessionShelf {
  /** For messages: the folder or address. */
  readonly where: string;
  /** Each once, in no promised order. Reading changes nothing. */
  list(): AsyncIterable<SessionSummary>;
  /**
   * The store of one session, opened lazily. Closing it leaves the shelf open. `options`: what is said of this session
   * alone; each backend takes of them what it has.
   */
  open(session: string, options?: SessionFileOptions): JournalStore;
  /** Calls `wake` with a session whose stream may have grown: late, twice or for nothing, but always after an append. */
  watch(wake: (session: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
