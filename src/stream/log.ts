/**
 * The port is this: a log is an ordered list of entries with one guarded append, and all that a backend has to be. Everything that
 * is the same wherever a journal lives (which commits count, what they add up to, telling it, doubting it, deciding again)
 * is written once, above: see `streamStore`. `docs/writing-a-log.md` builds one; `testLog` of `session-journal/testing`
 * holds it to every promise made here.
 */
import type { CommitData, Head } from "../event/commit.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import type { ForeignSession } from "../event/foreign.ts";
import type { OpenWriters } from "../event/open-writers.ts";
import type { Evidence } from "../line/acceptance.ts";
import type { Entry, MirroredValues, ValueKey } from "../line/format.ts";
import type { StreamRecord } from "../line/record.ts";

/** A cursor is a place in a log, as plain JSON, which only its log understands. Undefined stands for the beginning. */
export type Cursor = unknown;

/** This says whose log it is. */
export interface Session {
  /** This is the root of the hash chain. */
  readonly id: string;
  /** This is when it began, as an ISO time: the time of entries that say none. */
  readonly timestamp?: string | undefined;
  /** This is where it was branched from: it may begin with commits that follow on what only the parent has. */
  readonly parentSession?: string | undefined;
  /** With true, nothing chains its entries. */
  readonly unchained?: boolean | undefined;
  /** The owner has old entries dropped: what is read from the beginning may begin in the middle. */
  readonly drops?: boolean | undefined;
}

/** This is where an entry stands, as far as its log has such places. */
export interface Placed {
  /** This is the line's own place in the tree of a session file. */
  readonly entry?: Entry | undefined;
  /** This is the byte offset of the line. */
  readonly offset?: number | undefined;
  /** This is the number of the record. */
  readonly place?: number | undefined;
  /** The line hangs on this entry of the host; null is the root. It is given if a journal may be folded by branch. */
  readonly anchor?: string | null | undefined;
}

/** This is what a log holds, in order. */
export type LogEntry =
  /** `turn`: the turn before it, where the log has no entries of the host's that begin turns. */
  | (Placed & {
      readonly kind: "commit";
      readonly data: CommitData;
      readonly turn?: number | undefined;
      /** Stands in for the time of a commit that says none. */
      readonly timestamp?: string | undefined;
      /** This says that its hash need not be checked. */
      readonly evidence?: Evidence | undefined;
    })
  /** This is a space's whole value, written by another runtime. */
  | (Placed & {
      readonly kind: "value";
      readonly key: ValueKey;
      readonly data: unknown;
      readonly unreadBytes?: number | undefined;
      readonly turn?: number | undefined;
      readonly id?: string | undefined;
      readonly timestamp?: string | undefined;
    })
  /** This is what happened in the session of another client: it counts as it stands. */
  | { readonly kind: "event"; readonly recorded: Omit<RecordedEvent, "version"> }
  /** This says how many turns began. */
  | { readonly kind: "turns"; readonly count: number; readonly offset?: number | undefined }
  /** This is something of ours, or in the session of another client, that cannot be read. */
  | (Placed & {
      readonly kind: "damaged";
      readonly reason: string;
      /** It is no JSON object. */
      readonly broken?: boolean | undefined;
      /** It is the beginning of an entry that was never finished. */
      readonly torn?: boolean | undefined;
    })
  /** A history follows from its beginning. Stands first where the cursor is of another history than is there now, and may stand first wherever the beginning is read. */
  | { readonly kind: "begin"; readonly session: Session; readonly reason?: "rewritten" | "branch" | undefined }
  /** This says which branch the conversation is on. It comes last: the ids from its newest entry to the root. */
  | { readonly kind: "branch"; readonly path: ReadonlySet<string | null> };

/** A page is a run of entries, of any length. */
export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** This cursor stands behind the last of them. */
  readonly cursor: Cursor;
  /** This is how much was read for them: what measures when a checkpoint is worth its writing. */
  readonly bytes?: number | undefined;
  /** With true, `append` tells only a part of what is new. It then ends, and is called again behind the part. */
  readonly hasMore?: boolean | undefined;
}

/** Pages come one by one, or in an array where all of them are at hand. */
export type LogPages = AsyncIterable<LogPage> | readonly LogPage[];

/** A log keeps these as JSON, or in any way that gives the same back. `version` is that of the stream after the record. */
export type LogRecord = StreamRecord & { readonly version: Version };

/** This is what the stream wants next. */
export type Step =
  /** `records` are to be appended in order; each of them wholly or not at all. */
  | {
      readonly type: "append";
      readonly records: readonly LogRecord[];
      /**
       * This is the turn that the stream is in, if records of another log bring theirs. A log in which entries of the host's
       * begin turns then adds such an entry wherever the turn of a record is ahead.
       */
      readonly turn?: number | undefined;
      /** For a single commit, this is its data as canonical JSON. */
      readonly json?: string | undefined;
      /** A single commit changes these values. They are for runtimes that read only values. */
      readonly changed?: Partial<MirroredValues> | undefined;
      /** This is called instead of appending if only a checkpoint holds values that would be written. */
      readonly unsure?: (() => void) | undefined;
    }
  /**
   * What was read is to be durable. `values` are what runtimes that read only values should find, and `commit` is the newest commit behind
   * them. `unsure` is that of appending.
   */
  | {
      readonly type: "settle";
      /** A last line that has not ended, and is not being written, is to be ended. */
      readonly endsTail?: true;
      /** What others appended is acknowledged, too: a sync before it was read does not make it durable. */
      readonly ofOthers?: true;
      readonly values: MirroredValues;
      readonly commit: string;
      readonly unsure?: (() => void) | undefined;
    }
  /** There is nothing more to do. */
  | { readonly type: "leave" };

/** Keeps what resuming needs: a cache, so whatever fails here is as if nothing had been saved. */
export interface CheckpointPlace {
  /** This is the place, for messages. */
  readonly where: string;
  load(): Promise<string | undefined>;
  /** With `over`, the text is only kept if `mark` still says that of what is there: somebody else may have been faster. */
  save(text: string, over?: string): Promise<void>;
  /** This is called instead of `save` where it is there. The text may be too long to be held as a whole. The result is false if another writer saves one. */
  savePieces?(pieces: Iterable<string>): Promise<boolean>;
  /** Tells one saved text from the next, and is "" where there is none. `known` is the text, if it was just loaded or saved. */
  mark?(known?: string): string | Promise<string>;
  /**
   * Says where a saved cursor stands, if it may be gone on from with what is said to have been read up to there, and answers undefined if
   * it may not. Without this, a saved cursor counts as it stands.
   */
  resumed?(saved: Cursor, claim: CheckpointClaim): Cursor | undefined;
  /** Says whether the saved cursor stands behind an entry that has a place. */
  isBehind?(saved: Cursor, entry: Placed): boolean;
}

/** A checkpoint claims this of the entries up to its cursor, and they may be asked for it. */
export interface CheckpointClaim extends Head {
  readonly turn: number;
}

/** A line of a session file as it lies there. `bytes` is cut after `lineBytesMax`; `size` is the whole length. */
export interface RawLine {
  readonly offset: number;
  /** Lines are counted from 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly size: number;
  /** Hands on all bytes of a line that `bytes` may be only the beginning of. */
  readonly pieces?: (take: (piece: Uint8Array) => void) => void;
  /** It is false for a last line without its line feed. */
  readonly ended: boolean;
}

/** A log keeps the records of one session in order. `docs/writing-a-log.md` builds one step by step. */
export interface Log {
  /** This is the path or address, for messages. */
  readonly where: string;
  /** The session, made where there is none and it may be. Throws NotASessionError where there is none. */
  session(): Promise<Session>;
  /**
   * This is what stands behind `after`, in pages; nothing where nothing does. What is at hand may be given in an array, and is then not waited for. Reading changes nothing. A `begin` is the first
   * entry where `after` is no place of what is there now.
   */
  read(after: Cursor | undefined): LogPages;
  /**
   * Tells `next` what stands behind `after`, and appends what it asks for, but only right behind all that it was told. Then
   * tells it what stands there now, and so on, until it asks for nothing more. `next` is called at least once, runs to its
   * end without waiting, and may be called with no entries before the log was looked at. Resolves when what was appended
   * is as durable as the log promises, or answers undefined where that is so at once. Rejects with what `next` throws, or
   * throws it, having appended nothing since. What is new may be much: with `hasMore` a page is a part of it, nothing is asked
   * for, and `append` is called again.
   */
  append(after: Cursor | undefined, next: (page: LogPage) => Step): Promise<void> | undefined;
  /** Calls `wake` when there may be more: late, twice or for nothing, but always after the last append. */
  watch(wake: () => void): Promise<() => Promise<void>>;
  readonly checkpoint?: CheckpointPlace | undefined;
  /** This is what it is read from, where that is a file of somebody else's. */
  readonly source?: SessionLines | ForeignSource | undefined;
  close(): Promise<void>;
}

/** This has every line of a session file, for verification. They come in parts, as many at once as were read at once, and the next part may overwrite their bytes. */
export interface SessionLines {
  readonly kind: "session";
  /** The types of our lines begin like this. */
  readonly namespace: string;
  /** This is what was noted when it was put away. `fault` says what was noted of its bytes and is wrong. */
  readonly noted?: { readonly head: Head; readonly fault?: string | undefined } | undefined;
  lines(): AsyncIterable<readonly RawLine[]>;
  /** This says where a live host stands, because a navigation writes no line. If it is absent, that is the last entry. */
  readonly leafId?: (() => string | null | undefined) | undefined;
  /** This is who has it open for writing, where that can be known. */
  writers?(): OpenWriters;
}

/** The session of another client: nothing can be appended. */
export interface ForeignSource {
  readonly kind: "foreign";
  /** This is what is known besides the events. With `whole`, every line is parsed, and the digest of all bytes is taken. */
  about(options?: { readonly whole?: boolean }): Promise<ForeignSession>;
}
