import { expect, test } from "vitest";
import { droid } from "../../src/lens/droid.ts";
import { summary, type Told, tell, tellFixture } from "./lens-run.ts";

const start = {
  type: "session_start",
  id: "session-1",
  title: "x",
  owner: "dev",
  version: 2,
  cwd: "/home/dev/project",
};
let count = 0;

function at(): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, ++count)).toISOString();
}

function message(role: string, ...content: readonly object[]): object {
  return { type: "message", id: `m${++count}`, timestamp: at(), message: { role, content } };
}

function said(text: string): object {
  return message("user", { type: "text", text });
}

/** A call and its result. */
function called(name: string, input: object, content = "ok", more: object = {}): object[] {
  const id = `call_${++count}`;
  return [
    message("assistant", { type: "tool_use", id, name, input }),
    message("user", { type: "tool_result", tool_use_id: id, content, ...more }),
  ];
}

function state(todos: unknown): object {
  return { type: "todo_state", id: `s${++count}`, timestamp: at(), todos: { todos }, messageIndex: 1 };
}

function read(...lines: readonly object[]): Told {
  const told = tell(droid, [start, ...lines]);
  const every = tell(droid, [start, ...lines], { every: true });
  expect([every.events, every.markers]).toEqual([told.events, told.markers]);
  return told;
}

test("the whole story of a session with TodoWrite as text, and every todo_state is the same", () => {
  const told = tellFixture("droid/todo-text.jsonl");
  expect(summary(told)).toEqual([
    't1 droid plan.set - [>] Update first comment in index.ts to "DROID3"',
    't1 droid plan.set - [x] Update first comment in index.ts to "DROID3"',
  ]);
  expect(told.events).toMatchObject([
    { at: "2026-01-28T16:57:16.179Z", entryId: "call_IJPSk6Ll80d0BRLPrzFXL7e5", calls: 1 },
    { at: "2026-01-28T16:57:27.091Z", calls: 3 },
  ]);
  expect(told.facts).toMatchObject({
    session: "052cb8d0-4616-488a-99fe-bfbbbe9429b3",
    cwd: "/Users/testuser/projects/testing-git",
    firstMessage: 'Update the first comment in @index.ts to "DROID3"',
    repetitions: { seen: 2, equal: 2, explained: 0, elsewhere: 0 },
    unanswered: [],
  });
  expect(told.turns).toBe(1);
});

test("a list that was changed from outside is told as theirs, with a note", () => {
  const told = read(
    said("go"),
    ...called("TodoWrite", { todos: "1. [pending] a" }),
    said("on"),
    state("1. [completed] a"),
  );
  expect(summary(told)).toEqual(["t1 droid plan.set - [ ] a", "t2 elsewhere plan.set - [x] a"]);
  expect(told.facts.repetitions).toEqual({ seen: 1, equal: 0, explained: 0, elsewhere: 1 });
  expect(told.findings).toMatchObject([{ kind: "foreign", severity: "note" }]);
});

test("a call without a result changes nothing, though its list is repeated; a refused one is told as refused", () => {
  const [call = {}, result = {}] = called("TodoWrite", { todos: "1. [pending] a" });
  expect(read(said("go"), call, state("1. [pending] a"))).toMatchObject({
    events: [],
    facts: { unanswered: [{ line: 3 }] },
  });
  expect(summary(read(said("go"), call, state("1. [pending] a"), result))).toEqual(["t1 droid plan.set - [ ] a"]);
  const refused = read(said("go"), ...called("TodoWrite", { todos: "1. [x] a" }, "no", { is_error: true }));
  expect(refused.events[0]?.event).toMatchObject({ type: "action.refused", offered: { message: "no" } });
});

test("a list that is repeated while a call has no answer is held against the calls so far once the conversation goes on", () => {
  const open = message("assistant", {
    type: "tool_use",
    id: "open",
    name: "TodoWrite",
    input: { todos: "1. [pending] b" },
  });
  const set = called("TodoWrite", { todos: "1. [pending] a" });
  const told = read(said("go"), ...set, open, state("1. [completed] a"), said("and now?"), ...called("LS", {}));
  expect(summary(told)).toEqual(["t1 droid plan.set - [ ] a", "t1 elsewhere plan.set - [x] a"]);
  expect(told.facts.repetitions).toMatchObject({ seen: 1, elsewhere: 1 });
});

test("lists of objects, items of several lines, and lines without a box are read", () => {
  const lists = [
    [
      { content: "a", status: "in_progress" },
      { content: "b", status: "pending" },
    ],
    "1. [completed] a\n   and more\n2. [pending] b",
    "just this",
    "",
  ];
  const told = read(said("go"), ...lists.flatMap((todos) => called("TodoWrite", { todos })));
  expect(summary(told).map((line) => line.slice("t1 droid plan.set ".length))).toEqual([
    "- [>] a | - [ ] b",
    "- [x] a and more | - [ ] b",
    "- [ ] just this",
    "",
  ]);
});

test("a list has the items that it shows, whatever its lines end with and however an agent writes their status", () => {
  const lists = [
    "1. [completed] a\r\n2. [in_progress] b\r\n   and more\r\n",
    "1. [completed] a\u2028b\n2. [pending] c",
    "- [x] a\n- [ ] b\n- [>] c\n- [-] d\n- [!] e\n- [X] f",
    "1. [In Progress] a\n2. [in-progress] b\n3. [COMPLETED] c",
    "1. [api] a\n2. [constructor] b",
    "1. [notes](notes.md) a",
  ];
  const told = read(said("go"), ...lists.flatMap((todos) => called("TodoWrite", { todos })));
  expect(summary(told).map((line) => line.slice("t1 droid plan.set ".length))).toEqual([
    "- [x] a | - [>] b and more",
    "- [x] a b | - [ ] c",
    "- [x] a | - [ ] b | - [>] c | - [-] d | - [!] e | - [x] f",
    "- [>] a | - [>] b | - [x] c",
    "- [ ] [api] a | - [ ] [constructor] b",
    "- [ ] [notes](notes.md) a",
  ]);
});

test("files of plans that are made, edited and patched are told, others are not", () => {
  const path = "/home/dev/project/PLAN.md";
  const failing = `*** Begin Patch\n*** Update File: ${path}\n@@\n-q\n+r\n*** End Patch`;
  const told = read(
    said("go"),
    ...called("Create", { file_path: path, content: "a\nb\n" }),
    ...called("Edit", { file_path: path, old_str: "a", new_str: "A" }),
    ...called("MultiEdit", {
      file_path: path,
      changes: [
        { old_str: "A", new_str: "1" },
        { old_str: "b", new_str: "2" },
      ],
    }),
    ...called(
      "ApplyPatch",
      { input: `*** Begin Patch\n*** Update File: ${path}\n@@\n-1\n+one\n 2\n*** End Patch` },
      '{"success":true}',
    ),
    ...called("Create", { file_path: "/home/dev/project/x.js", content: "x" }),
    ...called("Edit", { file_path: path, old_str: "q", new_str: "r" }, "old_str not found", { is_error: true }),
    ...called("ApplyPatch", { input: failing }, '{"success":false,"error":"no such line"}'),
    ...called("TodoWrite", { todos: 7 }),
  );
  expect(summary(told)).toEqual([
    "t1 droid section.written PLAN.md a | b | ",
    "t1 droid section.written PLAN.md A | b | ",
    "t1 droid section.written PLAN.md 1 | 2 | ",
    "t1 droid section.written PLAN.md one | 2 | ",
    "t1 droid action.refused",
    "t1 droid action.refused",
  ]);
  expect(told.events.at(-1)?.event).toMatchObject({ offered: { tool: "apply_patch", content: failing } });
  expect(told.findings.map(({ detail }) => detail)).toEqual(["a plan call could not be read: what it set is no list"]);
});

test("a specification that was approved is the plan document, and a refused one is refused", () => {
  const yes = read(said("go"), ...called("ExitSpecMode", { plan: "# Do it", title: "x" }, "User approved the spec."));
  expect(summary(yes)).toEqual(["t1 droid section.written plan document # Do it"]);
  expect(yes.markers).toMatchObject([{ marker: "plan approved" }]);
  const plan = "# Show which uploads were rejected";
  const quoted = read(said("go"), ...called("ExitSpecMode", { plan }, `User approved the spec:\n${plan}`));
  expect(summary(quoted)).toEqual([`t1 droid section.written plan document ${plan}`]);
  for (const [words, more] of [
    ["User rejected: shorter, as the approved one", { is_error: true }],
    ["User rejected: shorter, as the approved one", {}],
    ["The spec was not approved.", {}],
  ] as const) {
    const no = read(said("go"), ...called("ExitSpecMode", { plan: "# Do it" }, words, more));
    expect(no.events).toMatchObject([
      { event: { type: "action.refused", offered: { content: "# Do it", name: "plan document" } } },
    ]);
  }
});

test("reminders of the client are no turns; a compaction, a subagent and unknown types are told", () => {
  const told = read(
    message("user", { type: "text", text: "<system-reminder>x</system-reminder>" }),
    said("go"),
    { type: "compaction_state", id: "c", timestamp: at(), summaryText: "x" },
    { type: "unheard" },
  );
  expect([told.turns, told.markers.length, told.facts.unknownTypes]).toEqual([1, 1, { unheard: 1 }]);
  const own = tell(droid, [
    { ...start, callingSessionId: "parent" },
    said("go"),
    ...called("TodoWrite", { todos: "1. [pending] a" }),
  ]);
  expect([own.facts.parentSession, own.events[0]?.actor]).toEqual(["parent", "session-1"]);
});
