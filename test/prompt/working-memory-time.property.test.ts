import fc from "fast-check";
import { expect, test } from "vitest";
import { localTime, offsetText, timeContext } from "../../src/prompt/working-memory-time.ts";

const times = fc.date({
  min: new Date("1950-01-01T00:00:00Z"),
  max: new Date("2150-01-01T00:00:00Z"),
  noInvalidDate: true,
});
const offsets = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 }).map((minutes) => minutes / 60);

test("a local time is the same moment, whatever the offset", () => {
  fc.assert(
    fc.property(times, offsets, (now, offset) => {
      const { iso, hour, date, time } = localTime(now, offset);
      expect(Date.parse(iso)).toBe(Math.floor(now.getTime() / 1000) * 1000);
      expect(iso.startsWith(`${date}T${time}:`)).toBe(true);
      expect(hour).toBe(Number(time.slice(0, 2)));
      expect(hour).toBeGreaterThanOrEqual(0);
      expect(hour).toBeLessThan(24);
    }),
  );
});

test.each([
  ["2026-02-05T14:30:00Z", 11, "01:30", "Late night — suggest deferral for non-urgent work"],
  ["2026-02-05T22:59:00Z", 0, "22:59", "Active hours — standard engagement"],
  ["2026-02-05T23:00:00Z", 0, "23:00", "Late night — suggest deferral for non-urgent work"],
  ["2026-02-05T03:00:00Z", -8, "19:00", "Active hours — standard engagement"],
  ["2026-02-05T01:15:00Z", 5.5, "06:45", "Late night — suggest deferral for non-urgent work"],
  ["2026-02-05T01:15:00Z", 5.75, "07:00", "Morning — fresh start, good for complex work"],
  ["2026-02-05T13:29:00Z", -3.5, "09:59", "Morning — fresh start, good for complex work"],
  ["2026-02-05T13:30:00Z", -3.5, "10:00", "Active hours — standard engagement"],
])("%s at %d is %s", (now, offset, time, note) => {
  const text = timeContext(new Date(now), offset);
  expect(text).toContain(`- Local time: ${time} UTC${offsetText(offset)} (`);
  expect(text).toContain(`- Note: ${note}`);
});

test("offsets are written with a sign and two digits", () => {
  expect([0, 11, -3.5, 5.75, -0.5].map(offsetText)).toEqual(["+00:00", "+11:00", "-03:30", "+05:45", "-00:30"]);
});
