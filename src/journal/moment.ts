/** A journal shows moments: states at points of its history. `moments.ts` finds the points. */
import type { HistoryEnd, HistoryPlace, Point } from "../audit/points.ts";
import type { RecordedEvent, RecordedLimits, Version } from "../event/event.ts";
import { given, requireOptions } from "../options.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { RecordedHistory } from "./held-history.ts";
import { parseVersion } from "./options.ts";
import type { View } from "./projection.ts";

/** A moment is the state at a point. `at` is absent at version 0. */
export interface Moment extends HistoryPlace {
  readonly state: ScratchpadState;
  /** The budgets that its newest event was decided under, where they were not the defaults and were recorded. */
  readonly limits?: RecordedLimits;
}

/** These are the options of `journal.history`. */
export interface HistoryOptions {
  /** Only the events after this version are read. The default is 0. */
  readonly from?: Version;
  /** Only the events up to and including this version are read. The default is the newest. */
  readonly to?: Version;
}

/** Everything up to now, to be gone through event by event as often as it takes: it may be too much to hold. */
export interface ShownHistory extends HistoryEnd {
  read(): AsyncIterable<RecordedEvent>;
  /** Throws PointError. */
  moment(point: Point): Promise<Moment>;
  /** This is `restoredFirst` over the same reading. */
  restoredFirst(point: Point, command: string): Promise<Moment | undefined>;
}

/** The result is the history up to what `view` shows, event by event. */
export async function* historyUpTo(store: RecordedHistory, view: View): AsyncGenerator<RecordedEvent, undefined> {
  for await (const recorded of store.read(0)) {
    if (recorded.version > view.version) return;
    yield recorded;
  }
}

/** The newest moment needs no history: a snapshot has it. */
export function headMoment({ version, turn, at, state, limits }: View): Moment {
  return { version, turn, ...given({ at }), state, ...limitsOf({ limits }) };
}

export function limitsOf(
  recorded: { readonly limits?: RecordedLimits | undefined } | undefined,
): Pick<Moment, "limits"> {
  return recorded?.limits === undefined ? {} : { limits: recorded.limits };
}

/** Throws a TypeError that names the option. */
export function parseHistoryOptions(options: HistoryOptions = {}): Required<HistoryOptions> {
  requireOptions(options, "from", "to");
  const { from = 0, to } = options;
  return { from: parseVersion("from", from), to: to === undefined ? Number.MAX_SAFE_INTEGER : parseVersion("to", to) };
}
