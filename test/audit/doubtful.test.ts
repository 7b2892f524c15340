import { expect, test } from "vitest";
import { doubtfulForeignSteps, doubtfulSteps } from "../../src/audit/doubtful.ts";
import { lost } from "../../src/audit/lost.ts";
import { historyOf } from "./histories.ts";

function plans(...texts: readonly string[]) {
  return historyOf(texts.map((text) => ({ type: "plan.set" as const, text })));
}

test("a step that was completed without work, without having been begun, or was left, is doubtful", () => {
  const events = plans(
    "- [ ] a\n- [ ] b\n- [>] c\n- [x] old",
    "- [>] a\n- [ ] b\n- [>] c\n- [x] old",
    "- [x] a\n- [x] b\n- [>] c\n- [x] old",
  );
  const doubts = (calls?: number[]) =>
    doubtfulSteps({ events, ...(calls === undefined ? {} : { calls }) }).map(({ text, doubt, version }) => [
      text,
      doubt,
      version,
    ]);
  expect(doubts([0, 3, 3])).toEqual([
    ["a", "no work", 3],
    ["b", "never begun", 3],
    ["c", "left in progress", 1],
  ]);
  expect(doubts([0, 3, 4])).toEqual([
    ["b", "never begun", 3],
    ["c", "left in progress", 1],
  ]);
  expect(doubts()).toEqual(doubts([0, 3, 4]));
});

test("compactions after a step was begun are counted, those before are not", () => {
  const events = plans("- [>] a").map((recorded) => ({ ...recorded, offset: 50 }));
  const markers = [10, 60, 70].map((offset) => ({ marker: "compaction" as const, offset, line: 1, detail: "" }));
  const others = (["model", "branch"] as const).map((marker) => ({ marker, offset: 65, line: 1, detail: "" }));
  expect(doubtfulSteps({ events, markers: [...markers, ...others] })).toMatchObject([{ text: "a", compactions: 2 }]);
});

test("a task is known by its id when its text changes", () => {
  expect(doubtfulSteps({ events: plans("- [>] #1 a", "- [x] #1 b"), calls: [0, 1] })).toEqual([]);
});

test("a task whose text nobody told is named by its id", () => {
  expect(doubtfulSteps({ events: plans("- [>] #7") })).toMatchObject([{ text: "#7", doubt: "left in progress" }]);
  expect(doubtfulSteps({ events: plans("- [ ] #7", "- [x] #7") })).toMatchObject([{ text: "#7" }]);
  expect(lost(plans("- [ ] #7\n- [ ] #8", "- [ ] #8"))).toMatchObject([
    { reason: "dropped", text: "#7" },
    { reason: "unfinished", text: "#8" },
  ]);
});

test("a client whose lists have no mark for what is in progress leaves no step in doubt for the lack of it", () => {
  const events = plans("- [ ] a", "- [x] a");
  expect(doubtfulForeignSteps("codex", { events })).toMatchObject([{ doubt: "never begun" }]);
  expect(doubtfulForeignSteps("pi", { events })).toEqual([]);
});

test("a compaction that a rewind left behind did not come after a step, and one that a later rewind took up again did", () => {
  const events = plans("- [>] a").map((recorded) => ({ ...recorded, offset: 5 }));
  const mark = (marker: "compaction" | "branch", offset: number, back?: number) => ({
    ...{ marker, offset, line: 1, detail: "" },
    ...(back === undefined ? {} : { back }),
  });
  const left = [mark("compaction", 10), mark("compaction", 20), mark("branch", 30, 15)];
  const count = (...markers: ReturnType<typeof mark>[]) => doubtfulSteps({ events, markers })[0]?.compactions;
  expect(count(...left)).toBe(1);
  expect(count(...left, mark("compaction", 40))).toBe(2);
  expect(count(...left, mark("compaction", 40), mark("branch", 50, 25))).toBe(2);
  expect(count(...left, mark("branch", 50, 0))).toBe(0);
  // Places that an import carries are those of another session.
  expect(count({ ...mark("compaction", 99), after: 2 } as never, ...left)).toBe(2);
});
