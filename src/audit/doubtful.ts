/** Steps of a plan whose record does not bear out what it says: what an agent claims of its own work is read once more. */
import type { RecordedEvent, Version } from "../event/event.ts";
import type { HostMarker } from "../event/marker.ts";
import { type PlanStep, planSteps } from "./steps.ts";

export type Doubt =
  /** Completed, and no tool was called between in progress and completed. */
  | "no work"
  /** Completed without ever having been in progress. */
  | "never begun"
  /** In progress, and never touched again. */
  | "left in progress";

export interface DoubtfulStep {
  readonly text: string;
  readonly doubt: Doubt;
  /** Of the event that made it doubtful. */
  readonly version: Version;
  readonly turn: number;
  readonly at: string;
  readonly actor: string;
  /** How many compactions came after a step was left in progress. */
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
  const watch = new StepWatch();
  for (const [index, recorded] of events.entries()) {
    const { event } = recorded;
    if (event.type === "plan.set" && event.ignored !== true)
      watch.take(planSteps(event.text), recorded, calls?.[index]);
  }
  return [...watch.doubtful, ...watch.leftInProgress(markers)];
}

interface Begun {
  readonly recorded: RecordedEvent;
  readonly calls: number | undefined;
}

class StepWatch {
  readonly doubtful: DoubtfulStep[] = [];
  readonly #begun = new Map<string, Begun>();
  #before: ReadonlyMap<string, PlanStep> = new Map();

  take(steps: readonly PlanStep[], recorded: RecordedEvent, calls: number | undefined): void {
    const now = new Map(steps.map((step) => [step.id ?? step.text, step]));
    for (const [key, step] of now) {
      const status = this.#before.get(key)?.status;
      if (step.status === status) continue;
      if (step.status === "in_progress") this.#begun.set(key, { recorded, calls });
      // What was completed when it was first seen may have been worked on before.
      else if (step.status === "completed" && status !== undefined) this.#completed(key, step, recorded, calls);
    }
    this.#before = now;
  }

  leftInProgress(markers: readonly HostMarker[]): DoubtfulStep[] {
    return [...this.#before].flatMap(([key, step]) => {
      const start = this.#begun.get(key)?.recorded;
      if (step.status !== "in_progress" || start === undefined) return [];
      const isLater = ({ marker, offset }: HostMarker): boolean =>
        marker === "compaction" && offset > (start.offset ?? 0);
      return [{ ...doubtOf(step, "left in progress", start), compactions: markers.filter(isLater).length }];
    });
  }

  #completed(key: string, step: PlanStep, recorded: RecordedEvent, calls: number | undefined): void {
    const start = this.#begun.get(key);
    if (start === undefined) this.doubtful.push(doubtOf(step, "never begun", recorded));
    else if (calls !== undefined && start.calls === calls) this.doubtful.push(doubtOf(step, "no work", recorded));
  }
}

function doubtOf({ text }: PlanStep, doubt: Doubt, { version, turn, at, actor }: RecordedEvent): DoubtfulStep {
  return { text, doubt, version, turn, at, actor };
}
