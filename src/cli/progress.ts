/** How far a plan has come, for programs and for people. */
import { type PlanProgress, planProgress } from "../audit/steps.ts";

/** The result is a part of a JSON value. It is empty if the plan has no steps. */
export function progressOf(plan: string): { readonly progress?: PlanProgress } {
  const progress = planProgress(plan);
  return progress.total === 0 ? {} : { progress };
}

/** The result is "" if the plan has no steps. */
export function progressText(plan: string): string {
  const { done, total } = planProgress(plan);
  return total === 0 ? "" : `${done} of ${total} done`;
}
