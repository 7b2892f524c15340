import { expect, test } from "vitest";
import { shorten, widthOf } from "../../src/audit/width.ts";

test.each([
  ["", 0],
  ["plain", 5],
  ["São", 3],
  ["Sa\u0303o", 3],
  ["日本語", 6],
  ["ﾃｽﾄ", 3],
  ["한글", 4],
  ["🚀", 2],
  ["👩‍🚀", 2],
  ["🇧🇷", 2],
  ["❤️", 2],
  ["1️⃣", 2],
  ["✓ … ↵", 5],
])("%s takes %i columns", (text, columns) => {
  expect(widthOf(text)).toBe(columns);
});

test("a cut never leaves half of a character", () => {
  expect(shorten("ab👩‍🚀cd", 4)).toBe("ab…");
  expect(shorten("日本語", 5)).toBe("日本…");
  expect(shorten("日本語", 6)).toBe("日本語");
  expect(shorten("plain text", 6)).toBe("plain…");
});
