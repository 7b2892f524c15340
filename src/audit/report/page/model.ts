/** What the parts of the page share: the history, and the place in it that is looked at. */
import type { RecordedEvent, Version } from "../../../event/event.ts";
import type { ScratchpadState } from "../../../state/state.ts";
import { type Loss, lossesAt } from "../../lost.ts";
import { LossReader } from "../loss-reader.ts";
import { unpackHistory } from "../pack.ts";
import type { ReportData } from "../render.ts";
import { type Usage, UsageOver } from "../space-use.ts";
import { createTravel, positionOf, type Travel } from "../travel.ts";

/** What a report says besides its events. */
export type About = Omit<ReportData, "history" | "generatedAt">;

export interface Model {
  readonly data: About & Pick<ReportData, "generatedAt">;
  readonly events: readonly RecordedEvent[];
  /** Undefined while a long history is still read for them. */
  readonly losses: readonly Loss[] | undefined;
  /** What the event that led to a position took away. */
  readonly lossesAt: (position: number) => readonly Loss[];
  /** Parts that tell of the whole history may wait until the page has been drawn. */
  readonly isLong: boolean;
  /** By position: one more than there are events. */
  readonly usages: readonly Usage[];
  readonly states: readonly ScratchpadState[];
  readonly travel: Travel;
  /** The events of the turn that the event at a position belongs to begin after this position. */
  readonly turnStart: (position: number) => number;
  readonly positionOf: (version: Version) => number;
  /** How many events have happened where the reader stands; the initial state is 0. */
  readonly position: () => number;
  readonly go: (position: number) => void;
  readonly onMove: (moved: () => void, until?: AbortSignal) => void;
  /** Called when there are more events, or something else is known about them. */
  readonly onGrow: (grown: () => void) => void;
  /** Aborted when the part that was given this model is not shown any more. */
  readonly signal: AbortSignal;
}

/** A model whose history goes on. */
export interface LiveModel extends Model {
  /** Who stands at the end goes along. */
  readonly grow: (events: readonly RecordedEvent[]) => void;
  readonly tell: (about: About) => void;
}

export function createModel(first: ReportData, signal: AbortSignal): LiveModel {
  const { history, ...rest } = first;
  let data: Model["data"] = rest;
  const events = unpackHistory(history);
  const travel = createTravel(events);
  const isLong = events.length > shortEventsMax;
  const usage = new UsageOver();
  usage.grow(events);
  const moves = new Set<() => void>();
  const growths = new Set<() => void>();
  const grown = (): void => {
    for (const heard of growths) heard();
  };
  const losses = lossesOf(events, travel, signal, grown);
  let here = events.length;
  const go = (position: number): void => {
    const next = Math.min(Math.max(Math.round(position), 0), events.length);
    if (next === here) return;
    here = next;
    for (const moved of moves) moved();
  };
  return {
    get data() {
      return data;
    },
    events,
    get losses() {
      return losses();
    },
    lossesAt: (position) => {
      const recorded = events[position - 1];
      if (recorded === undefined) return [];
      return lossesAt({ recorded, before: travel(position - 1), after: travel(position) });
    },
    isLong,
    usages: usage.all,
    states: usage.states,
    travel,
    turnStart: (position) => turnStart(events, position),
    positionOf: (version) => positionOf(events, version),
    position: () => here,
    go,
    onMove: (moved, until) => {
      moves.add(moved);
      until?.addEventListener("abort", () => moves.delete(moved), { once: true });
    },
    onGrow: (heard) => growths.add(heard),
    signal,
    grow: (more) => {
      const follows = here === events.length;
      for (const recorded of more) events.push(recorded);
      usage.grow(more);
      grown();
      if (follows) go(events.length);
    },
    tell: (about) => {
      const { generatedAt } = data;
      data = { ...about, generatedAt };
      grown();
    },
  };
}

/** A longer history is read for its losses after the page has been drawn, and the page stands still no longer than this. */
const shortEventsMax = 2_000;
const readMs = 10;
const readEventsMax = 25;
const drawnMs = 50;

/** Answers them, from when they have been read on. `read` is called then, where that was not at once. */
function lossesOf(
  events: readonly RecordedEvent[],
  travel: Travel,
  signal: AbortSignal,
  read: () => void,
): () => readonly Loss[] | undefined {
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
