/** This file looks back: it finds states at any points of the history. It is loaded where somebody looks back. */
import { isDeepStrictEqual } from "node:util";
import { restoredBy } from "../action/replay.ts";
import { type HistoryEnd, type Point, soughtPoint } from "../audit/points.ts";
import { PointError } from "../errors.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import type { RecordedHistory } from "./held-history.ts";
import { historyUpTo, limitsOf, type Moment, type ShownHistory } from "./moment.ts";
import type { View } from "./projection.ts";

export function shownHistory(store: JournalStore, view: View): ShownHistory {
  const { version, turn } = view;
  const read = (): AsyncIterable<RecordedEvent> => historyUpTo(store, view);
  return {
    version,
    turn,
    read,
    moment: async (point) => (await momentsAt([point], store, view))[0] as Moment,
    restoredFirst: async (point, command) =>
      store.knows(command) ? restoredFirst(point, command, read, { version, turn }) : undefined,
  };
}

/**
 * Throws PointError where the events before `first` are gone, because folding what is left would give states that never were. Elsewhere
 * than where old ones are dropped it may begin later, if `state`, which all of it adds up to, is what the journal shows.
 */
export async function requireBeginning(
  store: RecordedHistory,
  first: RecordedEvent | undefined,
  state: ScratchpadState,
  view: View,
): Promise<void> {
  const beginsAfter = first === undefined ? view.version : first.version - 1;
  if (beginsAfter === 0 || (!(await store.drops()) && isDeepStrictEqual(plain(state), plain(view.state)))) return;
  throw new PointError(
    `the events up to version ${beginsAfter} are not in the stream any more: of earlier states only "head" is known`,
  );
}

function plain(state: ScratchpadState): unknown {
  return JSON.parse(JSON.stringify(state));
}

/** The result has the moments at these points, from one reading of the history. A wrong point throws PointError. */
export async function momentsAt(points: readonly Point[], store: RecordedHistory, view: View): Promise<Moment[]> {
  const { moments, first, state } = await momentsIn(points, historyUpTo(store, view), view);
  await requireBeginning(store, first, state, view);
  return moments();
}

interface MomentsIn {
  /** Throws PointError. */
  readonly moments: () => Moment[];
  readonly first: RecordedEvent | undefined;
  /** This is the state that all events add up to. */
  readonly state: ScratchpadState;
}

async function momentsIn(
  points: readonly Point[],
  history: AsyncIterable<RecordedEvent>,
  end: HistoryEnd,
): Promise<MomentsIn> {
  const sought = points.map((point) => soughtPoint(point, end));
  const found = sought.map((): { last?: RecordedEvent; state: ScratchpadState } => ({ state: initialState }));
  let first: RecordedEvent | undefined;
  let state = initialState;
  for await (const recorded of history) {
    first ??= recorded;
    state = evolve(state, recorded.event);
    for (const [index, { matches }] of sought.entries())
      if (matches(recorded)) found[index] = { last: recorded, state };
  }
  const moments = (): Moment[] =>
    sought.map(({ place }, index) => {
      const { last, state: then = initialState } = found[index] ?? {};
      return { ...place(last), state: then, ...limitsOf(last) };
    });
  return { moments, first, state };
}

/**
 * A repeated command restored a moment the first time. The result is that moment, if the point led there then: the head is elsewhere now.
 * It is undefined if there is no such command, or if the point is another one.
 */
async function restoredFirst(
  point: Point,
  command: string,
  read: () => AsyncIterable<RecordedEvent>,
  end: HistoryEnd,
): Promise<Moment | undefined> {
  const first = await firstOf(command, read());
  const to = first === undefined ? undefined : restoredBy(first.event);
  if (first === undefined || to === undefined) return undefined;
  const then = { version: first.version - 1, turn: first.turn };
  try {
    const [led] = (await momentsIn([point], upTo(then.version, read()), then)).moments();
    if (led?.version !== to) return undefined;
    return (await momentsIn([to], upTo(to, read()), end)).moments()[0];
  } catch (error) {
    if (error instanceof PointError) return undefined;
    throw error;
  }
}

async function firstOf(command: string, events: AsyncIterable<RecordedEvent>): Promise<RecordedEvent | undefined> {
  for await (const recorded of events) if (recorded.command === command) return recorded;
  return undefined;
}

async function* upTo(version: Version, events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent, undefined> {
  for await (const recorded of events) {
    if (recorded.version > version) return;
    yield recorded;
  }
}
