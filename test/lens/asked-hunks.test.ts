import { expect, test } from "vitest";
import { patchedAsAsked } from "../../src/lens/asked-hunks.ts";

test("hunks that only add come out in the order of the patch", () => {
  expect(patchedAsAsked("x\n", ["@@", "+a", "@@", "+b"])).toBe("x\na\nb\n");
});

test("a line is found whose dashes, quotes and spaces a typographer set", () => {
  expect(patchedAsAsked("use “x”\u00a0–\u2009it’s\n", ["@@", '-use "x" - it\'s', "+done"])).toBe("done\n");
  expect(patchedAsAsked("use “x” – now\n", ["@@", '-use "y" - now', "+done"])).toBeUndefined();
});

test("a blank line before the first hunk is none of it", () => {
  expect(patchedAsAsked("a\n\nb\n", ["", "@@", "-a", "+A"])).toBe("A\n\nb\n");
});

test("a patch that would be looked for without end is given up as a whole, not hunk by hunk", () => {
  const text = "x\n".repeat(20_000);
  const hunk = ["@@", ...Array.from({ length: 600 }, () => " x"), "-y"];
  expect(patchedAsAsked(text, hunk)).toBeUndefined();
});

test("a hunk adds more lines than a call may have arguments", () => {
  const added = Array.from({ length: 200_000 }, () => "+y");
  expect(patchedAsAsked("x\n", ["@@", " x", ...added])).toBe(`x\n${"y\n".repeat(200_000)}`);
});

test("of hunks that change the blank line at the end and add lines there, the client changes the last first", () => {
  expect(patchedAsAsked("a\n\n", ["@@", " a", "-", "+b", "@@", "+c"])).toBe("a\nb\n");
  expect(patchedAsAsked("a\n\n", ["@@", "+c", "@@", "-a", "+b"])).toBe("b\nc\n");
});
