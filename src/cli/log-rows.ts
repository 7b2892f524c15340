/** This file makes the rows that `log` prints: events with the budget around them, and what the host did in between. */

import type { Space } from "../action/actions.ts";
import { useOf } from "../action/budget.ts";
import { type Limits, limitsWhen } from "../action/limits.ts";
import { describe } from "../audit/report/describe.ts";
import type { HostMarker } from "../event/marker.ts";
import type { EventOrHost } from "../journal/with-host.ts";
import { evolve } from "../state/evolve.ts";
import { initialState } from "../state/state.ts";
import type { Step } from "./history-filter.ts";
import { progressOf } from "./progress.ts";

export type LogRow = Step | HostMarker;

export function isMarker(row: LogRow): row is HostMarker {
  return "marker" in row;
}

/** The rows of a whole history come in the order of the file. */
export async function* rowsIn(history: AsyncIterable<EventOrHost>): AsyncGenerator<LogRow, undefined> {
  let before = initialState;
  for await (const item of history) {
    if ("marker" in item) yield item;
    if (!("event" in item)) continue;
    const after = evolve(before, item.event);
    yield { recorded: item, before, after };
    before = after;
  }
}

/** The result says how far the plan had come after an event that changed a plan, or took one away. */
export function progressAfter({ before, after }: Step): ReturnType<typeof progressOf> {
  return before.plan === after.plan ? {} : progressOf(after.plan);
}

/** This says how full the space of an event was before it and after it, in the units of `useOf`. */
export interface UseAround {
  readonly space: Space;
  readonly before: number;
  readonly after: number;
  readonly limit: number;
}

/**
 * This is the use of an event's space. A refusal leaves its space as it was. The budgets that the event records are used; it may record
 * none.
 */
export function useAround({ recorded, before, after }: Step, given: Limits): UseAround | undefined {
  const limits = limitsWhen(recorded, given);
  const { space } = describe(recorded.event);
  if (space === undefined) return undefined;
  const { used, limit } = useOf(space, after, limits);
  return { space, before: useOf(space, before, limits).used, after: used, limit };
}
