/** A point names a place in a history. */
import { PointError } from "../errors.ts";
import type { RecordedEvent, Version } from "../event/event.ts";

/**
 * A point names a place in a history:
 *
 * - `12`, `"12"`, `"v12"`: that version; 0 is the initial state
 * - `"t4"`: the end of turn 4; of the open turn: head
 * - `"#id"`: the events of the line with that entry id
 * - an ISO time with zone: the last event at or before it
 * - `"head"`: the newest version
 *
 * `parsePoint` makes one of a text that somebody typed.
 */
export type Point = number | "head" | `${number}` | `v${number}` | `t${number}` | `#${string}` | IsoTime;

/** This is an ISO 8601 time with a zone, such as `2026-03-09T13:18:36Z`. */
export type IsoTime = `${number}-${number}-${number}T${string}`;

/** A history ends here. */
export interface HistoryEnd {
  readonly version: Version;
  readonly turn: number;
}

/** The state at a point is the fold of the events up to `version`. */
export interface HistoryPlace {
  /** This is the version of the newest event at the point, and 0 before the first one. */
  readonly version: Version;
  /** This is the turn at the point. */
  readonly turn: number;
  /** This is when the event at `version` happened; absent at version 0. */
  readonly at?: string;
}

const versionPattern = /^v?(\d{1,16})$/;
const turnPattern = /^t(\d{1,16})$/;
const timePattern = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;

/**
 * Makes a point of a text, such as one that somebody typed. Only a history can say whether it has that point.
 *
 * @param text A version (`v12`), the end of a turn (`t4`), `#` and the id of an entry, a time with a zone, or `head`.
 * @throws PointError if the text is not a point.
 * @example
 * const { state } = await journal.at(parsePoint("t4"));
 */
export function parsePoint(text: string): Point {
  if (typeof text !== "string" || !isPoint(text)) throw notAPoint(text);
  return text;
}

function isPoint(text: string): text is Point & string {
  if (text === "head" || versionPattern.test(text) || turnPattern.test(text)) return true;
  return (text.length > 1 && text.startsWith("#")) || isZonedTime(text);
}

/** A point is looked for by this: the last event that `matches` has the place of the point. */
export interface SoughtPoint {
  matches(recorded: RecordedEvent): boolean;
  /** Once an event does not match, none behind it does. */
  readonly isBeginning: boolean;
  /** `last` is undefined if no event matched. The call throws {@link PointError} if one must have. */
  place(last: RecordedEvent | undefined): HistoryPlace;
}

/** Throws {@link PointError} for what is no point, and for one beyond the end of the history. */
export function soughtPoint(point: unknown, end: HistoryEnd): SoughtPoint {
  if (typeof point === "number") return atVersion(point, String(point), end);
  if (typeof point !== "string" || !isPoint(point)) throw notAPoint(point);
  if (point === "head") return headOf(end);
  if (point.startsWith("#")) return atEntry(point.slice(1));
  const version = versionPattern.exec(point);
  if (version !== null) return atVersion(Number(version[1]), point, end);
  const turn = turnPattern.exec(point);
  return turn === null ? atTime(Date.parse(point)) : atTurn(Number(turn[1]), end);
}

/** The result says whether a text is an ISO time with a zone. */
export function isZonedTime(text: string): boolean {
  const day = timePattern.exec(text)?.[1];
  return day !== undefined && isDay(day) && !Number.isNaN(Date.parse(text));
}

/** The engine takes the 30th of February for the 2nd of March. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

function headOf({ version, turn }: HistoryEnd): SoughtPoint {
  return { matches: () => true, isBeginning: true, place: (last) => ({ ...placeOf(last), version, turn }) };
}

function atVersion(version: number, text: string, end: HistoryEnd): SoughtPoint {
  if (!Number.isSafeInteger(version) || version < 0) throw notAPoint(text);
  if (version > end.version) {
    throw new PointError(`${text} is beyond the end: the newest version is ${end.version} ("head")`);
  }
  return {
    matches: (recorded) => recorded.version <= version,
    isBeginning: true,
    place: (last) => ({ ...placeOf(last), version }),
  };
}

function atTurn(turn: number, end: HistoryEnd): SoughtPoint {
  if (turn > end.turn) throw new PointError(`t${turn} is beyond the end: the newest turn is t${end.turn}`);
  if (turn === end.turn) return headOf(end);
  return {
    matches: (recorded) => recorded.turn <= turn,
    isBeginning: true,
    place: (last) => ({ ...placeOf(last), turn }),
  };
}

function atEntry(id: string): SoughtPoint {
  return {
    matches: (recorded) => recorded.entryId === id,
    isBeginning: false,
    place: (last) => {
      if (last !== undefined) return placeOf(last);
      throw new PointError(
        `no event stands in a line with the entry id ${JSON.stringify(id)}: list the history for its ids; for a line of the host's, name its time`,
      );
    },
  };
}

function atTime(time: number): SoughtPoint {
  return { matches: ({ at }) => Date.parse(at) <= time, isBeginning: false, place: placeOf };
}

function placeOf(recorded: RecordedEvent | undefined): HistoryPlace {
  return recorded === undefined
    ? { version: 0, turn: 0 }
    : { version: recorded.version, turn: recorded.turn, at: recorded.at };
}

function notAPoint(point: unknown): PointError {
  const shown = typeof point === "string" ? JSON.stringify(point.slice(0, 80)) : String(point);
  return new PointError(
    `${shown} is not a point: use a version ("v12", 12), a turn ("t4"), "#entryId", an ISO time with zone, or "head"`,
  );
}
