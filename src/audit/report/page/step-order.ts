/** What became of each step, and in which order that is told. */
import type { DoubtfulStep } from "../../doubtful.ts";
import type { StepChange, StepHistory } from "../../steps-over-time.ts";

export interface Step {
  readonly history: StepHistory;
  readonly doubts: readonly DoubtfulStep[];
  /** What became of it. */
  readonly end: StepChange | undefined;
}

export function stepOf(history: StepHistory, doubtful: readonly DoubtfulStep[]): Step {
  const { text, changes } = history;
  const last = changes.at(-1);
  const before = changes.at(-2);
  // What was done, and then taken off the list, is no loss.
  const isDoneWith = last?.status === "gone" && (before?.status === "completed" || before?.status === "cancelled");
  const doubts = doubtful.filter((doubt) => doubt.text === text && isOf(doubt, changes));
  return { history, doubts, end: isDoneWith ? before : last };
}

/** What a reader looks for comes first: those of one kind in the order of the plan, and the newest of what left it. */
export function byStory(one: Step, other: Step): number {
  return rankOf(one) - rankOf(other) || leftAt(other) - leftAt(one);
}

function rankOf({ doubts, end }: Step): number {
  if (doubts.length > 0) return 0;
  if (isOpen(end)) return 1;
  return end?.status === "gone" ? 2 : 3;
}

/** 0 where the plan still lists it. */
function leftAt({ history }: Step): number {
  const last = history.changes.at(-1);
  return last?.status === "gone" ? last.position : 0;
}

export function isOpen(end: StepChange | undefined): boolean {
  return end?.status === "pending" || end?.status === "in_progress" || end?.status === "blocked";
}

function isOf({ version }: DoubtfulStep, changes: readonly StepChange[]): boolean {
  return changes.some(({ recorded }) => recorded.version === version);
}
