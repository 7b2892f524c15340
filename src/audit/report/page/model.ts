/** What the parts of the page share: the history, and the place in it that is looked at. */
import type { RecordedEvent, Version } from "../../../event/event.ts";
import type { ScratchpadState } from "../../../state/state.ts";
import { type Loss, lossesAt } from "../../lost.ts";
import { LossReader } from "../loss-reader.ts";
import { unpackHistory } from "../pack.ts";
import type { ReportData, ReportMark } from "../render.ts";
import { type SpaceUse, SpaceUseOver } from "../space-use.ts";
import { createTravel, positionOf, type Travel } from "../travel.ts";

/** A report says this besides its events. */
export type About = Omit<ReportData, "history" | "generatedAt">;

/** The host did this behind the first `position` events. */
export interface Mark extends ReportMark {
  readonly position: number;
}

export interface Model {
  readonly data: About & Pick<ReportData, "generatedAt">;
  readonly marks: readonly Mark[];
  /** Another array once the earlier events are there. */
  readonly events: readonly RecordedEvent[];
  /** How many events the first of `events` stands for, because they have not been told yet. */
  readonly awaited: number;
  /** `all` is how many events the history has, `shown` how many of them are shown or still to come. */
  readonly count: { readonly all: number; readonly shown: number };
  /** This is undefined while a long history is still read for them. */
  readonly losses: readonly Loss[] | undefined;
  /** What the event that led to a position took away. */
  readonly lossesAt: (position: number) => readonly Loss[];
  /** Parts that tell of the whole history may wait until the page has been drawn. */
  readonly isLong: boolean;
  /** By position: one more than there are events. */
  readonly spaceUses: readonly SpaceUse[];
  readonly states: readonly ScratchpadState[];
  readonly travel: Travel;
  /** The result is the position behind which the events of the same turn begin. */
  readonly turnStart: (position: number) => number;
  readonly positionOf: (version: Version) => number;
  /** How many events have happened where the reader stands; the initial state is 0. */
  readonly position: () => number;
  readonly go: (position: number) => void;
  readonly onMove: (moved: () => void, until?: AbortSignal) => void;
  /** `grown` is called when there are more events, or when something else is known about them. */
  readonly onGrow: (grown: () => void) => void;
  /** The signal aborts when the part that was given this model is not shown any more. */
  readonly signal: AbortSignal;
}

/** The history of this model goes on. */
export interface LiveModel extends Model {
  /** The page goes along with what is added if its reader stands at the end. */
  readonly grow: (events: readonly RecordedEvent[]) => void;
  readonly addEarlier: (events: readonly RecordedEvent[], isLast: boolean) => void;
  readonly tell: (about: About) => void;
}

export function createModel(first: ReportData, signal: AbortSignal): LiveModel {
  const { history, awaited = 0, leftOut = 0, ...rest } = first;
  let data: Model["data"] = rest;
  const moves = new Set<() => void>();
  const growths = new Set<() => void>();
  const tell = (heard: ReadonlySet<() => void>): void => {
    for (const each of heard) each();
  };
  let past = new Past();
  past.add(unpackHistory(history));
  let marks = placed(first.marks, past);
  let earlier: Past | undefined = awaited === 0 ? undefined : new Past();
  const readLosses = (): (() => readonly Loss[] | undefined) =>
    earlier === undefined ? lossesOf(past, signal, () => tell(growths)) : () => undefined;
  let losses = readLosses();
  let here = past.events.length;
  const go = (position: number): void => {
    const next = Math.min(Math.max(Math.round(position), 0), past.events.length);
    if (next === here) return;
    here = next;
    tell(moves);
  };
  const addEarlier = (events: readonly RecordedEvent[], isLast: boolean): void => {
    earlier?.add(events);
    if (earlier === undefined || !isLast) return;
    const version = past.events[here - 1]?.version ?? 0;
    // The first one stood for those that are there now.
    earlier.add(past.events.slice(1));
    [past, earlier] = [earlier, undefined];
    here = positionOf(past.events, version);
    marks = placed(data.marks, past);
    losses = readLosses();
    tell(growths);
    tell(moves);
  };
  return {
    get data() {
      return data;
    },
    get marks() {
      return marks;
    },
    get events() {
      return past.events;
    },
    get awaited() {
      return earlier === undefined ? 0 : awaited;
    },
    get count() {
      const held = past.events.length + (earlier === undefined ? 0 : awaited - 1);
      // What stands for others is no event of the history.
      const shown = leftOut === 0 ? held : held - 1;
      return { shown, all: shown + leftOut };
    },
    get losses() {
      return losses();
    },
    lossesAt: (position) => {
      const recorded = past.events[position - 1];
      if (recorded === undefined) return [];
      return lossesAt({ recorded, before: past.travel(position - 1), after: past.travel(position) });
    },
    isLong: awaited + past.events.length > shortEventsMax,
    get spaceUses() {
      return past.spaceUses.all;
    },
    get states() {
      return past.spaceUses.states;
    },
    travel: (position) => past.travel(position),
    turnStart: (position) => turnStart(past.events, position),
    positionOf: (version) => positionOf(past.events, version),
    position: () => here,
    go,
    onMove: (moved, until) => {
      moves.add(moved);
      until?.addEventListener("abort", () => moves.delete(moved), { once: true });
    },
    onGrow: (heard) => growths.add(heard),
    signal,
    grow: (more) => {
      const follows = here === past.events.length;
      past.add(more);
      tell(growths);
      if (follows) go(past.events.length);
    },
    addEarlier,
    tell: (about) => {
      const { generatedAt } = data;
      data = { ...about, generatedAt };
      marks = placed(data.marks, past);
      tell(growths);
    },
  };
}

/** Events, and what is worked out of them as they come. */
class Past {
  readonly events: RecordedEvent[] = [];
  readonly travel = createTravel(this.events);
  readonly spaceUses = new SpaceUseOver();

  add(events: readonly RecordedEvent[]): void {
    for (const recorded of events) this.events.push(recorded);
    this.spaceUses.grow(events);
    this.travel(this.events.length);
  }
}

function placed(marks: readonly ReportMark[], { events }: Past): Mark[] {
  return marks.map((mark) => ({ ...mark, position: positionOf(events, mark.version) }));
}

/** A longer history is read for its losses after the page has been drawn, and the page stands still no longer than this. */
const shortEventsMax = 2_000;
const readMs = 10;
const readEventsMax = 25;
const drawnMs = 50;

/** Answers them, from when they have been read on. `read` is called then, where that was not at once. */
function lossesOf({ events, travel }: Past, signal: AbortSignal, read: () => void): () => readonly Loss[] | undefined {
  const reader = new LossReader(events, travel);
  let known: { readonly count: number; readonly losses: readonly Loss[] } | undefined;
  const all = (): readonly Loss[] => {
    reader.read(Number.POSITIVE_INFINITY);
    if (known?.count !== events.length) known = { count: events.length, losses: reader.losses };
    return known.losses;
  };
  let isRead = events.length <= shortEventsMax;
  const readOn = (): void => {
    if (signal.aborted) return;
    const beganMs = performance.now();
    while (!isRead && performance.now() - beganMs < readMs) isRead = reader.read(readEventsMax);
    if (isRead) read();
    else setTimeout(readOn);
  };
  if (!isRead) setTimeout(readOn, drawnMs);
  return () => (isRead ? all() : undefined);
}

/** The same for a part that is made anew now and then: what it hears and waits for ends with `signal`. */
export function scoped(model: Model, ended: AbortSignal): Model {
  const signal = AbortSignal.any([model.signal, ended]);
  const own = { onMove: (moved: () => void) => model.onMove(moved, signal), signal };
  return Object.assign(Object.create(model) as Model, own);
}

function turnStart(events: readonly RecordedEvent[], position: number): number {
  let start = position - 1;
  while (start > 0 && events[start - 1]?.turn === events[position - 1]?.turn) start--;
  return Math.max(start, 0);
}

/** Somebody wrote it past the journal; in the session of another client, past the client. */
export function isFromOutside({ data }: Model, { origin, actor }: RecordedEvent): boolean {
  return data.client === undefined ? origin !== "journal" : actor === "elsewhere";
}

/** The result is the event that led to a position; no event led to the initial state. */
export function eventAt(model: Model, position: number): RecordedEvent | undefined {
  return model.events[position - 1];
}

/** The time is written as auditors write it: in UTC, to the second. */
export function timeText(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
