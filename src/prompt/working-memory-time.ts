/** This file tells the time of day where the user is, from nothing but the clock and an offset. */

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

/** `hour` is 0 to 23, `date` as `2026-02-06`, `time` as `01:30`, `iso` as `2026-02-06T01:30:00+11:00`. */
export interface LocalTime {
  readonly hour: number;
  readonly date: string;
  readonly time: string;
  readonly iso: string;
}

/** Throws a TypeError for an offset that is not a whole number of minutes within a day. */
export function localTime(now: Date, utcOffsetHours: number): LocalTime {
  const offset = offsetMinutes(utcOffsetHours);
  const minutes = modulo(Math.floor(now.getTime() / minuteMs) + offset, dayMinutes);
  const shifted = new Date(now.getTime() + offset * minuteMs).toISOString();
  const time = clockText(minutes);
  return {
    hour: Math.floor(minutes / 60),
    date: shifted.slice(0, 10),
    time,
    iso: `${shifted.slice(0, 19)}${offsetText(utcOffsetHours)}`,
  };
}

/** The result is a text such as `+11:00` or `-03:30`. */
export function offsetText(utcOffsetHours: number): string {
  const offset = offsetMinutes(utcOffsetHours);
  return `${offset < 0 ? "-" : "+"}${clockText(Math.abs(offset))}`;
}

/** The section of that name. `zoneName` stands for the offset where it is given, such as AEDT. */
export function timeContext(now: Date, utcOffsetHours: number, zoneName?: string): string {
  const { hour, time } = localTime(now, utcOffsetHours);
  const { part, note } = partOfDay(hour);
  return `- Local time: ${time} ${zoneName ?? `UTC${offsetText(utcOffsetHours)}`} (${part})\n- Note: ${note}`;
}

/**
 * The result is the number of hours east of UTC at `now` in a zone such as Australia/Sydney. It is undefined if there is no zone of that
 * name.
 */
export function offsetOfZone(zone: string, now: Date): number | undefined {
  try {
    const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
    const text = format.formatToParts(now).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours = "0", minutes = "0"] = /([+-])(\d\d):(\d\d)/.exec(text) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) + Number(minutes) / 60);
  } catch {
    return undefined;
  }
}

function partOfDay(hour: number): { readonly part: string; readonly note: string } {
  if (hour >= 23 || hour < 7) {
    return { part: "late night", note: "Late night — suggest deferral for non-urgent work" };
  }
  if (hour < 10) return { part: "morning", note: "Morning — fresh start, good for complex work" };
  return { part: "active hours", note: "Active hours — standard engagement" };
}

function offsetMinutes(utcOffsetHours: number): number {
  const minutes = Math.round(utcOffsetHours * 60);
  if (Math.abs(minutes) < dayMinutes && Math.abs(utcOffsetHours * 60 - minutes) < 1e-6) return minutes;
  throw new TypeError(
    `utcOffsetHours must be hours within a day, in whole minutes, such as 11, -3.5 or 5.75, not ${String(utcOffsetHours)}`,
  );
}

/** Never negative, as `%` can be. */
function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

function clockText(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0")).join(":");
}
