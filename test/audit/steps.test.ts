import fc from "fast-check";
import { expect, test } from "vitest";
import { planProgress, planSteps } from "../../src/index.ts";

function told(text: string): string[] {
  return planSteps(text).map(({ status, text: what }) => `${status}: ${what}`);
}

test("each kind of box is its status, with any list marker or none", () => {
  const plan = "- [ ] a\n- [>] b\n* [x] c\n+ [X] d\n1. [-] e\n[!] f\n- [] g\n> - [x] h\n\t\t- [x] i\r\n- [x]";
  expect(told(plan)).toEqual([
    "pending: a",
    "in_progress: b",
    "completed: c",
    "completed: d",
    "cancelled: e",
    "blocked: f",
    "pending: g",
    "completed: h",
    "completed: i",
    "completed: ",
  ]);
});

test("numbered lines, struck ones and ones that say DONE are steps", () => {
  const plan =
    "Plan:\n1. Fix auth bug\n2) Add test — DONE\n3. ~~Write docs~~\n4. [DONE] Ship\nDONE: call\n~~old~~\n- [ ] ~~x~~";
  expect(told(plan)).toEqual([
    "pending: Fix auth bug",
    "completed: Add test",
    "completed: Write docs",
    "completed: Ship",
    "completed: call",
    "completed: old",
    "cancelled: x",
  ]);
});

test("plain list items are steps only where one of them is struck or done", () => {
  expect(told("- one\n- two")).toEqual([]);
  expect(told("- one\n- ~~two~~\n- three DONE")).toEqual(["pending: one", "completed: two", "completed: three"]);
});

test.each([
  ["1. ~~a~~ done", "completed: a"],
  ["- ~~a~~ Done.", "completed: a"],
  ["~~a~~ (finished)", "completed: a"],
  ["- ~~a~~ — completed", "completed: a"],
  ["- [ ] ~~a~~ done", "completed: a"],
  ["- ~~a~~ ✅", "completed: a"],
  ["- a ✅", "completed: a"],
  ["1. a ✔️", "completed: a"],
  ["- ✅ a", "completed: a"],
  ["☑ a", "completed: a"],
  ["⬜ a", "pending: a"],
  ["- ☐ a", "pending: a"],
  ["- a (done)", "completed: a"],
  ["- [ ] a — DONE", "completed: a"],
  ["- [ ] a [DONE]", "completed: a"],
  ["- [ ] DONE: a", "completed: a"],
  ["2. a [Done]", "completed: a"],
  ["- a: done", "completed: a"],
  ["- a — done", "completed: a"],
  ["- Done: a", "completed: a"],
])("people write it so that a step is done, or open: %s", (line, expected) => {
  expect(told(line)).toEqual([expected]);
});

test.each([
  ["1. get it done", "pending: get it done"],
  ["1. a - not done", "pending: a - not done"],
  ["1. ~~a~~ replaced by b", "pending: ~~a~~ replaced by b"],
  ["- [ ] show ✅", "pending: show ✅"],
  ["- [ ] ask when it is (done)", "pending: ask when it is (done)"],
  ["- [ ] Move the ticket to DONE", "pending: Move the ticket to DONE"],
  ["- [x] Move the ticket to DONE", "completed: Move the ticket to DONE"],
  ["- [ ] DONE", "pending: DONE"],
  ["- [ ] DONE column: style it", "pending: DONE column: style it"],
  ["- [ ] ~~a~~", "cancelled: a"],
  ["1. ~~~~ done", "pending: ~~~~ done"],
])("a word or a sign of the step itself marks nothing: %s", (line, expected) => {
  expect(told(line)).toEqual([expected]);
});

test("what only looks like a step is none", () => {
  expect(told("## Phase 1 DONE\n## Phase 2 ✅\n✅\n- ✅\nDone: nothing\nall is (done)")).toEqual([]);
  expect(
    told("[link](x)\n- [a](b)\n1.5 seconds\n12345. no\n# 1. a heading\n-\n\n[x](y)\nUNDONE\nit is NOT DONE"),
  ).toEqual([]);
  expect(told("```\n- [ ] in code\n```\n- [ ] after")).toEqual(["pending: after"]);
});

test("a task's own id and what blocks it are told apart from its text", () => {
  expect(planSteps("- [x] #3 Add tests (after #1, #2)\n- [ ] #12")).toEqual([
    { text: "Add tests", status: "completed", line: 1, id: "3", after: ["1", "2"] },
    { text: "", status: "pending", line: 2, id: "12" },
  ]);
});

test("progress counts what is done and names the step in progress; a cancelled step is in neither number", () => {
  expect(planProgress("- [x] a\n- [>] b\n- [>] c\n- [-] d\n- [!] e")).toEqual({ done: 1, total: 4, current: "b" });
  expect(planProgress("1. Fix auth bug\n2. Add test")).toEqual({ done: 0, total: 2 });
  expect(planProgress("")).toEqual({ done: 0, total: 0 });
  expect(planProgress("- [x] #1 a\n- [>] #5 ")).toEqual({ done: 1, total: 2, current: "#5" });
});

test("a step that says that it is the current one is in progress, and the mark is not its text", () => {
  const of = (text: string) => planSteps(text).map((step) => `${step.status} ${step.text}`);
  expect(of("1. ~~Fix auth bug~~ DONE\n2. Add test <-- current\n3. Update docs")).toEqual([
    "completed Fix auth bug",
    "in_progress Add test",
    "pending Update docs",
  ]);
  expect(of("- a\n- b ← current")).toEqual(["pending a", "in_progress b"]);
  expect(of("- [x] a <-- current\n- [ ] b <- Current")).toEqual(["completed a", "in_progress b"]);
  expect(of("1. say what <-- current means\n2. the alternating current")).toEqual([
    "pending say what <-- current means",
    "pending the alternating current",
  ]);
  expect(planProgress("1. Fix it <-- current")).toEqual({ done: 0, total: 1, current: "Fix it" });
  expect(of("## Phase 1\n- [x] a\n## Phase 2 <-- current\n- [ ] b")).toEqual(["completed a", "pending b"]);
});

test("a mark that stands alone is no step", () => {
  for (const mark of ["DONE", "- DONE", "<-- current", "- <-- current", "   ← current"]) {
    expect(planSteps(`1. a\n${mark}\n2. b`).map(({ text }) => text)).toEqual(["a", "b"]);
  }
});

test("of a text over the cap only whole lines of its beginning are read", () => {
  const line = `- [ ] ${"x".repeat(993)}\n`;
  expect(planSteps(line.repeat(200)).length).toBe(65);
  expect(planSteps(line.repeat(200)).every(({ text }) => text.length === 993)).toBe(true);
  expect(planSteps(`- [ ] ${"x".repeat(70_000)}\n- [ ] a`)).toEqual([]);
});

test("any text has an answer, however it is built, and no step is invented", () => {
  const piece = fc.constantFrom(
    "- [",
    "x",
    "]",
    " ",
    "\t",
    "~~",
    "DONE",
    "(done)",
    "✅",
    "\uFE0F",
    "(after ",
    "#1",
    ", ",
    ")",
    "1.",
    ">",
    "\n",
    "```",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      const lines = text.split("\n");
      for (const step of planSteps(text)) expect(lines[step.line - 1]).toContain(step.text);
      const { done, total } = planProgress(text);
      expect(done).toBeLessThanOrEqual(total);
    }),
  );
});

test.each([" ", "\t", "> ", "~~", "- [", "DONE ", "#1", "(after #1", "(after #1, ", "1. ", "✅", "~~a~~ ", "done: "])(
  "64 KB of %j takes no more than time in proportion to it",
  (piece) => {
    const long = piece.repeat(Math.floor(65_000 / piece.length));
    // A pattern that went back over the line would not come to an end here.
    for (const text of [long, `- [ ] ${long}x`, `1. ${long}DONE`]) planProgress(text);
  },
);

test("what is no text has no steps to tell, and is told so", () => {
  for (const asked of [planSteps, planProgress])
    for (const wrong of [5, undefined, ["- [ ] a"]])
      expect(() => Reflect.apply(asked, undefined, [wrong])).toThrow("planSteps and planProgress take a text");
});
