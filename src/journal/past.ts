/** Looking back: states and differences at any points of the history. */
import { isDeepStrictEqual } from "node:util";
import { diffStates, type StateDiff } from "../audit/diff.ts";
import { type History, type HistoryPlace, type Point, resolvePoint } from "../audit/points.ts";
import { PointError } from "../errors.ts";
import type { RecordedEvent, ScratchpadEvent, Version } from "../event/event.ts";
import { requireOptions } from "../options.ts";
import { fold } from "../state/fold.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { parseVersion } from "./options.ts";
import type { View } from "./projection.ts";

/** The state at a point. `at` is absent at version 0. */
export interface Moment extends HistoryPlace {
  readonly state: ScratchpadState;
}

/** What changed between two points. */
export interface Diff extends StateDiff {
  readonly from: Version;
  readonly to: Version;
  /** The events after the earlier of the two, up to the later. */
  readonly events: readonly RecordedEvent[];
}

export interface HistoryOptions {
  /** Exclusive; by default 0. */
  readonly from?: Version;
  /** Inclusive; by default the newest. */
  readonly to?: Version;
}

export interface ReadHistory extends History {
  /** The events up to this version are not in the stream any more, and a snapshot stands for them. */
  readonly beginsAfter?: Version;
}

/** The history up to what `view` shows. */
export async function readHistory(store: JournalStore, view: View): Promise<ReadHistory> {
  const events: RecordedEvent[] = [];
  for await (const recorded of store.read(0)) {
    if (recorded.version > view.version) break;
    events.push(recorded);
  }
  const history = { events, version: view.version, turn: view.turn };
  const beginsAfter = (events[0]?.version ?? 1) - 1;
  if (beginsAfter === 0 || isDeepStrictEqual(plain(fold(events)), plain(view.state))) return history;
  return { ...history, beginsAfter };
}

function plain(state: ScratchpadState): unknown {
  return JSON.parse(JSON.stringify(state));
}

/** Folding what is left would give states that never were. */
function requireBeginning({ beginsAfter }: ReadHistory): void {
  if (beginsAfter === undefined) return;
  throw new PointError(
    `the events up to version ${beginsAfter} are not in the stream any more: of earlier states only "head" is known`,
  );
}

/** The newest moment needs no history: a snapshot has it. */
export function headMoment({ version, turn, at, state }: View): Moment {
  return { version, turn, ...(at === undefined ? {} : { at }), state };
}

export function momentAt(point: Point, history: ReadHistory): Moment {
  requireBeginning(history);
  const place = resolvePoint(point, history);
  return { ...place, state: stateAt(place.version, history) };
}

/**
 * The version that a repeated command restored the first time, if the point led there then: "head" leads elsewhere now.
 * Undefined: no such command, or another point.
 */
export function restoredFirst(point: Point, command: string | undefined, { events }: History): Version | undefined {
  const first = command === undefined ? undefined : events.find((recorded) => recorded.command === command);
  const to = first === undefined ? undefined : restoredBy(first.event);
  if (first === undefined || to === undefined) return undefined;
  const before = events.filter(({ version }) => version < first.version);
  try {
    const { version } = resolvePoint(point, { events: before, version: first.version - 1, turn: first.turn });
    return version === to ? to : undefined;
  } catch (error) {
    if (error instanceof PointError) return undefined;
    throw error;
  }
}

/** Refused or not. */
function restoredBy(event: ScratchpadEvent): Version | undefined {
  if (event.type === "state.restored") return event.to;
  if (event.type !== "action.refused" || event.action !== "restore") return undefined;
  const { to } = event.offered as { readonly to?: unknown };
  return typeof to === "number" ? to : undefined;
}

export function stateAt(version: Version, history: History): ScratchpadState {
  return fold(history.events.filter((recorded) => recorded.version <= version));
}

/** From the end of the turn before that of `to` where `from` is undefined; to the newest where `to` is. */
export function diffBetween(from: Point | undefined, to: Point | undefined, history: ReadHistory): Diff {
  requireBeginning(history);
  const { version: end, turn } = resolvePoint(to ?? "head", history);
  const start = resolvePoint(from ?? (turn === 0 ? 0 : `t${turn - 1}`), history).version;
  const names = { before: `v${start}`, after: `v${end}` };
  const [first, last] = [Math.min(start, end), Math.max(start, end)];
  return {
    from: start,
    to: end,
    ...diffStates(stateAt(start, history), stateAt(end, history), names),
    events: history.events.filter(({ version }) => version > first && version <= last),
  };
}

/** Throws a TypeError that names the option. */
export function parseHistoryOptions(options: HistoryOptions = {}): Required<HistoryOptions> {
  requireOptions(options, "from", "to");
  const { from = 0, to } = options;
  return { from: parseVersion("from", from), to: to === undefined ? Number.MAX_SAFE_INTEGER : parseVersion("to", to) };
}
