/** Time and names that a test decides. */

export interface TestClockOptions {
  /** ISO time of the first call. The default is 2026-01-01T00:00:00.000Z. */
  readonly start?: string;
  /** This is by how much each call is later than the one before. The default is 1000. */
  readonly stepMs?: number;
  /** By how much the clock is put forward, or back where that is below 0, before the call of that number (from 1). */
  readonly jumps?: readonly { readonly call: number; readonly byMs: number }[];
}

/** The same times in each run, and what a clock does that is put right: jumps. Throws a TypeError for a start that is no time. */
export function testClock({
  start = "2026-01-01T00:00:00.000Z",
  stepMs = 1000,
  jumps = [],
}: TestClockOptions = {}): () => Date {
  let now = Date.parse(start);
  if (Number.isNaN(now)) throw new TypeError(`start must be an ISO time, not ${JSON.stringify(start)}`);
  let calls = 0;
  return () => {
    calls += 1;
    if (calls > 1) now += stepMs;
    for (const { call, byMs } of jumps) if (call === calls) now += byMs;
    return new Date(now);
  };
}

/** UUIDs that count: `00000000-0000-4000-8000-000000000001` is the first. */
export function testIds(): () => string {
  let count = 0;
  return () => `00000000-0000-4000-8000-${(++count).toString(16).padStart(12, "0")}`;
}
