import { expect, test } from "vitest";
import { doubtfulSteps } from "../../src/audit/doubtful.ts";
import { stepsOverTime } from "../../src/audit/steps-over-time.ts";
import { historyOf } from "./histories.ts";

function toldOf(...texts: string[]) {
  const events = historyOf(texts.map((text) => ({ type: "plan.set" as const, text })));
  return stepsOverTime(events).map(({ text, changes }) => {
    return [text, changes.map(({ status, position }) => `${status} ${position}`).join(", ")];
  });
}

test("each step has one row from when it was listed to when it left, however often it changed", () => {
  expect(toldOf("- [ ] a\n- [ ] b", "- [>] a\n- [ ] b", "- [x] a", "- [x] a\n- [ ] b", "")).toEqual([
    ["a", "pending 1, in_progress 2, completed 3, gone 5"],
    ["b", "pending 1, gone 3, pending 4, gone 5"],
  ]);
});

test("a step whose text changed is the same step: by its id, or by its beginning", () => {
  expect(toldOf("- [ ] #1 a\n- [ ] Fix the login", "- [>] #1 b\n- [x] Fix the login: compare in UTC")).toEqual([
    ["b", "pending 1, in_progress 2"],
    ["Fix the login: compare in UTC", "pending 1, completed 2"],
  ]);
});

test("steps that share a number have a row each, also where one of them had it alone", () => {
  const both = (one: string, other: string): string => `- [${one}] #12 Fix it\n- [${other}] #12 Test it`;
  expect(toldOf("- [>] #12 Fix it", both(">", " "), both("x", ">"), "- [x] #12 Test it: all of it")).toEqual([
    ["Fix it", "in_progress 1, completed 3, gone 4"],
    ["Test it: all of it", "pending 2, in_progress 3, completed 4"],
  ]);
});

test("steps with one text have a row each: the first is the first, and where there are fewer, those stay that are as they were", () => {
  expect(
    toldOf("- [ ] Test\n- [ ] Fix\n- [ ] Test", "- [x] Test\n- [ ] Fix\n- [>] Test", "- [x] Fix\n- [x] Test"),
  ).toEqual([
    ["Test", "pending 1, completed 2"],
    ["Fix", "pending 1, completed 3"],
    ["Test", "pending 1, in_progress 2, gone 3"],
  ]);
  expect(toldOf("- [x] a\n- [>] a", "- [ ] a", "- [x] a", "- [x] a\n- [ ] a")).toEqual([
    ["a", "completed 1, gone 2, pending 4"],
    ["a", "in_progress 1, pending 2, completed 3"],
  ]);
});

test("of two steps with one text, the one that was left in progress is doubtful", () => {
  const events = historyOf(
    ["- [>] Test\n- [ ] Test", "- [x] Test\n- [>] Test"].map((text) => ({ type: "plan.set", text })),
  );
  expect(doubtfulSteps({ events, calls: [0, 1] })).toMatchObject([
    { text: "Test", doubt: "left in progress", version: 2 },
  ]);
});

test("a step that got other words, and one that has its old words, are two", () => {
  expect(toldOf("- [ ] Fix it all", "- [>] Fix it all: in UTC", "- [>] Fix it all\n- [x] Fix it all: in UTC")).toEqual([
    ["Fix it all: in UTC", "pending 1, in_progress 2, completed 3"],
    ["Fix it all", "in_progress 3"],
  ]);
});

test("thousands of steps with one text are read in a moment", () => {
  const steps = (count: number) => Array.from({ length: count }, () => "- [ ] a").join("\n");
  expect(toldOf(steps(8000), steps(4000), steps(8000))).toHaveLength(8000);
});

test("a restored state and a text that is listed twice change what they change, once", () => {
  const [set] = historyOf([{ type: "plan.set", text: "- [ ] a\n- [x] a" }]);
  const state = { notes: "", plan: "- [x] a", refs: [], entries: {}, leases: {}, sections: {} };
  const told = historyOf([...(set === undefined ? [] : [set]), { type: "state.restored", to: 0, state }]);
  expect(stepsOverTime(told).map(({ changes }) => changes.map(({ status }) => status))).toEqual([
    ["pending", "gone"],
    ["completed"],
  ]);
});

test("a plan of many thousand steps that is replaced whole is read in a moment", () => {
  const steps = (word: string) => Array.from({ length: 4000 }, (_, index) => `- [ ] ${word} ${index}`).join("\n");
  expect(toldOf(steps("a"), steps("b"), steps("a"))).toHaveLength(8000);
});
