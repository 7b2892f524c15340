/** Times as people type them, made into points. Like all times that are printed, those without a zone are in UTC. */
import { isZonedTime, type Point, parsePoint } from "../audit/points.ts";
import { isJournalError, PointError } from "../errors.ts";
import { UsageError } from "./usage.ts";

const dayMs = 86_400_000;
const unitsMs: Readonly<Record<string, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: dayMs,
  week: 7 * dayMs,
};

/** A text means all moments from the first to the last one, in milliseconds since 1970. */
interface Moments {
  readonly first: number;
  readonly last: number;
}

/** A day as a point is its end. Throws a PointError for what is neither a point nor a time. */
export function pointOf(text: string, now = new Date()): Point {
  const moments = momentsIn(text, now);
  if (moments !== undefined) return parsePoint(new Date(moments.last).toISOString());
  try {
    return parsePoint(text);
  } catch (error) {
    if (!isJournalError(error, "bad_point")) throw error;
    throw new PointError(`${error.message}; or a time in UTC: yesterday, "2 hours ago", "2026-03-09 13:10"`);
  }
}

export function isSpokenTime(text: string): boolean {
  return momentsIn(text, new Date()) !== undefined;
}

/**
 * The bound is the beginning of a day for `since`, and its end for `until`. It is undefined if none was given. A text that is no time
 * throws a UsageError.
 */
export function boundOf(name: "since" | "until", text: string | undefined, now = new Date()): number | undefined {
  if (text === undefined) return undefined;
  const moments = momentsIn(text.replace(/(?<=^[\d-]{10})T/, " "), now);
  const exact = isZonedTime(text) ? Date.parse(text) : Number.NaN;
  if (moments !== undefined) return name === "since" ? moments.first : moments.last;
  if (!Number.isNaN(exact)) return exact;
  throw new UsageError(
    `--${name} takes a time such as yesterday, "2 hours ago", 2026-03-09, "2026-03-09 13:10" or 2026-03-09T13:18:36Z, not ${JSON.stringify(text)}`,
  );
}

function momentsIn(text: string, now: Date): Moments | undefined {
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  if (text === "now") return { first: now.getTime(), last: now.getTime() };
  if (text === "today") return dayFrom(today);
  if (text === "yesterday") return dayFrom(today - dayMs);
  const [, count = "", unit = ""] = /^(\d{1,6}) (second|minute|hour|day|week)s? ago$/.exec(text) ?? [];
  if (unit !== "") {
    const at = now.getTime() - Number(count) * (unitsMs[unit] ?? 0);
    return { first: at, last: at };
  }
  const [, day = "", time] = /^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)Z?)?$/.exec(text) ?? [];
  const at = day === "" ? Number.NaN : Date.parse(`${day}T${time ?? "00:00"}Z`);
  // The engine takes the 30th of February for the 2nd of March.
  if (Number.isNaN(at) || !new Date(at).toISOString().startsWith(day)) return undefined;
  return time === undefined ? dayFrom(at) : { first: at, last: at };
}

function dayFrom(first: number): Moments {
  return { first, last: first + dayMs - 1 };
}
