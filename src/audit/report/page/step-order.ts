/** What became of each step, and in which order that is told. */
import type { DoubtfulStep } from "../../doubtful.ts";
import type { StepChange, StepHistory } from "../../steps-over-time.ts";

export interface Step {
  readonly history: StepHistory;
  readonly doubts: readonly DoubtfulStep[];
  /** This is what became of the step. */
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

/** Doubtful steps come first, then open ones, those that left the plan (the newest first), and the others in its order. */
export function byStory(one: Step, other: Step): number {
  return rankOf(one) - rankOf(other) || leftAt(other) - leftAt(one);
}

function rankOf({ doubts, end }: Step): number {
  if (doubts.length > 0) return 0;
  if (isOpen(end)) return 1;
  return end?.status === "gone" ? 2 : 3;
}

/** The result is 0 if the plan still lists the step. */
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
