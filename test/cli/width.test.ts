import { expect, test } from "vitest";
import { isPlain, visible } from "../../src/audit/visible.ts";
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

test("a text that is taken for plain hides nothing, and has a column for each of its characters", () => {
  const plain = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter(isPlain);
  expect(plain.length).toBeGreaterThan(900);
  for (const character of plain) {
    expect(
      /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Mark}\p{Emoji_Presentation}]/u.test(character),
    ).toBe(false);
    // A character that is not plain makes the whole text be looked at closely.
    expect(widthOf(`${character}日`), character).toBe(3);
    expect(visible(`${character}日`)).toBe(`${character}日`);
  }
});
