/** What the parts of the page share: the history, and the place in it that is looked at. */
import type { RecordedEvent, Version } from "../../../event/event.ts";
import { type Loss, lost } from "../../lost.ts";
import { unpackHistory } from "../pack.ts";
import type { ReportData } from "../render.ts";
import { createTravel, type Travel } from "../travel.ts";
import { type Usage, usageOver } from "../usage.ts";

export interface Model {
  readonly data: ReportData;
  readonly events: readonly RecordedEvent[];
  readonly losses: readonly Loss[];
  /** By position: one more than there are events. */
  readonly usages: readonly Usage[];
  readonly travel: Travel;
  /** The events of the turn that the event at a position belongs to begin after this position. */
  readonly turnStart: (position: number) => number;
  readonly positionOf: (version: Version) => number;
  /** How many events have happened where the reader stands; the initial state is 0. */
  readonly position: () => number;
  readonly go: (position: number) => void;
  readonly onMove: (moved: () => void) => void;
}

export function createModel(data: ReportData): Model {
  const events = unpackHistory(data.history);
  const listeners: (() => void)[] = [];
  let here = events.length;
  const go = (position: number): void => {
    const next = Math.min(Math.max(Math.round(position), 0), events.length);
    if (next === here) return;
    here = next;
    for (const moved of listeners) moved();
  };
  const positionOf = (version: Version): number => {
    let low = 0;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((events[middle]?.version ?? 0) <= version) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    data,
    events,
    losses: lost(events),
    usages: usageOver(events),
    travel: createTravel(events),
    turnStart: turnStarts(events),
    positionOf,
    position: () => here,
    go,
    onMove: (moved) => listeners.push(moved),
  };
}

function turnStarts(events: readonly RecordedEvent[]): (position: number) => number {
  const starts = new Uint32Array(events.length + 1);
  for (let position = 1; position <= events.length; position++) {
    const sameTurn = events[position - 1]?.turn === events[position - 2]?.turn;
    starts[position] = sameTurn ? (starts[position - 1] ?? 0) : position - 1;
  }
  return (position) => starts[position] ?? 0;
}

/** Somebody wrote it past the journal; in the session of another client, past the client. */
export function isFromOutside({ data }: Model, { origin, actor }: RecordedEvent): boolean {
  return data.client === undefined ? origin !== "journal" : actor === "elsewhere";
}

/** The event that led to a position; none led to the initial state. */
export function eventAt(model: Model, position: number): RecordedEvent | undefined {
  return model.events[position - 1];
}

/** As an auditor writes a time: UTC, to the second. */
export function timeText(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? at : `${date.toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
