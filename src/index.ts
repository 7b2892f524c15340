/**
 * This is the main entry point: journals, the places where they are kept, and the pure functions that they are made of.
 *
 * @module session-journal
 */
export type { Action, ActionName, EditNotes, Space } from "./action/actions.ts";
export type { Answer, AnswerCode, AnswerContext, DecideContext, UnrecordedRefusalCode } from "./action/answer.ts";
export { budgetViolations, type Violation } from "./action/budget.ts";
export { type Decision, decide, reduce } from "./action/decide.ts";
export { defaultLimits, type Limits } from "./action/limits.ts";
export type { Measures } from "./action/measures.ts";
export type { Dedupe } from "./action/ref-form.ts";
export { jsonSchema, type SchemaName } from "./action/schemas.ts";
export type { Measure } from "./action/text.ts";
export type { LineCount } from "./audit/census.ts";
export type { PatchOperation, StateDiff } from "./audit/diff.ts";
export type { Diagnosis, Writer as JournalWriter } from "./audit/doctor.ts";
export type { Doubt, DoubtfulStep } from "./audit/doubtful.ts";
export { type HistoryPlace, type IsoTime, type Point, parsePoint } from "./audit/points.ts";
export type { HostSecrets } from "./audit/redact/host-secrets.ts";
export type { SecretPlace } from "./audit/redact/places.ts";
export type { RedactionChoice } from "./audit/redact/wish.ts";
export { type PlanProgress, type PlanStep, planProgress, planSteps, type StepStatus } from "./audit/steps.ts";
export type { DamageKind, Finding, NoteKind, UnlistedFindings, Verification } from "./audit/verify/finding.ts";
export type { CommitMessage, LockTrace, SyncTrace, Traced } from "./diagnostics.ts";
export {
  type Advice,
  ClosedError,
  CorruptEntryError,
  FoldPolicyError,
  isJournalError,
  JournalError,
  type JournalErrorCode,
  type JournalErrors,
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
  EditOperation,
  EventOrigin,
  ImportOrigin,
  Json,
  KnownSource,
  Lease,
  Origin,
  RecordedEvent,
  RecordedLimits,
  RecordedRefusalCode,
  ScratchpadEvent,
  ScratchpadEventType,
  Section,
  StateImage,
  TextSource,
  UnknownEvent,
  Version,
} from "./event/event.ts";
export type { ForeignFacts, ForeignFinding, ForeignSession, Repetitions, TurnPrompt } from "./event/foreign.ts";
export type { JsonSchema } from "./event/json-schema.ts";
export type { CarriedMarker, HostMarker, HostMarkerKind } from "./event/marker.ts";
export type { OpenWriter, OpenWriters } from "./event/open-writers.ts";
export type { Shown, ShownPlace } from "./event/shown.ts";
export type { Client } from "./find/clients.ts";
export type { FindOptions } from "./find/finder.ts";
export type { FoundSession } from "./find/found-session.ts";
export type { Change, ChangesOptions } from "./journal/change.ts";
export type { VerifyOptions } from "./journal/check.ts";
export type { Copied } from "./journal/copy.ts";
export type { SessionChange } from "./journal/follow-all.ts";
export type { ForkOptions, SpawnOptions } from "./journal/fork.ts";
export type { ImportedMemory, ImportOptions, Memory, MemoryAction } from "./journal/imported.ts";
export type { Merged, MergeFromOptions } from "./journal/merged.ts";
export type { HistoryOptions, Moment } from "./journal/moment.ts";
export type { ApplyOptions, NotesBudget, ReachedOptions } from "./journal/options.ts";
export type { Journal, Where } from "./journal/public.ts";
export type {
  EntriesMethods,
  NotesEdit,
  NotesMethods,
  PlanMethods,
  RefsMethods,
  SectionsMethods,
} from "./journal/spaces.ts";
export type { Diff, HistorySpan, SourceInSpan } from "./journal/span.ts";
export type { ApplyTrace, FollowMessage, OpenTrace } from "./journal/tracing.ts";
export type { EventOrHost } from "./journal/with-host.ts";
export type { Evidence } from "./line/acceptance.ts";
export type { SealKey } from "./line/chain.ts";
export type { Header as SessionHeader } from "./line/decode.ts";
export type {
  Entry as SessionEntry,
  HostLine,
  JournalLine,
  MirroredSpace,
  MirroredValues,
  SessionLine,
  ValueKey,
} from "./line/format.ts";
export type { MirrorMode } from "./line/legacy.ts";
export type { StreamRecord } from "./line/record.ts";
export { copyJournal } from "./open/copy-journal.ts";
export type { CopyEnd, CopyOptions } from "./open/copy-target.ts";
export type { Redacted, RedactOptions } from "./open/copy-without.ts";
export { findSessions } from "./open/find-sessions.ts";
export { openJournal } from "./open/open-journal.ts";
export { type Journals, openJournals } from "./open/open-journals.ts";
export type { OpenOptions } from "./open/open-options.ts";
export { redactJournal } from "./open/redact-journal.ts";
export { evolve } from "./state/evolve.ts";
export { fold } from "./state/fold.ts";
export type { NewestTurn, TurnStart } from "./state/newest-turn.ts";
export { initialState, type ScratchpadState } from "./state/state.ts";
export { type HostSessionOptions, hostSessionStore } from "./store/host/host-session-store.ts";
export type { HostEntry, HostSession } from "./store/host/host-view.ts";
export { type MemoryStoreOptions, memoryStore } from "./store/memory.ts";
export type { Durability } from "./store/session-file/appender.ts";
export type { LockOptions } from "./store/session-file/lock.ts";
export type { SessionFileOptions } from "./store/session-file/session-file-options.ts";
export { sessionFileStore } from "./store/session-file/session-file-store.ts";
export type { SessionCatalog, SessionSummary } from "./stream/catalog.ts";
export type { Snapshot } from "./stream/checkpoint.ts";
export type { EventSink, Position, ResetReason, StreamEnd } from "./stream/delivery.ts";
export type { AcceptedRecord } from "./stream/history.ts";
export type { LookAtLine } from "./stream/line-pages.ts";
export type {
  CheckpointClaim,
  CheckpointPlace,
  Cursor,
  ForeignSource,
  Log,
  LogEntry,
  LogPage,
  LogPages,
  LogRecord,
  Placed as PlacedEntry,
  RawLine,
  Session,
  SessionLines,
  Step,
} from "./stream/log.ts";
export { readRecord } from "./stream/record-entry.ts";
export {
  type JournalStore,
  type StreamOptions,
  type StreamStore,
  streamStore,
} from "./stream/stream-store.ts";
