/**
 * This file decides a history again, without some of its events, or under other budgets, and says what would have been. It writes nothing.
 */

import { reduce } from "../action/decide.ts";
import { type Limits, limitsWhen, parseLimits } from "../action/limits.ts";
import { actionOf } from "../action/replay.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { requireOptions } from "../options.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";

/** These are the options of {@link replay}. */
export interface ReplayOptions {
  /** The events of these versions are left out. */
  readonly skip?: readonly Version[];
  /** The budgets that every action is decided under; what is left out is as it was recorded, or the default. */
  readonly limits?: Partial<Limits>;
}

/** This is an action with another result than before. */
export interface Turnaround {
  /** This is the version of the event as it was recorded. */
  readonly version: Version;
  /** The event happened in this turn. */
  readonly turn: number;
  /** This is the ISO time of the event. */
  readonly at: string;
  /** This actor asked for the action. */
  readonly actor: string;
  /** This is the name of the action. */
  readonly action: string;
  /** This is what became of it: `cut` is accepted, with something taken away. */
  readonly was: Verdict;
  /** This is what would become of it now. */
  readonly now: Verdict;
  /** This is what the actor would have been told. */
  readonly message: string;
}

/** This says what became of an action. */
export type Verdict = "accepted" | "cut" | "refused";

/** This is the result of {@link replay}. */
export interface Replay {
  /** This is what the history would have come to. */
  readonly state: ScratchpadState;
  /** This is how many actions were decided again. Values of other runtimes, turns and what was brought along stay as they were. */
  readonly decided: number;
  /** The differences come in the order of the history. */
  readonly differences: readonly Turnaround[];
}

/**
 * Decides every action of a history once more, without some events or under other budgets, and answers what came out otherwise.
 *
 * @param events A history from its start, as `journal.history()` gives it.
 * @param options The events that are left out, and the budgets.
 * @throws TypeError for a budget that does not exist.
 * @example
 * const events = [];
 * for await (const event of journal.history()) events.push(event);
 * replay(events, { limits: { plan: 10 } }).differences;
 */
export function replay(events: Iterable<RecordedEvent>, options: ReplayOptions = {}): Replay {
  const replaying = new Replaying(options);
  const differences: Turnaround[] = [];
  for (const recorded of events) differences.push(...replaying.take(recorded));
  const { state, decided } = replaying;
  return { state, decided, differences };
}

/**
 * This replays a history event by event. `restored` has the versions that restores of the history return to, if they are known:
 * then no other states are kept.
 */
export class Replaying {
  state = initialState;
  /** This is the count of `Replay.decided`. */
  decided = 0;
  readonly #limits: Partial<Limits>;
  readonly #skipped: ReadonlySet<Version>;
  readonly #restored: ReadonlySet<Version> | undefined;
  readonly #states = new Map<Version, ScratchpadState>([[0, initialState]]);

  constructor(options: ReplayOptions = {}, restored?: ReadonlySet<Version>) {
    requireOptions(options, "skip", "limits");
    parseLimits(options.limits);
    this.#limits = Object.fromEntries(Object.entries(options.limits ?? {}).filter(([, limit]) => limit !== undefined));
    this.#skipped = new Set(options.skip);
    this.#restored = restored;
  }

  /** Answers the event's action, where it comes to something else. */
  take(recorded: RecordedEvent): Turnaround[] {
    const differences = this.#skipped.has(recorded.version) ? [] : this.#decide(recorded);
    if (this.#restored?.has(recorded.version) !== false) this.#states.set(recorded.version, this.state);
    return differences;
  }

  #decide(recorded: RecordedEvent): Turnaround[] {
    const { version, turn, at, actor, event, origin } = recorded;
    const action = origin === "journal" ? actionOf(event, at) : undefined;
    if (action === undefined) {
      this.state = evolve(this.state, event);
      return [];
    }
    this.decided += 1;
    const stateAt = (to: Version) => this.#states.get(to);
    const limits = { ...limitsWhen(recorded), ...this.#limits };
    const context = { limits, actor, at, version: version - 1, stateAt };
    const { answer, events: made, state } = reduce(this.state, action, context);
    this.state = state;
    const [was, now] = [verdictOf([event]), verdictOf(made)];
    return was === now ? [] : [{ version, turn, at, actor, action: action.action, was, now, message: answer.message }];
  }
}

function verdictOf([event]: readonly RecordedEvent["event"][]): Verdict {
  if (event === undefined || event.type === "action.refused") return "refused";
  const isCut =
    ("dropped" in event && event.dropped !== undefined) || ("evicted" in event && event.evicted !== undefined);
  return isCut ? "cut" : "accepted";
}
