import fc from "fast-check";
import { expect, test } from "vitest";
import { mergeLines } from "../../src/audit/merge-lines.ts";

const line = fc.constantFrom("", "a", "b", "c", "d", "e");
const lines = fc.array(line, { maxLength: 8 });
const side = fc.constantFrom("ours", "theirs", "both");
const texts = (merged: ReturnType<typeof mergeLines>) => merged.lines.map(({ text }) => text);
const countOf = (all: readonly string[], text: string) => all.filter((each) => each === text).length;

test("what only one side changed is as that side has it", () => {
  fc.assert(
    fc.property(lines, lines, side, (base, changed, which) => {
      for (const merged of [mergeLines(base, changed, base, which), mergeLines(base, base, changed, which)]) {
        expect([texts(merged), merged.conflicts]).toEqual([changed, []]);
      }
      expect(texts(mergeLines(base, changed, changed, which))).toEqual(changed);
    }),
  );
});

test("no line that a side added is lost but in a conflict, which shows it", () => {
  fc.assert(
    fc.property(lines, lines, lines, (base, ours, theirs) => {
      const merged = mergeLines(base, ours, theirs, "both");
      for (const added of [ours, theirs]) {
        for (const text of new Set(added)) {
          if (countOf(base, text) > 0) continue;
          const shown = [...texts(merged), ...merged.conflicts.flatMap((each) => [...each.ours, ...each.theirs])];
          expect(shown).toContain(text);
        }
      }
      const places = merged.lines.flatMap(({ theirs: place, text }) => (place === undefined ? [] : [[place, text]]));
      for (const [place, text] of places) expect(theirs[place as number]).toBe(text);
    }),
  );
});

test("only a conflict is decided by whose side is taken", () => {
  fc.assert(
    fc.property(lines, lines, lines, (base, ours, theirs) => {
      const [one, other] = [mergeLines(base, ours, theirs, "ours"), mergeLines(base, ours, theirs, "theirs")];
      expect(one.conflicts).toEqual(other.conflicts);
      if (one.conflicts.length === 0) expect(texts(one)).toEqual(texts(other));
      for (const { base: from, ours: mine, theirs: its } of one.conflicts) {
        expect(from.length).toBeGreaterThan(0);
        expect(mine).not.toEqual(its);
      }
    }),
  );
});

test.each<[string, string, string, string, string, number]>([
  ["both add at the end", "a", "a b", "a c", "a b c", 0],
  ["both add the same", "a", "a b", "a b", "a b", 0],
  ["both begin with nothing", "", "a b", "c", "a b c", 0],
  ["one changes a line, the other adds behind it", "a", "x", "a b", "x b", 0],
  ["one removes a line, the other adds behind it", "a b", "b", "a b c", "b c", 0],
  ["both remove the same", "a b c", "a c", "a c d", "a c d", 0],
  ["both change a line, and not in the same way", "a b c", "a x c", "a y c", "a x y c", 1],
  ["one changes a line that the other removes", "a b c", "a x c", "a c", "a x c", 1],
  ["both write everything anew", "a b", "c d", "e", "c d e", 1],
])("%s", (_, base, ours, theirs, expected, conflicts) => {
  const words = (text: string) => text.split(" ").filter((word) => word !== "");
  const merged = mergeLines(words(base), words(ours), words(theirs), "both");
  expect([texts(merged).join(" "), merged.conflicts.length]).toEqual([expected, conflicts]);
});

test("a change within what the other side replaced is one conflict with all of it", () => {
  const [base, whole, within] = [["1", "2", "3", "4"], ["x"], ["1", "2", "B", "4"]];
  for (const [ours, theirs] of [
    [whole, within],
    [within, whole],
  ] as const) {
    const { lines, conflicts } = mergeLines(base, ours, theirs, "theirs");
    expect([lines.map(({ text }) => text), conflicts]).toEqual([theirs, [{ base, ours, theirs }]]);
  }
});
