import { expect, test } from "vitest";
import { isReworded, StepsOf } from "../../src/audit/lost-steps.ts";
import { planSteps } from "../../src/audit/steps.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";

function missing(before: readonly string[], after: readonly string[]): string[] {
  const [one, other] = [before, after].map((steps) => steps.map((step) => `- [ ] ${step}`).join("\n"));
  return new StepsOf(other ?? "", one ?? "").missing(planSteps(one ?? "")).map(({ text }) => text);
}

test("steps that share a number are not taken for each other, and a task keeps its id", () => {
  expect(missing(["#123 Fix the crash", "#123 Add a test"], ["#123 Add a test"])).toEqual(["Fix the crash"]);
  expect(missing(["#123 Fix the crash"], ["#123 Add a test", "#123 Document it"])).toEqual(["Fix the crash"]);
  expect(missing(["#1 Fix it", "#2 Test"], ["#1 Something else", "#2 Test"])).toEqual([]);
  expect(missing(["#7", "#7"], ["#7", "#7"])).toEqual([]);
});

test("a step does not stand for another one with the same text, nor a task for another one with the same subject", () => {
  expect(missing(["Run the tests", "Fix it", "Run the tests"], ["Fix it", "Run the tests"])).toEqual(["Run the tests"]);
  expect(missing(["Run the tests", "Run the tests"], ["Run the tests", "Run the tests again"])).toEqual([]);
  expect(missing(["#1 Run the tests", "#2 Run the tests"], ["#1 Run the tests"])).toEqual(["Run the tests"]);
  expect(missing(["#1 Run the tests"], ["#2 Run the tests"])).toEqual([]);
  const openIn = (before: string, after: string) =>
    new StepsOf(after, before).missing(planSteps(before).filter(({ status }) => status === "pending")).length;
  // What was done before is done still: the open one is gone.
  expect(openIn("- [x] Test\n- [ ] Test", "- [x] Test")).toBe(1);
  expect(openIn("- [x] Test\n- [ ] Test", "- [x] Test\n- [x] Test")).toBe(0);
  expect(openIn("- [x] Test\n- [ ] Test", "- [ ] Test")).toBe(0);
});

test("one step with other words stands for one step, the one that it has the most in common with", () => {
  const login = ["Fix the login", "Fix the login on mobile", "Write it down"];
  expect(missing(login, ["Fix the login on mobile phones", "Write it down"])).toEqual(["Fix the login"]);
  expect(missing(login, ["Fix the login everywhere", "Fix the login on mobile phones", "Write it down"])).toEqual([]);
  expect(missing(login, ["Write it down"])).toEqual(["Fix the login", "Fix the login on mobile"]);
});

test("the stop at the end of a step is looked for in one pass, also where many stand within it", () => {
  expect(isReworded(`Fix it${".".repeat(1_000_000)}x`, "Fix it")).toBe(true);
  expect(isReworded("Fix it …!", "Fix it. And test it ;:")).toBe(true);
});

test("a mark behind a step is looked for in one pass, also where long white space stands before it", () => {
  expect(isReworded(`Fix it${" ".repeat(1_000_000)}<-- now`, "Fix it: all of it")).toBe(true);
  expect(isReworded(`Fix it${" ".repeat(1_000_000)}`, "Fix it: all of it")).toBe(true);
});

test("thousands of steps that begin alike are looked through without a look at each pair of them", () => {
  const [before, after] = [Array(4000).fill("abcdef"), Array(3999).fill("abcdef x")];
  for (let times = 0; times < 10; times++) expect(missing(before, after)).toEqual(["abcdef"]);
});

test("no step is called dropped that stands further down in a plan than is read", async () => {
  const journal = await openJournal(memoryStore(), { limits: { plan: 200_000 } });
  const plan = (more: string) => Array.from({ length: 4000 }, (_, step) => `- [ ] step ${step}${more}`).join("\n");
  await journal.plan.set(plan(""));
  await journal.plan.set(plan(" and more"));
  expect((await journal.lost()).filter(({ reason }) => reason === "dropped")).toEqual([]);
  await journal.close();
});
