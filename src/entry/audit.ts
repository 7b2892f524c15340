/** `session-journal/audit`: explanations of a history, pure over its events. */
export { type AuthoredLines, type BlamedLine, blame } from "../audit/blame.ts";
export { type ComparedSession, type Comparison, compare, type Kinship } from "../audit/compare.ts";
export { diffStates, type PatchOperation, type StateDiff } from "../audit/diff.ts";
export { type Loss, type LossReason, type LostOptions, lost } from "../audit/lost.ts";
export { type Replay, type ReplayOptions, replay, type Turnaround, type Verdict } from "../audit/replay.ts";
export { type ReportOptions, renderReport } from "../audit/report/render.ts";
