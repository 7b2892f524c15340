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

class Watch {
  readonly #all: Watched[] = [];
  readonly #byKey = new Map<string, Watched>();
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
    const keys = steps.map((step) => this.#keyOf(step));
    const known = new Set(keys.map((key) => this.#byKey.get(key)));
    const left = new Set([...this.#listed].filter((watched) => !known.has(watched)));
    const listed = new Set<Watched>();
    for (const [index, step] of steps.entries()) {
      const key = keys[index] ?? "";
      const watched = this.#byKey.get(key) ?? this.#takeReworded(left, step) ?? this.#begun(step);
      // A step that is listed twice is told once.
      if (listed.has(watched)) continue;
      this.#byKey.set(key, watched);
      watched.step = step;
      note(watched, step.status, recorded, position);
      listed.add(watched);
    }
    for (const watched of left) note(watched, "gone", recorded, position);
    this.#listed = listed;
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
      const watched = this.#byKey.get(this.#keyOf({ id, text: "" }));
      this.#shared.add(id);
      if (watched !== undefined) this.#byKey.set(this.#keyOf(watched.step), watched);
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
