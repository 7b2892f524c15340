/** Looking back: states and differences at any points of the history. */
import { isDeepStrictEqual } from "node:util";
import { restoredBy } from "../action/replay.ts";
import { diffStates, type StateDiff } from "../audit/diff.ts";
import { type HistoryEnd, type HistoryPlace, type Point, soughtPoint } from "../audit/points.ts";
import { PointError } from "../errors.ts";
import type { RecordedEvent, RecordedLimits, Version } from "../event/event.ts";
import { requireOptions } from "../options.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { parseVersion } from "./options.ts";
import type { View } from "./projection.ts";

/** The state at a point. `at` is absent at version 0. */
export interface Moment extends HistoryPlace {
  readonly state: ScratchpadState;
  /** The budgets that its newest event was decided under, where they were not the defaults and were recorded. */
  readonly limits?: RecordedLimits;
}

/** What changed between two points. */
export interface Diff extends StateDiff {
  readonly from: Version;
  readonly to: Version;
  /** The events after the earlier of the two, up to the later. */
  readonly events: readonly RecordedEvent[];
}

export interface HistoryOptions {
  /** The events after this version. The default is 0. */
  readonly from?: Version;
  /** The events up to this version, and its own. The default is the newest. */
  readonly to?: Version;
}

/** Everything up to now, to be gone through event by event as often as it takes: it may be too much to hold. */
export interface Past extends HistoryEnd {
  read(): AsyncIterable<RecordedEvent>;
  /** Throws PointError. */
  moment(point: Point): Promise<Moment>;
  /** As {@link restoredFirst}. */
  restoredFirst(point: Point, command: string): Promise<Moment | undefined>;
}

export function pastIn(store: JournalStore, view: View): Past {
  const { version, turn } = view;
  const read = (): AsyncIterable<RecordedEvent> => pastOf(store, view);
  return {
    version,
    turn,
    read,
    moment: async (point) => (await momentsAt([point], store, view))[0] as Moment,
    restoredFirst: async (point, command) =>
      store.knows(command) ? restoredFirst(point, command, read, { version, turn }) : undefined,
  };
}

/** The history up to what `view` shows, event by event. */
export async function* pastOf(store: JournalStore, view: View): AsyncGenerator<RecordedEvent, undefined> {
  for await (const recorded of store.read(0)) {
    if (recorded.version > view.version) return;
    yield recorded;
  }
}

/** After which version the events begin that are left, where what they add up to is not the state. */
function beginningOf(first: RecordedEvent | undefined, state: ScratchpadState, view: View): Version | undefined {
  const beginsAfter = (first?.version ?? 1) - 1;
  return beginsAfter === 0 || isDeepStrictEqual(plain(state), plain(view.state)) ? undefined : beginsAfter;
}

function plain(state: ScratchpadState): unknown {
  return JSON.parse(JSON.stringify(state));
}

/** Folding what is left would give states that never were. */
function requireBeginning(beginsAfter: Version | undefined): void {
  if (beginsAfter === undefined) return;
  throw new PointError(
    `the events up to version ${beginsAfter} are not in the stream any more: of earlier states only "head" is known`,
  );
}

/** The newest moment needs no history: a snapshot has it. */
export function headMoment({ version, turn, at, state, limits }: View): Moment {
  return { version, turn, ...(at === undefined ? {} : { at }), state, ...limitsOf({ limits }) };
}

/** The moments at these points, from one reading of the history, of which `see` is told each event. Throws PointError. */
export async function momentsAt(
  points: readonly Point[],
  store: JournalStore,
  view: View,
  see?: (recorded: RecordedEvent) => void,
): Promise<Moment[]> {
  const { moments, first, state } = await momentsIn(points, pastOf(store, view), view, see);
  requireBeginning(beginningOf(first, state, view));
  return moments();
}

interface MomentsIn {
  /** Throws PointError. */
  readonly moments: () => Moment[];
  readonly first: RecordedEvent | undefined;
  /** What all events add up to. */
  readonly state: ScratchpadState;
}

async function momentsIn(
  points: readonly Point[],
  history: AsyncIterable<RecordedEvent>,
  end: HistoryEnd,
  see?: (recorded: RecordedEvent) => void,
): Promise<MomentsIn> {
  const sought = points.map((point) => soughtPoint(point, end));
  const found = sought.map((): { last?: RecordedEvent; state: ScratchpadState } => ({ state: initialState }));
  let first: RecordedEvent | undefined;
  let state = initialState;
  for await (const recorded of history) {
    first ??= recorded;
    see?.(recorded);
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

function limitsOf(recorded: { readonly limits?: RecordedLimits | undefined } | undefined): Pick<Moment, "limits"> {
  return recorded?.limits === undefined ? {} : { limits: recorded.limits };
}

/** Two points of the history, and what the journal was there. */
export interface HistorySpan {
  readonly from: Moment;
  readonly to: Moment;
  /** Where the texts of the events between came from, where their hosts said so. */
  readonly sources: readonly SourceInSpan[];
  /** Those between, where they are at hand. */
  readonly events?: readonly RecordedEvent[];
}

/** The events of one source. */
export interface SourceInSpan {
  readonly source: string;
  readonly versions: readonly Version[];
}

/**
 * From the end of the turn before that of `to` where `from` is undefined; to the newest where `to` is. A turn alone is that
 * turn.
 */
export async function spanBetween(
  from: Point | undefined,
  to: Point | undefined,
  store: JournalStore,
  view: View,
): Promise<HistorySpan> {
  if (to === undefined && turnIn(from) !== undefined) return spanBetween(undefined, from, store, view);
  const isNewest = from === undefined && (to === undefined || to === "head" || turnIn(to) === view.turn);
  const newest = isNewest ? newestSpan(store, view) : undefined;
  if (newest !== undefined) return newest;
  const turnOf = async (point: Point): Promise<number> =>
    turnIn(point) ?? (await momentsAt([point], store, view))[0]?.turn ?? 0;
  const start = from ?? turnBefore(to === undefined || to === "head" ? view.turn : await turnOf(to));
  const versionsOf = new Map<string, Version[]>();
  const [first, last] = await momentsAt([start, to ?? "head"], store, view, ({ source, version }) => {
    if (source === undefined) return;
    const versions = versionsOf.get(source);
    if (versions === undefined) versionsOf.set(source, [version]);
    else versions.push(version);
  });
  const [begin, end] = [first as Moment, last as Moment];
  return { from: begin, to: end, sources: sourcesBetween(begin.version, end.version, versionsOf) };
}

/** The newest turn, without reading. Undefined where it is not at hand, or another handle of the store has read on. */
function newestSpan({ newestTurn }: JournalStore, view: View): HistorySpan | undefined {
  const last = newestTurn?.events.at(-1);
  if (newestTurn === undefined || last?.version !== view.version) return undefined;
  const to = headMoment(view);
  // The host has begun another one since.
  const isOver = newestTurn.turn < view.turn;
  const { version, at, limits, state } = isOver ? { ...last, state: view.state } : newestTurn.start;
  const place = { version, turn: Math.max(0, view.turn - 1), ...(at === undefined ? {} : { at }) };
  const from = { ...place, state, ...limitsOf({ limits }) };
  const events = isOver ? [] : newestTurn.events;
  const versionsOf = new Map<string, Version[]>();
  for (const { source, version: at } of events) {
    if (source !== undefined) versionsOf.set(source, [...(versionsOf.get(source) ?? []), at]);
  }
  return { from, to, sources: sourcesBetween(from.version, to.version, versionsOf), events };
}

function sourcesBetween(
  from: Version,
  to: Version,
  versionsOf: ReadonlyMap<string, readonly Version[]>,
): readonly SourceInSpan[] {
  const [after, upTo] = [Math.min(from, to), Math.max(from, to)];
  const within = [...versionsOf].map(([source, versions]) => {
    return { source, versions: versions.filter((version) => version > after && version <= upTo) };
  });
  return within.filter(({ versions }) => versions.length > 0);
}

function turnIn(point: Point | undefined): number | undefined {
  const turn = typeof point === "string" ? /^t(\d{1,16})$/.exec(point)?.[1] : undefined;
  return turn === undefined ? undefined : Number(turn);
}

function turnBefore(turn: number): Point {
  return turn === 0 ? 0 : `t${turn - 1}`;
}

/** What changed, without the events between. */
export function changeIn({ from, to }: HistorySpan): StateDiff {
  return diffStates(from.state, to.state, { before: `v${from.version}`, after: `v${to.version}` });
}

/**
 * The moment that a repeated command restored the first time, if the point led there then: "head" leads elsewhere now.
 * Undefined: no such command, or another point.
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

/** Throws a TypeError that names the option. */
export function parseHistoryOptions(options: HistoryOptions = {}): Required<HistoryOptions> {
  requireOptions(options, "from", "to");
  const { from = 0, to } = options;
  return { from: parseVersion("from", from), to: to === undefined ? Number.MAX_SAFE_INTEGER : parseVersion("to", to) };
}
