import { UsageError } from "./usage.ts";

const [secondMs, minuteMs, hourMs, dayMs] = [1000, 60_000, 3_600_000, 86_400_000];
const unitMs: Readonly<Record<string, number>> = {
  s: secondMs,
  m: minuteMs,
  h: hourMs,
  d: dayMs,
  w: 7 * dayMs,
  y: 365 * dayMs,
};

/** The result is undefined for what is no number of `units`, such as `90d` or `36 hours`. */
function durationMs(text: string, units: RegExp): number | undefined {
  const { count, unit = "s" } = /^(?<count>\d{1,6}) ?(?<unit>[a-z]+)?$/.exec(text)?.groups ?? {};
  return count !== undefined && units.test(unit) ? Number(count) * (unitMs[unit.charAt(0)] ?? 0) : undefined;
}

/** Throws {@link UsageError} unless the option is a duration above zero. Minutes are refused, for `3m` might mean months. */
export function ageMs(option: string, text: string): number {
  const ms = durationMs(text, /^(?:h|hours?|d|days?|w|weeks?|y|years?)$/);
  if (ms !== undefined && ms > 0) return ms;
  throw new UsageError(`--${option} takes a duration such as 36h, 90d, 12w or 1y, not ${JSON.stringify(text)}`);
}

/** Throws {@link UsageError} unless the option is a duration. A number alone is one of seconds. */
export function secondsOf(option: string, text: string): number {
  const ms = durationMs(text, /^(?:s|seconds?|m|minutes?|h|hours?|d|days?|w|weeks?)$/);
  if (ms !== undefined) return ms / secondMs;
  throw new UsageError(`--${option} takes seconds, or a duration such as 90s, 15m or 2h, not ${JSON.stringify(text)}`);
}
