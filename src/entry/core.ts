/**
 * This entry point is the pure part of the library. It imports nothing of Node, so it runs in browsers and on edge runtimes.
 *
 * @module session-journal/core
 */
export type { Action, ActionName, EditNotes, Space } from "../action/actions.ts";
export type { Answer, AnswerCode, AnswerContext, DecideContext } from "../action/answer.ts";
export { budgetViolations, type Violation } from "../action/budget.ts";
export { type Decision, decide, reduce } from "../action/decide.ts";
export { defaultLimits, type Limits } from "../action/limits.ts";
export type { Measures } from "../action/measures.ts";
export type { Dedupe } from "../action/ref-form.ts";
export { jsonSchema, type SchemaName } from "../action/schemas.ts";
export type { Measure } from "../action/text.ts";
export { type IsoTime, type Point, parsePoint } from "../audit/points.ts";
export { type PlanProgress, type PlanStep, planProgress, planSteps, type StepStatus } from "../audit/steps.ts";
export {
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
} from "../errors.ts";
export type {
  ImportOrigin,
  Json,
  Lease,
  Origin,
  ScratchpadEvent,
  ScratchpadEventType,
  Section,
  StateImage,
  Version,
} from "../event/event.ts";
export type { JsonSchema } from "../event/json-schema.ts";
export { evolve } from "../state/evolve.ts";
export { fold } from "../state/fold.ts";
export { initialState, type ScratchpadState } from "../state/state.ts";
