/** What became of each step of the plan: when it was listed, begun, finished, or left out of the plan. */

import type { RecordedEvent } from "../event/event.ts";
import { typeOf } from "../event/types.ts";
import { given } from "../options.ts";
import { evolve } from "../state/evolve.ts";
import { initialState } from "../state/state.ts";
import { isReworded, ownIds } from "./lost-steps.ts";
import { type PlanStep, planSteps, type StepStatus } from "./steps.ts";

/** This is a step from one event on. `gone` means that the plan does not list it any more. */
export interface StepChange {
  readonly status: StepStatus | "gone";
  /** This event wrote the plan. */
  readonly recorded: RecordedEvent;
  /** So many events had happened then, with that one. */
  readonly position: number;
}

export interface StepHistory {
  /** The text is as the plan listed it last. */
  readonly text: string;
  readonly id?: string;
  /** The changes are in order, and each has another status than the one before it. The list is never empty. */
  readonly changes: readonly StepChange[];
}

/** The result is in the order in which the steps were first listed. `events` start at the initial state. */
export function stepsOverTime(events: Iterable<RecordedEvent>): StepHistory[] {
  const reader = new StepReader();
  reader.read(events);
  return reader.histories;
}

/** This reads the steps of a history that goes on. */
export class StepReader {
  readonly #watch = new Watch();
  #state = initialState;
  #position = 0;

  /** The position is how many events were read. */
  get position(): number {
    return this.#position;
  }

  get histories(): StepHistory[] {
    return this.#watch.histories;
  }

  /** The events follow those that were read. */
  read(events: Iterable<RecordedEvent>): void {
    for (const recorded of events) {
      this.#position += 1;
      const { space } = typeOf(recorded.event);
      // It leaves the plan alone.
      if (space !== null && space !== "plan") continue;
      const before = this.#state.plan;
      this.#state = evolve(this.#state, recorded.event);
      if (this.#state.plan !== before) this.#watch.take(planSteps(this.#state.plan), recorded, this.#position);
    }
  }
}

interface Watched {
  step: PlanStep;
  readonly changes: StepChange[];
}

/** Where a plan loses more steps at once, it is another plan: nobody looks for their other words. */
const rewordedMax = 50;

/** Steps with one text wait here for those of the next plan, in order. If the next plan has fewer of them, those are gone whose status no step has there. */
class Alike {
  readonly #steps: readonly Watched[];
  #spare: number;
  #at = 0;

  constructor(all: readonly Watched[], listed: ReadonlySet<Watched>, count: number) {
    const before = all.filter((watched) => listed.has(watched));
    this.#steps = [...before, ...all.filter((watched) => !listed.has(watched))];
    this.#spare = Math.max(0, before.length - count);
  }

  next(status: StepStatus | undefined): Watched | undefined {
    const steps = this.#steps.slice(this.#at, this.#at + this.#spare + 1);
    const isDone = (watched: Watched) => watched.step.status === "completed";
    const same = steps.findIndex(({ step }) => step.status === status);
    const alike = same === -1 ? steps.findIndex((watched) => isDone(watched) === (status === "completed")) : same;
    const skipped = Math.max(0, alike);
    this.#at += skipped + 1;
    this.#spare -= skipped;
    return steps[skipped];
  }
}

class Watch {
  readonly #all: Watched[] = [];
  /** It has those that had such a text, or such an id. There are several if a plan listed it several times. */
  readonly #byKey = new Map<string, Set<Watched>>();
  /** Several steps of one plan had such an id: it may be the number of what they all are about, and is none. */
  readonly #shared = new Set<string>();
  /** The plan lists these steps. */
  #listed: ReadonlySet<Watched> = new Set();

  get histories(): StepHistory[] {
    return this.#all.map(({ step: { text, id }, changes }) => {
      return { text, changes, ...given({ id }) };
    });
  }

  take(steps: readonly PlanStep[], recorded: RecordedEvent, position: number): void {
    this.#noteShared(steps);
    const known = this.#knownOf(steps);
    const left = new Set(this.#listed);
    for (const watched of known) if (watched !== undefined) left.delete(watched);
    const listed = new Set<Watched>();
    for (const [index, step] of steps.entries()) {
      const watched = known[index] ?? this.#takeReworded(left, step) ?? this.#begun(step);
      this.#name(watched, this.#keyOf(step));
      watched.step = step;
      note(watched, step.status, recorded, position);
      listed.add(watched);
    }
    for (const watched of left) note(watched, "gone", recorded, position);
    this.#listed = listed;
  }

  /** The result says of each step which one it was before, if there was one with its id or its text. */
  #knownOf(steps: readonly PlanStep[]): (Watched | undefined)[] {
    const places = new Map<string, number[]>();
    for (const [index, step] of steps.entries()) {
      const key = this.#keyOf(step);
      const alike = places.get(key);
      if (alike === undefined) places.set(key, [index]);
      else alike.push(index);
    }
    const known: (Watched | undefined)[] = steps.map(() => undefined);
    const taken = new Set<Watched>();
    for (const [key, alike] of places) {
      const isFree = (watched: Watched) => {
        const own = this.#keyOf(watched.step);
        return !taken.has(watched) && (own === key || !places.has(own));
      };
      const before = new Alike([...(this.#byKey.get(key) ?? [])].filter(isFree), this.#listed, alike.length);
      for (const place of alike) {
        const watched = before.next(steps[place]?.status);
        if (watched !== undefined) taken.add(watched);
        known[place] = watched;
      }
    }
    return known;
  }

  #name(watched: Watched, key: string): void {
    const named = this.#byKey.get(key);
    if (named === undefined) this.#byKey.set(key, new Set([watched]));
    else named.add(watched);
  }

  #begun(step: PlanStep): Watched {
    const watched = { step, changes: [] };
    this.#all.push(watched);
    return watched;
  }

  #noteShared(steps: readonly PlanStep[]): void {
    const own = ownIds(steps);
    for (const { id } of steps) {
      if (id === undefined || own.has(id) || this.#shared.has(id)) continue;
      const [watched] = this.#byKey.get(this.#keyOf({ id, text: "" })) ?? [];
      this.#shared.add(id);
      if (watched !== undefined) this.#name(watched, this.#keyOf(watched.step));
    }
  }

  #keyOf({ id, text }: Pick<PlanStep, "id" | "text">): string {
    if (!this.#hasOwnId({ id })) return id === undefined ? text : `#${id} ${text}`;
    return `#${id} `;
  }

  #hasOwnId({ id }: Pick<PlanStep, "id">): boolean {
    return id !== undefined && !this.#shared.has(id);
  }

  /** Something was added to its text, or taken off. */
  #takeReworded(left: Set<Watched>, step: PlanStep): Watched | undefined {
    if (this.#hasOwnId(step) || left.size > rewordedMax) return undefined;
    for (const watched of left) {
      if (this.#hasOwnId(watched.step) || !isReworded(watched.step.text, step.text)) continue;
      left.delete(watched);
      return watched;
    }
    return undefined;
  }
}

function note({ changes }: Watched, status: StepChange["status"], recorded: RecordedEvent, position: number): void {
  if (changes.at(-1)?.status !== status) changes.push({ status, recorded, position });
}
