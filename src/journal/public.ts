/** What a program holds: the journal as its users see it. `journal.ts` is what stands behind it. */
import type { Action, Space } from "../action/actions.ts";
import type { Answer } from "../action/answer.ts";
import type { Limits } from "../action/limits.ts";
import type { BlamedLine } from "../audit/blame.ts";
import type { Diagnosis } from "../audit/doctor.ts";
import type { Loss, LostOptions } from "../audit/lost.ts";
import type { Point } from "../audit/points.ts";
import type { Verification } from "../audit/verify/finding.ts";
import type { Head } from "../event/commit.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import type { ForeignSession, TurnPrompt } from "../event/foreign.ts";
import type { HostMarker } from "../event/marker.ts";
import type { Shown } from "../event/shown.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import type { Change, ChangesOptions } from "./change.ts";
import type { VerifyOptions } from "./check.ts";
import type { ForkOptions, SpawnOptions } from "./fork.ts";
import type { ImportedMemory, ImportOptions, Memory } from "./imported.ts";
import type { Merged, MergeFromOptions } from "./merged.ts";
import type { HistoryOptions, Moment } from "./moment.ts";
import type { ApplyOptions, NotesBudget, ReachedOptions } from "./options.ts";
import type { EntriesMethods, NotesMethods, PlanMethods, RefsMethods, SectionsMethods } from "./spaces.ts";
import type { Diff, HistorySpan } from "./span.ts";
import type { EventOrHost } from "./with-host.ts";

/** Names a session: a path, the `file:` URL of one, an address such as `sqlite:FILE#SESSION`, or a store. */
export type Where = string | URL | JournalStore;

/**
 * A journal is a handle on the history of one session. `openJournal` makes it. Every method that reads or writes rejects with
 * `ClosedError` after `close`, and with `StorageError` where the disk or the backend fails.
 *
 * @example
 * const journal = await openJournal("session.jsonl", { actor: "agent" });
 * const answer = await journal.apply({ action: "set_plan", content: "1. Fix auth bug" });
 * answer.message; // "plan set: 15/2000 chars used"
 * await journal.close();
 */
export interface Journal extends AsyncDisposable {
  /** The state as last read. `refresh`, and everything that writes or looks back, reads on first. */
  readonly state: ScratchpadState;
  /** The number of the newest event, as last read; 0 before the first. */
  readonly version: Version;
  /** The number of the newest turn, as last read; 0 before the first message of a user. */
  readonly turn: number;
  /** This is the version and the hash of the newest commit. Keep it elsewhere, and `verify` can check against it. */
  readonly head: Head;
  /** These are the budgets in force. */
  readonly limits: Limits;
  /** True where something that was read is missing or cannot be understood. `verify` lists what it is. */
  readonly isDamaged: boolean;
  /** This has the actions on notes as methods. */
  readonly notes: NotesMethods;
  /** This has the actions on the plan as methods. */
  readonly plan: PlanMethods;
  /** This has the actions on references as methods. */
  readonly refs: RefsMethods;
  /** This has the actions on entries as methods. */
  readonly entries: EntriesMethods;
  /** This has the actions on sections as methods. */
  readonly sections: SectionsMethods;

  /**
   * Decides an action on the newest state, appends what happened, and answers when that is durable. A refusal is an
   * answer, too.
   *
   * @param action What is asked. What came from a model goes through `applyUnknown`.
   * @throws VersionConflictError where the journal is at another version than `expectedVersion`.
   * @throws ReadonlyError where the journal may not be written.
   * @throws UnknownEventError where a newer version of this package has written.
   * @throws StorageError where the disk or the backend failed; `fate` says whether the commit may be there.
   * @throws TypeError where `command` was used for another action.
   * @throws PointError where `command` was carried out before, and the beginning of the history was dropped since, as its owner wants.
   * @example
   * const { ok, message } = await journal.apply({ action: "append_notes", content: "Port 8080 is taken" });
   */
  apply(action: Action, options?: ApplyOptions): Promise<Answer>;
  /**
   * Does what `apply` does with a value of any shape, such as the input of a model's tool call. What is wrong with it is
   * answered with `ok: false`, and a message that a model can act on.
   *
   * @throws What `apply` throws.
   */
  applyUnknown(value: unknown, options?: ApplyOptions): Promise<Answer>;
  /**
   * Does what `applyUnknown` does, under the budget that a face has for notes.
   *
   * @throws What `apply` throws.
   */
  applyUnder(budget: NotesBudget, value: unknown, options?: ApplyOptions): Promise<Answer>;
  /**
   * Applies all actions in one commit, or none. Where one is refused, that refusal is recorded, and the others are
   * answered with `code: "not_applied"`.
   *
   * @param options A `command` stands for the whole group.
   * @returns One answer for each action, in their order.
   * @throws What `apply` throws.
   */
  applyAll(actions: readonly Action[], options?: ApplyOptions): Promise<Answer[]>;
  /**
   * Begins a turn, for hosts whose messages are in another file. With the id of the newest turn it begins no second one.
   *
   * @returns The number of the turn.
   * @throws What `apply` throws.
   */
  beginTurn(turn?: { readonly id?: string }): Promise<number>;
  /**
   * Records what a model was shown of its scratchpad: the version and the digest of a block, and hints. An auditor then
   * sees what the model knew. `composePrompt` and the hosts do it where they are told to. Versions before 0.2 cannot write to a
   * journal that holds such an event.
   *
   * @throws What `apply` throws, and TypeError for what is neither a block nor a hint.
   */
  recordShown(shown: readonly Shown[]): Promise<void>;

  /** Reads what others have appended. */
  refresh(): Promise<void>;
  /**
   * Waits until this handle has read a version, such as one that another process was answered: what is read after that shows
   * its write.
   *
   * @param version The one to wait for; resolves at once where it has been read.
   * @param options `signal` ends the waiting: it rejects with the signal's reason.
   * @throws ClosedError where the journal is closed before.
   */
  reached(version: Version, options?: ReachedOptions): Promise<void>;
  /**
   * Calls `fn` with each change from now on, after `state` has moved.
   *
   * @param fn It must not throw: what it throws is an uncaught exception.
   * @returns A function that ends it.
   */
  onChange(fn: (change: Change) => void): () => void;
  /**
   * Yields every event after version `from` in order, each exactly once, after `state` has moved there. It yields a
   * reset where the history became another one. It ends with `return()`, `signal` or `close()`.
   *
   * @throws What reading the stream fails with.
   */
  changes(options?: ChangesOptions): AsyncIterableIterator<Change>;
  /** Yields the events after version `from`, up to and with `to`, as they stand in the stream. */
  history(options?: HistoryOptions): AsyncIterableIterator<RecordedEvent>;
  /**
   * Answers the state at a point.
   *
   * @throws PointError where the history has no such point.
   */
  at(point: Point): Promise<Moment>;
  /**
   * Answers what changed between two points, in either direction. Without `to` it goes to the newest version; without
   * both it is the last turn; a turn alone, such as `"t4"`, is that turn.
   *
   * @throws PointError where the history has no such point.
   */
  diff(from?: Point, to?: Point): Promise<Diff>;
  /**
   * Answers where `diff` begins and ends, without the events between: of a long history they may be too many to hold.
   *
   * @throws PointError where the history has no such point.
   */
  span(from?: Point, to?: Point): Promise<HistorySpan>;
  /**
   * Answers who wrote each line that stands, in one space or in all.
   *
   * @throws PointError where the beginning of the history was dropped, as its owner wants.
   */
  blame(space?: Space): Promise<readonly BlamedLine[]>;
  /**
   * Answers what was lost, whole: what budgets cut off, what refusals offered, what another actor replaced or removed,
   * and steps that were dropped or are unfinished. With `all: true` it also lists what authors took away themselves.
   *
   * @throws PointError where the beginning of the history was dropped, as its owner wants.
   */
  lost(options?: LostOptions): Promise<readonly Loss[]>;
  /** Yields what `lost` answers one by one, as the history is read. */
  losses(options?: LostOptions): AsyncIterableIterator<Loss>;
  /** Reads the whole record and lists what is remarkable in it. Findings are a result, not an error. */
  verify(options?: VerifyOptions): Promise<Verification>;
  /** Answers which runtimes wrote, and explains the findings of `verify`. */
  diagnose(): Promise<Diagnosis>;

  /**
   * Appends the state at a point as the newest one. The history stays.
   *
   * @throws PointError where the history has no such point, and what `apply` throws.
   */
  restore(point: Point, options?: ApplyOptions): Promise<Answer>;
  /**
   * Makes a child session that begins with the state at a point, and records where it comes from. The child is opened as
   * this journal was, and needs its parent no more.
   *
   * @throws PointError where the history has no such point; StorageError where the target has a history already.
   */
  fork(target: Where, options?: ForkOptions): Promise<Journal>;
  /**
   * Makes a child session that begins empty, or with a copy of this state.
   *
   * @throws StorageError where the target has a history already.
   */
  spawn(target: Where, options?: SpawnOptions): Promise<Journal>;
  /**
   * Brings what a child, a fork or a copy has found into this journal: notes, refs and entries, since the two parted or since it
   * was last merged. All of it is appended in one commit, under the names of those who wrote it, or nothing: where both changed
   * the same, and `conflicts` does not say whose stands, or where a budget has no room, the answer has `ok: false` and says so.
   *
   * @param other The other session, open. It is only read.
   * @throws TypeError where the sessions have nothing in common, PointError where the beginning of either history was dropped, as its
   *   owner wants, and what `apply` throws.
   * @example
   * const child = await journal.spawn("child.jsonl");
   * await child.notes.set("The cache is never emptied");
   * const { ok, message, conflicts } = await journal.merge(child);
   */
  merge(other: Journal, options?: MergeFromOptions): Promise<Merged>;
  /**
   * Takes what another tool kept as memory, such as `readMemory` of `session-journal/workspace` gives it, in one commit that begins
   * with where it came from. The same bytes are taken once. Where a budget has no room for all of it, or another text stands in
   * its place, nothing is appended, and the answer has `ok: false`. `restore(answer.before)` takes it back.
   *
   * @throws What `apply` throws.
   */
  import(memory: Memory, options?: ImportOptions): Promise<ImportedMemory>;
  /**
   * Saves what makes the next opening fast. Answers whether it was kept: not in memory, not of a journal that is folded by branch, not of
   * one with an event that this version cannot read, and not while another process is writing it.
   *
   * @throws StorageError where it cannot be written.
   */
  snapshot(): Promise<boolean>;

  /** Answers the id of the session. The hash chain begins with it, and forks record it. */
  sessionId(): Promise<string>;
  /**
   * Answers whose session it is, where another client wrote it, and what its file says besides the events. With
   * `whole: true` it reads every line, and takes the SHA-256 of the file. It is undefined for a journal of ours.
   */
  foreign(options?: { readonly whole?: boolean }): Promise<ForeignSession | undefined>;
  /** Answers what the host did to its conversation, in file order, such as a compaction. */
  hostMarkers(): Promise<readonly HostMarker[]>;
  /** Yields what `hostMarkers` answers one by one, as the session is read. */
  markers(): AsyncIterableIterator<HostMarker>;
  /**
   * Yields the history, and between the events what the host did (`marker` in it) and what the user asked (`text` and `turn`, right
   * before the first event of the turn), in the order of the file and from one reading.
   */
  historyWithHost(): AsyncIterableIterator<EventOrHost>;
  /**
   * Answers what the user asked, turn by turn, where the session says it: the beginning of it, in one line of at most 200
   * characters. It is empty where the journal lies in no session file.
   */
  prompts(): Promise<readonly TurnPrompt[]>;
  /** Waits for what was asked before, then closes. Closing twice is fine. */
  close(): Promise<void>;
}
