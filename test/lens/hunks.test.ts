import { expect, test } from "vitest";
import { hunksOf, patched } from "../../src/lens/hunks.ts";

test("hunks are put where they say, also where those before them made the text longer or shorter", () => {
  const hunks = hunksOf("@@ -1,2 +1,3 @@\n a\n+new\n+er\n-b\n@@ -4 +5,0 @@\n-d\n@@ -6 +6 @@\n-f\n+F\n");
  expect(patched("a\nb\nc\nd\ne\nf\n", hunks)).toBe("a\nnew\ner\nc\ne\nF\n");
});

test("a hunk that stands elsewhere than it says is put at the one place that it fits, before or behind the last", () => {
  const [first, second] = ["@@ -1 +1 @@\n-c\n+C\n", "@@ -9 +9,2 @@\n-a\n+A\n+AA\n"];
  expect(patched("a\nb\nc\n", hunksOf(first + second))).toBe("A\nAA\nb\nC\n");
  expect(patched("b\na\na\n", hunksOf(second))).toBeUndefined();
});

test("whether a text ends with a line feed before and after a hunk is in the diff", () => {
  const bare = "\\ No newline at end of file\n";
  const hunk = (lines: string) => hunksOf(`@@ -1,2 +1,2 @@\n a\n${lines}`);
  expect(patched("a\nb", hunk(`-b\n${bare}+c\n`))).toBe("a\nc\n");
  expect(patched("a\nb\n", hunk(`-b\n+c\n${bare}`))).toBe("a\nc");
  expect(patched("a\nb", hunk(`-b\n${bare}+c\n${bare}`))).toBe("a\nc");
  expect(patched("a\nb", hunk(`+c\n b\n${bare}`))).toBe("a\nc\nb");
  expect(patched("a", hunksOf(`@@ -1 +0,0 @@\n-a\n${bare}`))).toBe("");
  expect(patched("", hunksOf(`@@ -0,0 +1 @@\n+a\n${bare}`))).toBe("a");
});

test("a hunk adds more lines than a call may have arguments", () => {
  const added = "+y\n".repeat(200_000);
  expect(patched("x\n", hunksOf(`@@ -1 +1,200001 @@\n x\n${added}`))).toBe(`x\n${"y\n".repeat(200_000)}`);
});

test("a hunk that would be looked for without end in lines that are all the same is given up", () => {
  const hunk = `@@ -1,400001 +1,400001 @@\n${" x\n".repeat(400_000)}-y\n+z\n`;
  expect(patched("x\n".repeat(800_000), hunksOf(hunk))).toBeUndefined();
});

test("hunks that lead from one end of a long text to the other over and over are given up", () => {
  const apart = "@@ -1 +1 @@\n-x\n+x\n@@ -100000 +100000 @@\n-x\n+x\n";
  expect(patched("x\n".repeat(100_000), hunksOf(apart))).toBe("x\n".repeat(100_000));
  expect(patched("x\n".repeat(100_000), hunksOf(apart.repeat(500)))).toBeUndefined();
});
