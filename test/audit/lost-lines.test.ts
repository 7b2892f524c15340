import { expect, test } from "vitest";
import { type AuthoredLines, attribute, initialAuthorship } from "../../src/audit/blame.ts";
import { lost } from "../../src/audit/lost.ts";
import { takenLines } from "../../src/audit/lost-lines.ts";
import type { RecordedEvent, ScratchpadEvent } from "../../src/event/event.ts";
import { emptyImage, historyOf } from "./histories.ts";

class CountedTexts extends Map<string, AuthoredLines> {
  readonly asked: string[] = [];

  override get(key: string): AuthoredLines | undefined {
    this.asked.push(key);
    return super.get(key);
  }
}

const at = "2026-01-01T00:00:00.000Z";
const sections = ["a.md", "b.md", "c.md"].map((name): ScratchpadEvent => {
  return { type: "section.written", name, text: `of ${name}`, at };
});

/** The result has what the event took after sections were written, and which of them were looked at. */
function takenBy(event: ScratchpadEvent): { lines: readonly string[]; asked: readonly string[] } {
  const history = historyOf([...sections, event]);
  const newest = history.at(-1) as RecordedEvent;
  const before = history
    .slice(0, -1)
    .reduce((authorship, each) => attribute(authorship, each, () => undefined), initialAuthorship);
  const after = attribute(before, newest, () => undefined);
  const counted = after.sections === before.sections ? before.sections : new CountedTexts(after.sections);
  const lines = takenLines(before, { ...after, sections: counted }, newest).flatMap((taken) => taken.lines);
  return { lines, asked: counted instanceof CountedTexts ? counted.asked : [] };
}

test("of many sections, only the one is looked at that the event names", () => {
  expect(takenBy({ type: "section.written", name: "b.md", text: "", at })).toEqual({
    lines: ["of b.md"],
    asked: ["b.md"],
  });
  expect(takenBy({ type: "section.cleared", name: "c.md" })).toEqual({ lines: ["of c.md"], asked: ["c.md"] });
  expect(takenBy({ type: "plan.set", text: "- [ ] a" })).toEqual({ lines: [], asked: [] });
});

test("an event that puts a whole state in place may take from each section", () => {
  expect(takenBy({ type: "state.restored", to: 0, state: emptyImage })).toEqual({
    lines: ["of a.md", "of b.md", "of c.md"],
    asked: ["a.md", "b.md", "c.md"],
  });
});

test("more refs are taken at once than a call may have arguments", () => {
  const refs = Array.from({ length: 130_000 }, (_, index) => `r${index}`);
  const losses = lost(
    historyOf([
      { type: "refs.set", refs },
      { event: { type: "refs.set", refs: [] }, actor: "another" },
    ]),
  );
  expect(losses.length).toBe(refs.length);
  expect(losses.every(({ text }, index) => text === refs[index])).toBe(true);
});
