/** Time and names that a test decides. */

export interface TestClockOptions {
  /** This is the ISO time of the first call. The default is 2026-01-01T00:00:00.000Z. */
  readonly start?: string;
  /** Each call is later than the one before by this time. The default is 1000. */
  readonly stepMs?: number;
  /** Before the call with this number, counted from 1, the clock is moved by `byMs`. It goes back if that is below 0. */
  readonly jumps?: readonly { readonly call: number; readonly byMs: number }[];
}

/**
 * Makes a clock that gives the same times in each run. It can jump, as a clock does that somebody sets.
 *
 * @param options Its start, its steps and its jumps.
 * @throws TypeError for a start that is no time.
 * @example
 * const clock = testClock({ jumps: [{ call: 3, byMs: -60_000 }] });
 * clock().toISOString(); // "2026-01-01T00:00:00.000Z"
 */
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

/**
 * Makes a function that gives UUIDs in order: `00000000-0000-4000-8000-000000000001` is the first.
 *
 * @throws Nothing, if the types hold.
 * @example
 * const id = testIds();
 * id(); // "00000000-0000-4000-8000-000000000001"
 */
export function testIds(): () => string {
  let count = 0;
  return () => `00000000-0000-4000-8000-${(++count).toString(16).padStart(12, "0")}`;
}
