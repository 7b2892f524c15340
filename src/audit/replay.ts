/** What would have been: a history decided again, without some of its events, or under other budgets. Nothing is written. */

import { reduce } from "../action/decide.ts";
import { type Limits, parseLimits } from "../action/limits.ts";
import { actionOf } from "../action/replay.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { requireOptions } from "../options.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";

export interface ReplayOptions {
  /** The versions of the events that did not happen. */
  readonly skip?: readonly Version[];
  /** The budgets that every action is decided under; what is left out is the default. */
  readonly limits?: Partial<Limits>;
}

/** An action that comes to something else. */
export interface Turnaround {
  /** Of the event as it was recorded. */
  readonly version: Version;
  readonly turn: number;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  /** What became of it: `cut` is accepted, with something taken away. */
  readonly was: Verdict;
  readonly now: Verdict;
  /** What the actor would have been told. */
  readonly message: string;
}

export type Verdict = "accepted" | "cut" | "refused";

export interface Replay {
  readonly state: ScratchpadState;
  /** How many actions were decided again. Values of other runtimes, turns and what was brought along stay as they were. */
  readonly decided: number;
  /** In the order of the history. */
  readonly differences: readonly Turnaround[];
}

/** Decides `events`, a history from its beginning, once more. Pure. Throws a TypeError for an unknown limit. */
export function replay(events: Iterable<RecordedEvent>, options: ReplayOptions = {}): Replay {
  requireOptions(options, "skip", "limits");
  const limits = parseLimits(options.limits);
  const skipped = new Set(options.skip);
  const states = new Map<Version, ScratchpadState>([[0, initialState]]);
  const differences: Turnaround[] = [];
  let state = initialState;
  let decided = 0;
  for (const recorded of events) {
    const { version, turn, at, actor, event, origin } = recorded;
    const action = origin === "journal" ? actionOf(event, at) : undefined;
    if (skipped.has(version)) {
      states.set(version, state);
      continue;
    }
    if (action === undefined) state = evolve(state, event);
    else {
      decided += 1;
      const context = { limits, actor, at, version: version - 1, stateAt: (to: Version) => states.get(to) };
      const { answer, events: made, state: after } = reduce(state, action, context);
      state = after;
      const [was, now] = [verdictOf([event]), verdictOf(made)];
      if (was !== now) {
        differences.push({ version, turn, at, actor, action: action.action, was, now, message: answer.message });
      }
    }
    states.set(version, state);
  }
  return { state, decided, differences };
}

function verdictOf([event]: readonly RecordedEvent["event"][]): Verdict {
  if (event === undefined || event.type === "action.refused") return "refused";
  const isCut =
    ("dropped" in event && event.dropped !== undefined) || ("evicted" in event && event.evicted !== undefined);
  return isCut ? "cut" : "accepted";
}
