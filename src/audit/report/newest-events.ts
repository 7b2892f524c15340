/** The newest events of a history in full, and one that stands for all before them: no page shows a million. */
import type { RecordedEvent } from "../../event/event.ts";
import { evolve } from "../../state/evolve.ts";
import { freezeState } from "../../state/image.ts";
import { initialState, type ScratchpadState } from "../../state/state.ts";
import { longTextUnits } from "../long-text-units.ts";
import { withoutLongTexts } from "../long-texts.ts";
import { Newest } from "../newest.ts";

/** If nobody asks for more, a report has at most so many events, and so many UTF-16 code units of their texts together. */
const reportEventsUsual = 20_000;
const reportUnitsUsual = 6 << 20;

export interface NewestEvents {
  /** Where some were left out, the first is a restore of what they add up to, by the actor `earlier events`. */
  readonly events: readonly RecordedEvent[];
  /** So many events stand behind that first one. It is 0 for a whole history. */
  readonly leftOut: number;
  /** How many events have a text that was too long, and something that stands for it. */
  readonly shortened: number;
  /** The history has so many events. */
  readonly all: number;
}

/** `eventsMax`: absent, as many as are usual. */
export async function newestEvents(history: AsyncIterable<RecordedEvent>, eventsMax?: number): Promise<NewestEvents> {
  const held = new HeldEvents(eventsMax);
  for await (const recorded of history) held.add(recorded);
  return held.newest;
}

/** The history goes on, and its newest events are held. */
export class HeldEvents {
  readonly #newest: Newest<RecordedEvent>;
  #before = initialState;
  #last: RecordedEvent | undefined;
  #all = 0;
  #shortened = 0;

  constructor(eventsMax?: number) {
    const unitsMax = eventsMax === undefined ? reportUnitsUsual : Number.POSITIVE_INFINITY;
    this.#newest = new Newest<RecordedEvent>(eventsMax ?? reportEventsUsual, unitsMax);
  }

  get all(): number {
    return this.#all;
  }

  get newest(): NewestEvents {
    const { items, leftOut } = this.#newest;
    const events = this.#last === undefined ? items : [standIn(this.#last, this.#before), ...items];
    return { events, leftOut, shortened: this.#shortened, all: this.#all };
  }

  add(recorded: RecordedEvent): void {
    this.#all += 1;
    const units = unitsOf(recorded.event);
    const shown = units > longTextUnits ? withoutLongTexts(recorded) : recorded;
    if (shown !== recorded) this.#shortened += 1;
    for (const gone of this.#newest.add(shown, shown === recorded ? units : unitsOf(shown.event))) {
      this.#before = evolve(this.#before, gone.event);
      this.#last = gone;
    }
  }

  /** What follows the first `count` events of the history; undefined where some of that is not held any more. */
  after(count: number): RecordedEvent[] | undefined {
    const { leftOut } = this.#newest;
    return count < leftOut ? undefined : this.#newest.from(count - leftOut);
  }
}

/** The newest `eventsMax` of the events that follow the initial state, and what stands for those before them. */
export function endOfEvents(events: readonly RecordedEvent[], eventsMax: number): readonly RecordedEvent[] {
  const from = Math.max(events.length - eventsMax, 0);
  const last = events[from - 1];
  if (last === undefined) return events;
  const before = events.slice(0, from).reduce((state, { event }) => evolve(state, event), initialState);
  return [standIn(last, before), ...events.slice(from)];
}

/** Stands for all events up to `last`, which add up to `state`. */
function standIn(last: RecordedEvent, state: ScratchpadState): RecordedEvent {
  const { commit: _, command: __, entryId: ___, ...place } = last;
  const event = { type: "state.restored", to: last.version, state: freezeState(state) } as const;
  return { ...place, event, actor: "earlier events", origin: "journal" };
}

/**
 * The result has a sentence for each thing besides events that is not as it stands in the record. `markers` counts what the host did: how
 * much of it is shown, and all of it.
 */
export function omissions(
  { shortened }: NewestEvents,
  markers: { readonly shown: number; readonly all: number } = { shown: 0, all: 0 },
): string[] {
  const count = (number: number): string => number.toLocaleString("en");
  const isOne = shortened === 1;
  return [
    ...(markers.shown === markers.all
      ? []
      : [
          `The newest ${count(markers.shown)} of ${count(markers.all)} things that the host did are shown; session-journal log lists all.`,
        ]),
    ...(shortened === 0
      ? []
      : [
          `${count(shortened)} ${isOne ? "event has" : "events have"} a text of more than ${count(longTextUnits)} characters: its length, its SHA-256 and its place stand for it.`,
        ]),
  ];
}

function unitsOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, item) => sum + unitsOf(item), 0);
}
