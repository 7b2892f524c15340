/** Steps of a plan whose record does not bear out what it says: what an agent claims of its own work is read once more. */
import type { RecordedEvent, Version } from "../event/event.ts";
import { type HostMarker, isBehind, standingCompactions } from "../event/marker.ts";
import { nameOfStep } from "./steps.ts";
import { type StepChange, type StepHistory, stepsOverTime } from "./steps-over-time.ts";

/** This says what is doubtful about a step. */
export type Doubt =
  /** Completed, and no tool was called between in progress and completed. */
  | "no work"
  /** The step was completed without ever having been in progress. */
  | "never begun"
  /** The step is in progress, and was never touched again. */
  | "left in progress";

/** This is a step that the record does not bear out. */
export interface DoubtfulStep {
  /** This is the text of the step. */
  readonly text: string;
  /** This says what is doubtful about it. */
  readonly doubt: Doubt;
  /** This is the version of the event that made it doubtful. */
  readonly version: Version;
  /** The event happened in this turn. */
  readonly turn: number;
  /** This is the ISO time of the event. */
  readonly at: string;
  /** This actor wrote the plan. */
  readonly actor: string;
  /** This is how many compactions came after a step was left in progress. */
  readonly compactions?: number;
}

export interface DoubtfulInput {
  readonly events: readonly RecordedEvent[];
  /** For each version in order how many calls of tools stand before it; absent where that is not known. */
  readonly calls?: readonly number[];
  readonly markers?: readonly HostMarker[];
}

/** In the order of the history; steps that were left in progress stand last. */
export function doubtfulSteps({ events, calls, markers = [] }: DoubtfulInput): DoubtfulStep[] {
  const histories = stepsOverTime(events);
  const completed = histories.flatMap((history) => doubtfullyCompleted(history, calls));
  const compactions = standingCompactions(markers);
  return [...completed.sort(byVersion), ...histories.flatMap((history) => leftInProgress(history, compactions))];
}

/**
 * An agent wrote the plan as a text of its own. If it never marks what is in progress, no step is in doubt for lack of a mark, and what was
 * before the first mark is not either.
 */
export function doubtfulOwnSteps(input: DoubtfulInput): DoubtfulStep[] {
  const marks = stepsOverTime(input.events).flatMap(({ changes }) =>
    changes.flatMap(({ status, recorded }) => (status === "in_progress" ? recorded.version : [])),
  );
  const first = marks.reduce((least, version) => Math.min(least, version), Number.POSITIVE_INFINITY);
  if (first === Number.POSITIVE_INFINITY) return [];
  // What was completed with the first mark may have been begun before there was one.
  return doubtfulSteps(input).filter(({ doubt, version }) => version > (doubt === "never begun" ? first : first - 1));
}

/** pi's lists have no mark for what is in progress. */
export function doubtfulForeignSteps(client: string, input: DoubtfulInput): DoubtfulStep[] {
  return client === "pi" ? doubtfulOwnSteps(input) : doubtfulSteps(input);
}

function byVersion(one: DoubtfulStep, other: DoubtfulStep): number {
  return one.version - other.version;
}

function doubtfullyCompleted(history: StepHistory, calls: DoubtfulInput["calls"]): DoubtfulStep[] {
  const { changes } = history;
  let begun: StepChange | undefined;
  return changes.flatMap((change, index) => {
    if (change.status === "in_progress") begun = change;
    const before = changes[index - 1]?.status ?? "gone";
    // What was completed when it was first seen may have been worked on before.
    if (change.status !== "completed" || before === "gone") return [];
    if (begun === undefined) return [doubtOf(history, "never begun", change)];
    const callsThen = calls?.[begun.position - 1];
    const isIdle = callsThen !== undefined && callsThen === calls?.[change.position - 1];
    return isIdle ? [doubtOf(history, "no work", change)] : [];
  });
}

function leftInProgress(history: StepHistory, compactions: readonly HostMarker[]): DoubtfulStep[] {
  const last = history.changes.at(-1);
  if (last?.status !== "in_progress") return [];
  const later = compactions.filter((marker) => isBehind(marker, last.recorded));
  return [{ ...doubtOf(history, "left in progress", last), compactions: later.length }];
}

function doubtOf(
  step: StepHistory,
  doubt: Doubt,
  { recorded: { version, turn, at, actor } }: StepChange,
): DoubtfulStep {
  return { text: nameOfStep(step), doubt, version, turn, at, actor };
}

/** The result is one line for people. */
export function adviceOnStep({ text, doubt, version, turn, compactions = 0 }: DoubtfulStep): string {
  const step = `doubtful: ${JSON.stringify(text)}`;
  switch (doubt) {
    case "no work":
      return `${step} was completed in v${version}, turn ${turn}, and no tool was called since it was begun`;
    case "never begun":
      return `${step} was completed in v${version}, turn ${turn}, without ever having been in progress`;
    case "left in progress": {
      const since =
        compactions === 0
          ? ""
          : `, and ${compactions === 1 ? "a compaction" : `${compactions} compactions`} came after it`;
      return `${step} is in progress since v${version}, turn ${turn}, and was never touched again${since}`;
    }
  }
}
