import { applyPatch } from "diff";
import { expect, test } from "vitest";
import { diffWords, matchLines, unifiedText } from "../../src/audit/lines.ts";

const names = { before: "before", after: "after" };

test("two huge shuffled texts are given up on, not compared for minutes", () => {
  const before = Array.from({ length: 30_000 }, (_, index) => `line ${index}`);
  const after = before.map((_, index) => `line ${(index * 7919) % before.length}`);
  expect(matchLines(before, after)).toHaveLength(after.length);
  const patch = unifiedText(before.join("\n"), `${after.join("\n")}\n`, names);
  expect(applyPatch(before.join("\n"), patch)).toBe(`${after.join("\n")}\n`);
});

test("only the words that differ are marked", () => {
  const { before, after } = diffWords("fix the auth bug", "fix the login bug");
  expect(before.filter(({ changed }) => changed)).toEqual([{ text: "auth", changed: true }]);
  expect(after.filter(({ changed }) => changed)).toEqual([{ text: "login", changed: true }]);
});

test("two lines without a word in common are marked whole", () => {
  expect(diffWords("alpha beta", "gamma delta").after).toEqual([{ text: "gamma delta", changed: true }]);
});
