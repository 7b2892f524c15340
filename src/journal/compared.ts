/** Changes, each with its patch. Comparing states takes libraries, which are loaded when the first follower comes. */
import { patchBetween } from "../audit/diff.ts";
import type { RecordedEvent } from "../event/event.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { ResetReason } from "../stream/delivery.ts";
import type { Change } from "./change.ts";
import type { Step, View } from "./projection.ts";

/** What led to a change, besides what it says itself. */
export interface ChangeStep {
  readonly recorded: RecordedEvent;
  readonly before: ScratchpadState;
}

const steps = new WeakMap<Change, ChangeStep>();

/** The result is undefined for a reset, and for what is no change as `changes` yields it. */
export function stepOf(change: Change): ChangeStep | undefined {
  return steps.get(change);
}

export function changeOf(step: Step): Change {
  switch (step.type) {
    case "event":
      return eventChange(step.recorded, step.before, step.state);
    case "reset":
      return resetChange(step.reason, step.before, step.view);
  }
}

export function eventChange(recorded: RecordedEvent, before: ScratchpadState, state: ScratchpadState): Change {
  const { version, event } = recorded;
  const change: Change = { type: "event", version, event, state, patch: patchBetween(before, state) };
  steps.set(change, { recorded, before });
  return change;
}

export function resetChange(reason: ResetReason, before: ScratchpadState, { version, state }: View): Change {
  return { type: "reset", reason, version, state, patch: patchBetween(before, state) };
}
