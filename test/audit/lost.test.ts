import { expect, test } from "vitest";
import { lost } from "../../src/audit/lost.ts";
import type { ScratchpadEvent } from "../../src/event/event.ts";
import { emptyImage, historyOf } from "./histories.ts";

function losses(history: Parameters<typeof lost>[0]): [number, string, string, string][] {
  return lost(history).map(({ version, reason, space, text }) => [version, reason, space, text]);
}

test("a cut end, a capped list, an evicted ref and a refused offer are each there whole", () => {
  const history = historyOf([
    { type: "notes.set", text: "kept", dropped: "cut\noff" },
    { type: "plan.set", text: "kept", dropped: "later steps" },
    { type: "refs.set", refs: ["a"], dropped: ["b", "c\nd"] },
    { type: "ref.added", ref: "e", evicted: "a" },
    { type: "action.refused", action: "append_notes", code: "over_budget", offered: { content: "too much" } },
    { type: "action.refused", action: "refs.remove", code: "not_found", offered: { ref: "gone" } },
    {
      type: "action.refused",
      action: "entries.write",
      code: "held",
      offered: { action: "entries.write", key: "k", content: "mine" },
    },
  ]);
  expect(losses(history)).toEqual([
    [1, "truncated", "notes", "cut\noff"],
    [2, "truncated", "plan", "later steps"],
    [3, "capped", "refs", "b"],
    [3, "capped", "refs", "c\nd"],
    [4, "evicted", "refs", "a"],
    [5, "refused", "notes", "too much"],
    [6, "refused", "refs", "gone"],
    [7, "refused", "entries", "mine"],
  ]);
});

test("a refused offer for an entry or a section does not say for which one", () => {
  const refusal = (action: string, offered: { readonly [name: string]: string }): ScratchpadEvent => ({
    type: "action.refused",
    action,
    code: "not_found",
    offered,
  });
  const history = historyOf([
    refusal("entries.write", { key: "k", content: "mine" }),
    refusal("sections.clear", { name: "mood" }),
    refusal("refs.remove", { ref: "gone", key: "no entry" }),
  ]);
  expect(lost(history).map(({ key }) => key)).toEqual(["k", "mood", undefined]);
});

test("a refused edit is kept with everything that it offered", () => {
  const offered = { operation: "find_replace", find: "a", replace: "b" };
  const [loss] = lost(historyOf([{ type: "action.refused", action: "edit_notes", code: "not_found", offered }]));
  expect(JSON.parse(loss?.text ?? "")).toEqual(offered);
});

test("what a runtime writes over from outside is lost by the line; what only moved is not", () => {
  const outside = { origin: "host", actor: "host" } as const;
  const history = historyOf([
    { event: { type: "notes.set", text: "one\ntwo\ntwo\nthree" }, ...outside },
    { event: { type: "notes.set", text: "three\nONE\ntwo" }, ...outside },
    { type: "refs.set", refs: ["a", "b", "b"] },
    { event: { type: "refs.set", refs: ["b", "c"] }, ...outside },
    { event: { type: "legacy.set", text: "" }, origin: "legacy", actor: "host" },
  ]);
  expect(losses(history)).toEqual([
    [2, "replaced", "notes", "one\ntwo"],
    [4, "replaced", "refs", "a"],
    [4, "replaced", "refs", "b"],
    [5, "removed", "notes", "three\nONE\ntwo"],
  ]);
});

/** What `bob` did to what `ann` wrote. */
function taken(anns: ScratchpadEvent[], bobs: ScratchpadEvent[], options?: { all?: boolean }) {
  const history = historyOf([
    ...anns.map((event) => ({ event, actor: "ann" })),
    ...bobs.map((event) => ({ event, actor: "bob", turn: 2 })),
  ]);
  return lost(history, options).map(({ version: _v, turn: _t, at: _a, ...loss }) => loss);
}

const at = "2026-11-21T20:00:00.000Z";

test.each<[string, ScratchpadEvent[], ScratchpadEvent[], object[]]>([
  [
    "notes written over",
    [{ type: "notes.set", text: "one\ntwo\nthree" }],
    [{ type: "notes.set", text: "three\nfour" }],
    [{ reason: "replaced", space: "notes", text: "one\ntwo" }],
  ],
  [
    "notes cleared",
    [{ type: "notes.set", text: "one" }],
    [{ type: "notes.set", text: "" }],
    [{ reason: "removed", space: "notes", text: "one" }],
  ],
  [
    "a line deleted",
    [{ type: "notes.set", text: "one\ntwo" }],
    [{ type: "notes.edited", operation: "delete", find: "one\n" }],
    [{ reason: "removed", space: "notes", text: "one" }],
  ],
  [
    "a word found and replaced",
    [{ type: "notes.set", text: "port 8080\ntwo" }],
    [{ type: "notes.edited", operation: "find_replace", find: "8080", replace: "8081" }],
    [{ reason: "replaced", space: "notes", text: "port 8080" }],
  ],
  [
    "plan that is no list written over",
    [{ type: "plan.set", text: "do it well" }],
    [{ type: "plan.set", text: "do it fast" }],
    [{ reason: "replaced", space: "plan", text: "do it well" }],
  ],
  [
    "refs",
    [{ type: "refs.set", refs: ["a", "b", "c"] }],
    [
      { type: "ref.removed", ref: "b" },
      { type: "refs.set", refs: ["c", "d"] },
    ],
    [
      { reason: "removed", space: "refs", text: "b" },
      { reason: "replaced", space: "refs", text: "a" },
    ],
  ],
  [
    "an entry written over, and one deleted",
    [
      { type: "entry.written", key: "k", text: "v\nw" },
      { type: "entry.written", key: "gone", text: "x" },
    ],
    [
      { type: "entry.written", key: "k", text: "w" },
      { type: "entry.deleted", key: "gone" },
    ],
    [
      { reason: "removed", space: "entries", key: "k", text: "v" },
      { reason: "removed", space: "entries", key: "gone", text: "x" },
    ],
  ],
  [
    "a section written over, and one cleared",
    [
      { type: "section.written", name: "Alerts", text: "disk full", at },
      { type: "section.written", name: "Mood", text: "calm", at },
    ],
    [
      { type: "section.written", name: "Alerts", text: "none", at },
      { type: "section.cleared", name: "Mood" },
    ],
    [
      { reason: "replaced", space: "sections", key: "Alerts", text: "disk full" },
      { reason: "removed", space: "sections", key: "Mood", text: "calm" },
    ],
  ],
  [
    "everything, by a restore",
    [{ type: "notes.set", text: "one" }],
    [{ type: "state.restored", to: 0, state: emptyImage }],
    [{ reason: "removed", space: "notes", text: "one" }],
  ],
])("%s by another actor is lost, with who wrote it and who took it", (_, anns, bobs, expected) => {
  expect(taken(anns, bobs)).toEqual(expected.map((loss) => ({ author: "ann", actor: "bob", ...loss })));
});

test("each author's lines are a loss of their own, and one's own are none", () => {
  const history = historyOf([
    { event: { type: "notes.set", text: "a1" }, actor: "ann" },
    { event: { type: "notes.appended", text: "b1" }, actor: "bob" },
    { event: { type: "notes.appended", text: "a2" }, actor: "ann" },
    { event: { type: "notes.set", text: "new" }, actor: "bob" },
  ]);
  const rows = (all: boolean) => lost(history, { all }).map(({ author, text }) => [author, text]);
  expect(rows(false)).toEqual([["ann", "a1\na2"]]);
  expect(rows(true)).toEqual([
    ["ann", "a1\na2"],
    ["bob", "b1"],
  ]);
});

test("a plan that another actor only marks keeps its steps; what it drops is lost as text and as steps", () => {
  const plan = "1. Fix auth bug\n2. Add test\n3. Update docs";
  const marked = "1. ~~Fix auth bug~~ DONE\n2. Add test <-- current\n3. Update docs";
  const anns: ScratchpadEvent[] = [{ type: "plan.set", text: plan }];
  const open = (text: string, actor: string) => ({ actor, reason: "unfinished", space: "plan", text });
  expect(taken(anns, [{ type: "plan.set", text: marked }])).toEqual([
    open("Add test", "bob"),
    open("Update docs", "ann"),
  ]);
  expect(
    taken(anns, [
      { type: "plan.set", text: marked },
      { type: "plan.set", text: "1. Ship" },
    ]),
  ).toEqual([
    { author: "ann", actor: "bob", reason: "replaced", space: "plan", text: "3. Update docs" },
    { author: "bob", actor: "bob", reason: "dropped", space: "plan", text: "Add test" },
    { author: "ann", actor: "bob", reason: "dropped", space: "plan", text: "Update docs" },
    open("Ship", "bob"),
  ]);
});

test("a plan's line that another actor takes away is not held to stand in a longer step beside it", () => {
  const anns: ScratchpadEvent[] = [{ type: "plan.set", text: "- [x] Fix the login\n- [x] Fix the login on mobile" }];
  expect(taken(anns, [{ type: "plan.set", text: "- [x] Fix the login on mobile" }])).toEqual([
    { author: "ann", actor: "bob", reason: "removed", space: "plan", text: "- [x] Fix the login" },
  ]);
});

test.each<[string, string, string[]]>([
  ["- [x] a step\n- [ ] another", "- [x] another", []],
  ["- [ ] a step\n- [>] another\n- [!] a third one", "", ["a step", "another", "a third one"]],
  ["- [x] a step\n- [-] another", "", []],
  ["- [ ] #3 a step\n- [ ] #4 another", "- [x] #3 worded anew", ["another"]],
  ["1. Write tests", "1. Write tests (unit and race)", []],
  ["1. Write tests", "1. Write testsuites", ["Write tests"]],
  ["- [ ] Fix the login\n- [ ] Fix the login on mobile", "- [>] Fix the login on mobile", ["Fix the login"]],
  ["- [ ] Fix the login on mobile\n- [ ] Fix the login", "- [x] Fix the login", ["Fix the login on mobile"]],
  ["- [ ] #1 Fix it all\n- [ ] #2 Fix it all later", "- [ ] #2 Fix it all later, or never", ["Fix it all"]],
  ["- [ ] Fix the login\n- [ ] Ship", "- [ ] Fix the login on mobile\n- [ ] Ship", []],
  ["no list", "", []],
])("of the plan %j, %j drops %j, whoever wrote it", (before, after, dropped) => {
  const history = historyOf([
    { type: "plan.set", text: before },
    { type: "plan.set", text: after },
  ]);
  const steps = lost(history).filter(({ reason }) => reason === "dropped");
  expect(steps.map(({ text }) => text)).toEqual(dropped);
  for (const step of steps) expect(step).toMatchObject({ version: 2, author: "agent", actor: "agent", space: "plan" });
});

test("a step that a budget cut off is in what was cut off; one that is open at the end is unfinished", () => {
  const history = historyOf([
    { type: "plan.set", text: "1. one\n2. two" },
    { type: "plan.set", text: "1. one", dropped: "\n2. two" },
    { event: { type: "plan.set", text: "1. DONE one\n2. three" }, turn: 4, actor: "bob" },
  ]);
  expect(losses(history)).toEqual([
    [2, "truncated", "plan", "\n2. two"],
    [3, "unfinished", "plan", "three"],
  ]);
  expect(lost(history).at(-1)).toMatchObject({ turn: 4, actor: "bob" });
});

test("what an agent itself replaces, edits, deletes or restores is no loss", () => {
  const history = historyOf([
    { type: "notes.set", text: "one" },
    { type: "notes.set", text: "two" },
    { type: "notes.edited", operation: "delete", find: "two" },
    { type: "entry.written", key: "k", text: "v" },
    { type: "entry.deleted", key: "k" },
    { type: "state.restored", to: 0, state: emptyImage },
  ]);
  expect(lost(history)).toEqual([]);
  expect(lost(history, { all: true }).map(({ reason, text }) => [reason, text])).toEqual([
    ["replaced", "one"],
    ["removed", "two"],
    ["removed", "v"],
  ]);
});

test("an ignored legacy write is listed and takes nothing else away", () => {
  const history = historyOf([
    { type: "notes.set", text: "new" },
    { event: { type: "legacy.set", text: "old", ignored: true }, origin: "legacy", actor: "legacy", turn: 2 },
  ]);
  expect(lost(history)).toEqual([
    { version: 2, turn: 2, at: history[1]?.at, actor: "legacy", reason: "ignored", space: "notes", text: "old" },
  ]);
});

test("a misspelt option does not shorten the list", () => {
  expect(() => lost([], { al: true } as object)).toThrow('unknown option "al": use all');
});
