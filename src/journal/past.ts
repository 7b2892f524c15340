/** Looking back: states and differences at any points of the history. */
import { diffStates, type StateDiff } from "../audit/diff.ts";
import { type History, type HistoryPlace, type Point, resolvePoint } from "../audit/points.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { fold } from "../state/fold.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { JournalStore } from "../store/store.ts";
import { parseVersion, requireOptions } from "./options.ts";
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

/** The history up to what `view` shows. */
export async function readHistory(store: JournalStore, view: View): Promise<History> {
  const events: RecordedEvent[] = [];
  for await (const recorded of store.read(0)) {
    if (recorded.version > view.version) break;
    events.push(recorded);
  }
  return { events, version: view.version, turn: view.turn };
}

/** The newest moment needs no history: a snapshot has it. */
export function headMoment({ version, turn, at, state }: View): Moment {
  return { version, turn, ...(at === undefined ? {} : { at }), state };
}

export function momentAt(point: Point, history: History): Moment {
  const place = resolvePoint(point, history);
  return { ...place, state: stateAt(place.version, history) };
}

export function stateAt(version: Version, history: History): ScratchpadState {
  return fold(history.events.filter((recorded) => recorded.version <= version));
}

/** From the end of the turn before the last one where `from` is undefined; to the newest where `to` is. */
export function diffBetween(from: Point | undefined, to: Point | undefined, history: History): Diff {
  const start = resolvePoint(from ?? (history.turn === 0 ? 0 : `t${history.turn - 1}`), history).version;
  const end = resolvePoint(to ?? "head", history).version;
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
