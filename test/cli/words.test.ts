import { expect, test } from "vitest";
import { shortTime } from "../../src/cli/words.ts";

test("a time is shown in UTC to the second, however it was written, and what is none as it stands", () => {
  expect(shortTime("2026-03-09T13:02:11.417Z")).toBe("2026-03-09 13:02:11Z");
  expect(shortTime("2026-03-09T14:02:11+01:00")).toBe("2026-03-09 13:02:11Z");
  expect(shortTime("2026-03-09T13:02:11Z")).toBe("2026-03-09 13:02:11Z");
  expect(shortTime("2026-13-09T13:02:11.417Z")).toBe("2026-13-09T13:02:11.417Z");
  expect(shortTime("soon")).toBe("soon");
});
