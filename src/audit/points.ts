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

/** An ISO 8601 time with a zone, such as `2026-03-09T13:18:36Z`. */
export type IsoTime = `${number}-${number}-${number}T${string}`;

/** A history as far as points need it: its events in order, and where it ends. */
export interface History {
  readonly events: readonly RecordedEvent[];
  readonly version: Version;
  readonly turn: number;
}

/** The state at a point is the fold of the events up to `version`. */
export interface HistoryPlace {
  readonly version: Version;
  readonly turn: number;
  /** When the event at `version` happened; absent at version 0. */
  readonly at?: string;
}

const versionPattern = /^v?(\d{1,16})$/;
const turnPattern = /^t(\d{1,16})$/;
const timePattern = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;

/**
 * Makes a point of a text, such as one that somebody typed. Whether a history has that point, only the history can say.
 *
 * @throws PointError where the text is no point.
 */
export function parsePoint(text: string): Point {
  if (typeof text !== "string" || !isPoint(text)) throw notAPoint(text);
  return text;
}

function isPoint(text: string): text is Point & string {
  if (text === "head" || versionPattern.test(text) || turnPattern.test(text)) return true;
  return (text.length > 1 && text.startsWith("#")) || isTime(text);
}

/** Throws {@link PointError} for what is no point, and for one beyond the end of the history. */
export function resolvePoint(point: unknown, history: History): HistoryPlace {
  if (typeof point === "number") return atVersion(point, String(point), history);
  if (typeof point !== "string" || !isPoint(point)) throw notAPoint(point);
  if (point === "head") return headOf(history);
  if (point.startsWith("#")) return atEntry(point.slice(1), history);
  const version = versionPattern.exec(point);
  if (version !== null) return atVersion(Number(version[1]), point, history);
  const turn = turnPattern.exec(point);
  return turn === null ? atTime(Date.parse(point), history) : atTurn(Number(turn[1]), history);
}

function isTime(text: string): boolean {
  const day = timePattern.exec(text)?.[1];
  return day !== undefined && isDay(day) && !Number.isNaN(Date.parse(text));
}

/** The engine takes the 30th of February for the 2nd of March. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

function headOf(history: History): HistoryPlace {
  return { ...placeOf(history.events.at(-1)), version: history.version, turn: history.turn };
}

function atVersion(version: number, text: string, history: History): HistoryPlace {
  if (!Number.isSafeInteger(version) || version < 0) throw notAPoint(text);
  if (version > history.version) {
    throw new PointError(`${text} is beyond the end: the newest version is ${history.version} ("head")`);
  }
  if (version === history.version) return headOf(history);
  return { ...placeOf(history.events.findLast((recorded) => recorded.version <= version)), version };
}

function atTurn(turn: number, history: History): HistoryPlace {
  if (turn > history.turn) {
    throw new PointError(`t${turn} is beyond the end: the newest turn is t${history.turn}`);
  }
  if (turn === history.turn) return headOf(history);
  return { ...placeOf(history.events.findLast((recorded) => recorded.turn <= turn)), turn };
}

function atEntry(id: string, history: History): HistoryPlace {
  const found = history.events.findLast((recorded) => recorded.entryId === id);
  if (found === undefined) {
    throw new PointError(
      `no event stands in a line with the entry id ${JSON.stringify(id)}: list the history for its ids; for a line of the host's, name its time`,
    );
  }
  return placeOf(found);
}

function atTime(time: number, history: History): HistoryPlace {
  return placeOf(history.events.findLast((recorded) => Date.parse(recorded.at) <= time));
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
