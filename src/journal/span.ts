/** This file reads what was between two points of the history, in one reading of it. */

import { diffStates, type StateDiff } from "../audit/diff.ts";
import { type Point, type SoughtPoint, soughtPoint } from "../audit/points.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { given } from "../options.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import type { RecordedHistory } from "./held-history.ts";
import { headMoment, historyUpTo, limitsOf, type Moment } from "./moment.ts";
import { requireBeginning } from "./moments.ts";
import type { View } from "./projection.ts";

/** This is what changed between two points. */
export interface Diff extends StateDiff {
  /** The diff begins with the state at this version. */
  readonly from: Version;
  /** It ends with the state at this version, which may be the earlier one. */
  readonly to: Version;
  /** These are the events after the earlier of the two points, up to the later. */
  readonly events: readonly RecordedEvent[];
}

/** A span has two points of the history, and what the journal was there. */
export interface HistorySpan {
  readonly from: Moment;
  readonly to: Moment;
  /** This is where the texts of the events between came from, where their hosts said so. */
  readonly sources: readonly SourceInSpan[];
  /** These are the events in between, if they were asked for or are at hand. */
  readonly events?: readonly RecordedEvent[] | undefined;
}

/** These are the events of one source. */
export interface SourceInSpan {
  readonly source: string;
  readonly versions: readonly Version[];
}

interface Found {
  readonly last?: RecordedEvent;
  readonly state: ScratchpadState;
}

const nothingFound: Found = { state: initialState };

/**
 * If `from` is undefined, the span begins at the end of the turn before that of `to`; if `to` is undefined, it ends at the newest event. A
 * single turn stands for that turn. `withEvents` also gives the events in between. The history is read once.
 */
export async function spanBetween(
  from: Point | undefined,
  to: Point | undefined,
  store: RecordedHistory,
  view: View,
  withEvents = false,
): Promise<HistorySpan> {
  if (to === undefined && turnIn(from) !== undefined) return spanBetween(undefined, from, store, view, withEvents);
  const isNewest = from === undefined && (to === undefined || to === "head" || turnIn(to) === view.turn);
  const newest = isNewest ? newestSpan(store, view) : undefined;
  if (newest !== undefined) return newest;
  const finder = new SpanFinder(from, to ?? "head", view, withEvents);
  for await (const recorded of historyUpTo(store, view)) finder.take(recorded);
  await requireBeginning(store, finder.begin, finder.state, view);
  return finder.finish();
}

/**
 * The result is the newest turn, without reading. It is undefined if that is not at hand, or if another handle of the store has
 * read on.
 */
function newestSpan({ newestTurn }: RecordedHistory, view: View): HistorySpan | undefined {
  const last = newestTurn?.events.at(-1);
  if (newestTurn === undefined || last?.version !== view.version) return undefined;
  const to = headMoment(view);
  // The host has begun another one since.
  const isOver = newestTurn.turn < view.turn;
  const { version, at, limits, state } = isOver ? { ...last, state: view.state } : newestTurn.start;
  const place = { version, turn: Math.max(0, view.turn - 1), ...given({ at }) };
  const from = { ...place, state, ...limitsOf({ limits }) };
  const events = isOver ? [] : newestTurn.events;
  const versionsOf = new Map<string, Version[]>();
  for (const recorded of events) noteSource(versionsOf, recorded);
  return { from, to, sources: sourcesBetween(from.version, to.version, versionsOf), events };
}

function noteSource(versionsOf: Map<string, Version[]>, { source, version }: RecordedEvent): void {
  if (source === undefined) return;
  const versions = versionsOf.get(source);
  if (versions === undefined) versionsOf.set(source, [version]);
  else versions.push(version);
}

class SpanFinder {
  readonly #view: View;
  readonly #start: SoughtPoint | undefined;
  readonly #end: SoughtPoint;
  readonly #withEvents: boolean;
  /** What comes behind both points is told by the events alone. */
  readonly #areBeginnings: boolean;
  /** This is the first event that was taken. */
  begin: RecordedEvent | undefined;
  #newest = nothingFound;
  #beforeTurn = nothingFound;
  #from = nothingFound;
  #to = nothingFound;
  #events: RecordedEvent[] = [];
  readonly #versionsOf = new Map<string, Version[]>();

  constructor(from: Point | undefined, to: Point, view: View, withEvents: boolean) {
    this.#view = view;
    this.#start = from === undefined ? undefined : soughtPoint(from, view);
    this.#end = soughtPoint(to, view);
    this.#withEvents = withEvents;
    this.#areBeginnings = this.#end.isBeginning && this.#start?.isBeginning !== false;
  }

  /** All that was taken adds up to it. */
  get state(): ScratchpadState {
    return this.#newest.state;
  }

  take(recorded: RecordedEvent): void {
    this.begin ??= recorded;
    noteSource(this.#versionsOf, recorded);
    const isTurnsFirst = recorded.turn !== this.#newest.last?.turn;
    if (isTurnsFirst) this.#beforeTurn = this.#newest;
    this.#newest = { last: recorded, state: evolve(this.#newest.state, recorded.event) };
    const isInEnd = this.#end.matches(recorded);
    if (isInEnd) this.#to = this.#newest;
    const isInStart = this.#takeStart(recorded, isInEnd);
    // What is before both of them is not between them.
    if (isInEnd && (this.#start === undefined ? isTurnsFirst : isInStart)) this.#events = [];
    if (this.#withEvents && (isInEnd || isInStart || !this.#areBeginnings)) this.#events.push(recorded);
  }

  #takeStart(recorded: RecordedEvent, isInEnd: boolean): boolean {
    const isInStart = this.#start?.matches(recorded) === true;
    if (isInStart) this.#from = this.#newest;
    else if (this.#start === undefined && isInEnd) this.#from = this.#beforeTurn;
    return isInStart;
  }

  finish(): HistorySpan {
    const to = { ...this.#end.place(this.#to.last), state: this.#to.state, ...limitsOf(this.#to.last) };
    // A turn that is open may have no event.
    if (this.#start === undefined && (this.#to.last?.turn ?? 0) < to.turn) this.#from = this.#to;
    const start = this.#start ?? soughtPoint(turnBefore(to.turn), this.#view);
    const from = { ...start.place(this.#from.last), state: this.#from.state, ...limitsOf(this.#from.last) };
    const [after, until] = [Math.min(from.version, to.version), Math.max(from.version, to.version)];
    const between = this.#events.filter(({ version }) => version > after && version <= until);
    const events = this.#withEvents ? between : undefined;
    return { from, to, events, sources: sourcesBetween(from.version, to.version, this.#versionsOf) };
  }
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

/** The result says what changed, without the events between. */
export function changeIn({ from, to }: HistorySpan): StateDiff {
  return diffStates(from.state, to.state, { before: `v${from.version}`, after: `v${to.version}` });
}
