/**
 * This entry point is a kit for those who test their own reducers, stores and hosts. It needs the package fast-check.
 *
 * @module session-journal/testing
 */
export {
  arbitraryAction,
  arbitraryEvent,
  arbitraryHistory,
  arbitraryLimits,
  arbitraryRequest,
  arbitraryState,
  hostileText,
  wellFormedText,
} from "../testing/arbitraries.ts";
export {
  type BudgetPropertiesOptions,
  budgetProperties,
  type Reduced as BudgetReduced,
} from "../testing/budget-properties.ts";
export { type Damage, damaged, damageFile } from "../testing/damage.ts";
export {
  arbitraryDamage,
  arbitraryDamagedFile,
  arbitrarySessionFile,
  type DamagedFile,
} from "../testing/damaged-files.ts";
export { type TestClockOptions, testClock, testIds } from "../testing/faulty-clock.ts";
export { type FileFailure, faultyFiles, type SystemCall } from "../testing/faulty-files.ts";
export { type Failure, faultyStore, type StoreCall, type StoreFaults } from "../testing/faulty-store.ts";
export { type ExpectedOutcome, type Given, given, givenAt, type Outcome, type When } from "../testing/given.ts";
export {
  type JournalCommands,
  type JournalCommandsOptions,
  journalCommands,
  runJournalCommands,
} from "../testing/journal-commands.ts";
export { type Anomaly, type AnomalyKind, findAnomalies, type OperationsOptions } from "../testing/linearizability.ts";
export { type LogConformance, testLog, writeMarks } from "../testing/log-conformance.ts";
export {
  type Interval as OperationInterval,
  type Operation,
  OperationRecorder,
  type ReadOperation,
  type RecorderOptions,
  stateDigest,
  type WriteOperation,
} from "../testing/operations.ts";
