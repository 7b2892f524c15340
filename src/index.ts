/** The public surface, written by hand. */
export type { Action, ActionName, Space } from "./action/actions.ts";
export type { Answer, AnswerCode, AnswerContext, DecideContext } from "./action/answer.ts";
export { budgetViolations, type Violation } from "./action/budget.ts";
export { type Decision, decide, reduce } from "./action/decide.ts";
export { defaultLimits, type Limits } from "./action/limits.ts";
export type { Measure } from "./action/text.ts";
export type { PatchOperation, StateDiff } from "./audit/diff.ts";
export type { HistoryPlace, Point } from "./audit/points.ts";
export { type PlanProgress, type PlanStep, planProgress, planSteps, type StepStatus } from "./audit/steps.ts";
export type { DamageKind, Finding, NoteKind, Verification } from "./audit/verify/finding.ts";
export {
  ClosedError,
  CorruptEntryError,
  FoldPolicyError,
  isJournalError,
  JournalError,
  type JournalErrorCode,
  LockTimeoutError,
  NotASessionError,
  type Place,
  PointError,
  ReadonlyError,
  StorageError,
  UnknownEventError,
  VersionConflictError,
} from "./errors.ts";
export type { CommitData, Draft, DraftEvent, FoldPolicy, Head, WrittenEvent } from "./event/commit.ts";
export type {
  EventOrigin,
  ImportOrigin,
  Json,
  Lease,
  Origin,
  RecordedEvent,
  ScratchpadEvent,
  ScratchpadEventType,
  Section,
  StateImage,
  UnknownEvent,
  Version,
} from "./event/event.ts";
export type { FindOptions } from "./find/find-sessions.ts";
export type { FoundSession } from "./find/found-session.ts";
export type { Change, ChangesOptions } from "./journal/change.ts";
export type { VerifyOptions } from "./journal/check.ts";
export type { Copied } from "./journal/copy.ts";
export type { SessionChange } from "./journal/follow-all.ts";
export type { Journal } from "./journal/journal.ts";
export type { ApplyOptions } from "./journal/options.ts";
export type { Diff, HistoryOptions, Moment } from "./journal/past.ts";
export type {
  EntriesMethods,
  NotesEdit,
  NotesMethods,
  PlanMethods,
  RefsMethods,
  SectionsMethods,
} from "./journal/spaces.ts";
export { openJournal } from "./open.ts";
export { type CopyEnd, type CopyOptions, copyJournal } from "./open-copy.ts";
export { findSessions } from "./open-find.ts";
export { type Journals, openJournals } from "./open-journals.ts";
export type { OpenOptions } from "./open-options.ts";
export { evolve } from "./state/evolve.ts";
export { fold } from "./state/fold.ts";
export { initialState, type ScratchpadState } from "./state/state.ts";
export { type HostSession, type HostSessionOptions, hostSessionStore } from "./store/host-session.ts";
export type { HostEntry } from "./store/host-view.ts";
export { type MemoryStoreOptions, memoryStore } from "./store/memory.ts";
export type { SessionFileOptions } from "./store/session-file/session-file-options.ts";
export { sessionFileStore } from "./store/session-file/session-file-store.ts";
export type {
  EventSink,
  JournalStore,
  LineContext,
  Position,
  RawLine,
  SessionShelf,
  SessionSummary,
  Snapshot,
  StoreCapabilities,
  StreamEnd,
} from "./store/store.ts";
