/**
 * This entry point explains a history: who wrote each line, what was lost, what would have been. It does no I/O.
 *
 * @module session-journal/audit
 */
export { type AuthoredLines, type BlamedLine, blame } from "../audit/blame.ts";
export { type ComparedSession, type Comparison, compare, type Kinship, type ReadSession } from "../audit/compare.ts";
export { diffStates, type PatchOperation, type StateDiff } from "../audit/diff.ts";
export { type Loss, type LossReason, type LostOptions, lost } from "../audit/lost.ts";
export {
  type MergeOptions,
  type MergePlan,
  planMerge,
} from "../audit/merge.ts";
export type { MergedSpace } from "../audit/merge-base.ts";
export type { MergeSide } from "../audit/merge-lines.ts";
export type { MergeConflict, MergeStep } from "../audit/merge-spaces.ts";
export { type Replay, type ReplayOptions, replay, type Turnaround, type Verdict } from "../audit/replay.ts";
export { type ReportOptions, renderReport } from "../audit/report/render.ts";
export { type ShownToModel, shownIn } from "../audit/shown.ts";
