import { applyPatch } from "diff";
import fc from "fast-check";
import { expect, test } from "vitest";
import { diffLines, diffWords, matchLines, unifiedText } from "../../src/audit/lines.ts";

const lines = fc.array(fc.constantFrom("", "a", "b", "c", "d\r", "\\ e"), { maxLength: 12 });
const names = { before: "before", after: "after" };

function longestCommon(before: readonly string[], after: readonly string[]): number {
  let row = new Array<number>(after.length + 1).fill(0);
  for (const line of before) {
    const next = [0];
    after.forEach((other, index) => {
      next.push(line === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    });
    row = next;
  }
  return row[after.length] ?? 0;
}

test("matched lines are equal, in order, and as many as can be", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const matches = matchLines(before, after);
      const pairs = matches.flatMap((from, to) => (from === -1 ? [] : [[from, to] as const]));
      for (const [from, to] of pairs) expect(before[from]).toBe(after[to]);
      const sources = pairs.map(([from]) => from);
      expect(sources).toEqual([...new Set(sources)].sort((a, b) => a - b));
      expect(pairs.length).toBe(longestCommon(before, after));
    }),
  );
});

test("the runs of a line diff tell both texts", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const runs = diffLines(before, after);
      const side = (not: string) => runs.filter(({ kind }) => kind !== not).flatMap((run) => run.lines);
      expect(side("added")).toEqual(before);
      expect(side("removed")).toEqual(after);
    }),
  );
});

test("a unified diff turns the one text into the other", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const [from, to] = [before.join("\n"), after.join("\n")];
      const patch = unifiedText(from, to, names);
      expect(patch === "").toBe(from === to);
      if (patch !== "") expect(applyPatch(from, patch, { autoConvertLineEndings: false })).toBe(to);
    }),
  );
});

test("the words of a line diff, joined, are the line", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const words = diffWords(before, after);
      expect(words.before.map(({ text }) => text).join("")).toBe(before);
      expect(words.after.map(({ text }) => text).join("")).toBe(after);
    }),
  );
});
