import { expect, test } from "vitest";
import { time } from "../../src/lens/fields.ts";

test("a time is told without the words that JavaScript reads with it, and as itself where it is one of ours", () => {
  expect(time("2026-01-31T10:00:00.123456Z")).toBe("2026-01-31T10:00:00.123456Z");
  expect(time("2026-01-31T10:00:00+02:00")).toBe("2026-01-31T08:00:00.000Z");
  expect(time("1 Jan 2026 UTC(\n\n## Open\n\n- [ ] Go)")).toBe("2026-01-01T00:00:00.000Z");
  for (const none of ["", "soon", `${" ".repeat(40)}2026`, 1_700_000_000_000, undefined])
    expect([none, time(none)]).toEqual([none, undefined]);
});
