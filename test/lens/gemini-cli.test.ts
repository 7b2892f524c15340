import { expect, test } from "vitest";
import { gemini } from "../../src/lens/gemini.ts";
import { linesOf, loginPlan, summary, type Told, tell, tellFixture } from "./lens-run.ts";

const todos = "gemini-cli/0.61.0-todos-compressed/chats/session-2026-11-22T16-50-5806d217.jsonl";
const subagent =
  "gemini-cli/0.61.0-todos-compressed/chats/5806d217-fc74-43f1-ab9b-a3e8d6cd3e7b/4c72c25b-935d-43a7-8ad9-320b3967e366.jsonl";
const stub = "gemini-cli/0.61.0-todos-compressed/chats/session-2026-11-22T16-51-5806d217.jsonl";
const tracker = "gemini-cli/0.61.0-tracker/chats/session-2026-11-22T16-37-0409a72e.jsonl";
const planMode = "gemini-cli/0.61.0-plan-mode-approved/chats/session-2026-11-22T16-47-b1b65739.jsonl";

const metadata = { sessionId: "session-1", projectHash: "hash", startTime: "2026-01-01T00:00:00.000Z", kind: "main" };
let count = 0;

function said(text: string, id = `u${++count}`): object {
  return { id, timestamp: at(++count), type: "user", content: [{ text }] };
}

function at(second: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
}

function calls(...toolCalls: readonly object[]): object {
  return { id: `g${++count}`, timestamp: at(count), type: "gemini", content: "", model: "gemini-2.5-pro", toolCalls };
}

function call(name: string, args: object, more: { output?: string; [field: string]: unknown } = {}): object {
  const { output = "ok", ...rest } = more;
  const id = `${name}_${++count}`;
  const result = [{ functionResponse: { id, name, response: { output } } }];
  return { id, name, args, result, status: "success", timestamp: at(count), ...rest };
}

function wrote(...items: readonly (readonly [string, string])[]): object {
  return calls(call("write_todos", { todos: items.map(([description, status]) => ({ description, status })) }));
}

function read(...lines: readonly object[]): Told {
  const told = tell(gemini, [metadata, ...lines]);
  const every = tell(gemini, [metadata, ...lines], { every: true });
  expect(every.events).toEqual(told.events);
  expect(every.markers).toEqual(told.markers);
  return told;
}

test("the whole story of a session with write_todos, a resume and a compression", () => {
  const told = tellFixture(todos);
  const rules = "# Login service |  | Run the tests with `npm test`. | ";
  expect(summary(told)).toEqual([
    `t1 gemini-cli plan.set ${loginPlan(" ", " ", " ", " ")}`,
    "t1 gemini-cli action.refused",
    `t1 gemini-cli plan.set ${loginPlan(">", " ", " ", " ")}`,
    "t1 gemini-cli action.refused",
    `t1 gemini-cli plan.set ${loginPlan("x", " ", " ", " ")}`,
    `t1 elsewhere section.written GEMINI.md ${rules}`,
    `t1 gemini-cli section.written GEMINI.md ${rules}Never compare passwords with one \`=\`. | `,
    "t1 gemini-cli section.written PLAN.md # Plan |  | - [x] Reproduce the login bug | - [ ] Fix the comparison | ",
    "t1 gemini-cli action.refused",
    `t2 gemini-cli plan.set ${loginPlan("x", ">", " ", " ")}`,
    `t2 gemini-cli plan.set ${loginPlan("x", "x", "-", ">")}`,
    "t2 gemini-cli section.written PLAN.md # Plan |  | - [x] Reproduce the login bug | - [x] Fix the comparison | - [ ] Add a regression test | ",
    `t3 gemini-cli plan.set ${loginPlan("x", "x", "", "!")}`,
    `t3 gemini-cli plan.set ${loginPlan("x", "x", "", "x")}`,
  ]);
  // The times of the results, not those that a resume writes over the history.
  expect(told.events.map((event) => event.at.slice(14))).toEqual([
    ...["50:55.505Z", "50:55.543Z", "50:55.561Z", "50:55.580Z", "50:55.623Z", "50:55.655Z", "50:55.655Z"],
    ...["50:55.684Z", "50:55.698Z", "50:58.965Z", "50:59.105Z", "50:59.339Z", "51:02.708Z", "51:02.749Z"],
  ]);
  expect(told.events[0]?.entryId).toBe("write_todos__write_todos_1795366255310_0");
  const refused = told.events.flatMap(({ event }) => (event.type === "action.refused" ? [event] : []));
  expect(refused.map(({ action, offered }) => [action, offered])).toMatchObject([
    [
      "set_plan",
      {
        tool: "write_todos",
        content: "- [ ] no status",
        message: "params/todos/0 must have required property 'status'",
      },
    ],
    [
      "set_plan",
      {
        content: loginPlan(">", ">", " ", " ").replaceAll(" | ", "\n"),
        message: expect.stringContaining('Only one task can be "in_progress"'),
      },
    ],
    ["append_notes", { tool: "save_memory", content: "The login module compares passwords with ===." }],
  ]);
  expect(told.markers).toMatchObject([{ marker: "compaction", at: "2026-11-22T16:50:59.262Z", line: 82 }]);
  expect(told.facts).toMatchObject({
    session: "5806d217-fc74-43f1-ab9b-a3e8d6cd3e7b",
    cwd: "/home/dev/project",
    agents: ["4c72c25b-935d-43a7-8ad9-320b3967e366"],
    firstMessage: "Please fix the login bug: every password is accepted.",
    repetitions: { seen: 1, equal: 1, explained: 0, elsewhere: 0 },
    unanswered: [],
  });
  expect([told.turns, told.readings, told.facts.noChecklist]).toEqual([3, 1, undefined]);
});

test("a subagent's file is a session of its own, in one turn, by the subagent", () => {
  const told = tellFixture(subagent);
  expect(summary(told)).toEqual(["t1 4c72c25b-935d-43a7-8ad9-320b3967e366 plan.set - [>] Search for `if (x = y)`"]);
  expect(told.facts.firstMessage).toBe("SUBAGENT: look for other assignments in conditions.");
  expect(told.turns).toBe(1);
});

test("the file that a resume leaves without messages has the session's id and nothing else", () => {
  const told = tellFixture(stub);
  expect([told.facts.session, told.turns, told.events]).toEqual(["5806d217-fc74-43f1-ab9b-a3e8d6cd3e7b", 0, []]);
});

test("the tracker's tasks keep their order and ids, and every list that the client shows is the same", () => {
  const told = tellFixture(tracker);
  const lines = (...boxes: readonly string[]): string =>
    [
      "#053d53 Reproduce the login bug",
      "#2ec247 Fix the comparison in login.js",
      "#50e5b4 Rename the login module",
      "#cb3028 Add a regression test",
    ]
      .flatMap((text, index) => (boxes[index] === undefined ? [] : [`- [${boxes[index]}] ${text}`]))
      .join(" | ");
  expect(summary(told).filter((line) => !line.includes("GEMINI.md"))).toEqual([
    `t1 gemini-cli plan.set ${lines(" ")}`,
    `t1 gemini-cli plan.set ${lines(" ", " ")}`,
    `t1 gemini-cli plan.set ${lines(" ", " ", " ")}`,
    `t1 gemini-cli plan.set ${lines(" ", " ", " ", " ")}`,
    `t1 gemini-cli plan.set ${lines(">", " ", " ", " ")}`,
    `t1 gemini-cli plan.set ${lines("x", " ", " ", " ")}`,
    "t1 gemini-cli action.refused",
    `t2 gemini-cli plan.set ${lines("x", "x", " ", " ")}`,
    `t2 gemini-cli plan.set ${lines("x", "x", " ", ">")}`,
  ]);
  expect(told.facts.repetitions).toEqual({ seen: 9, equal: 9, explained: 0, elsewhere: 0 });
});

test("a plan document is told when it is written, and its approval is a mark", () => {
  const told = tellFixture(planMode);
  const name = "~/.gemini/tmp/project/b1b65739-d3e3-467d-9dac-1709d0ee7f7c/plans/login.md";
  expect(summary(told)).toEqual([
    `t1 gemini-cli section.written ${name} # Plan |  | 1. Reproduce the login bug | 2. Fix the comparison | `,
  ]);
  expect(told.markers).toMatchObject([{ marker: "plan approved", detail: name, at: "2026-11-22T16:47:04.584Z" }]);
});

test("the older form, one JSON document, and a session without todos", () => {
  const told = tellFixture("gemini-cli/legacy-write-todos.json");
  expect(summary(told)).toEqual(["t1 gemini-cli plan.set - [x] add another hello bob console log to @index.ts"]);
  expect(told.events[0]).toMatchObject({
    at: "2025-12-06T18:27:49.204Z",
    entryId: "write_todos-1765045669193-89cba7786e3c5",
  });
  expect(told.facts.session).toBe("18f475c0-690f-4bc9-b84e-88a0a1e9518f");
  const none = tellFixture("gemini-cli/0.40-shape.jsonl");
  expect([none.turns, none.events]).toEqual([1, []]);
  expect(none.facts.noChecklist).toMatch(/offers none to gemini-3-flash-preview .*taskTracker/);
});

test("a call counts once, when it has ended, however often its message is written", () => {
  const done = call("write_todos", { todos: [{ description: "a", status: "pending" }] });
  const message = calls(done);
  const running = { ...message, toolCalls: [{ ...done, status: "executing", result: undefined }] };
  expect(read(said("go"), running).facts.unanswered).toMatchObject([{ tool: "write_todos", line: 3 }]);
  expect(read(said("go"), running).events).toEqual([]);
  const told = read(said("go"), running, message, message);
  expect(summary(told)).toEqual(["t1 gemini-cli plan.set - [ ] a"]);
  expect([told.facts.unanswered, told.events[0]?.offset]).toEqual([[], expect.any(Number)]);
});

test("a rewind takes back what stands from its message on, and turns go on counting", () => {
  const back = said("wrong way", "wrong");
  const lines = [said("go"), wrote(["a", "pending"]), back, wrote(["b", "pending"]), wrote(["c", "pending"])];
  const told = read(...lines, { $rewindTo: "wrong" }, said("another way"), wrote(["a", "completed"]));
  expect(summary(told)).toEqual(["t1 gemini-cli plan.set - [ ] a", "t3 gemini-cli plan.set - [x] a"]);
  expect(told.markers).toMatchObject([{ marker: "branch", entryId: "wrong", line: 7 }]);
  expect(told.readings).toBe(2);
  const all = read(...lines, { $rewindTo: "nobody" }, said("again"), wrote(["z", "pending"]));
  expect(summary(all)).toEqual(["t3 gemini-cli plan.set - [ ] z"]);
});

test("a rewind to a message that a compression kept under another id takes back what stands from there on, and no more", () => {
  const lines = linesOf(todos).slice(0, 92);
  const whole = summary(tell(gemini, lines));
  const kept = "9f77989a-a84d-4249-a840-31b1cb8a4da8";
  const told = tell(gemini, [...lines, { $rewindTo: kept }]);
  expect(told.events.at(-1)?.turn).toBe(1);
  expect(summary(told)).toEqual(whole.filter((event) => event.startsWith("t1 ")));
  expect(whole.length).toBeGreaterThan(told.events.length);
  const behind = "b737658d-6067-4b11-9c35-7d5be0ede3c6";
  const later = tell(gemini, [...lines, { $rewindTo: behind }, { $rewindTo: kept }, { $rewindTo: "nobody" }]);
  expect([later.events, later.readings]).toEqual([[], 3]);
  expect(summary(tell(gemini, [...lines, { $rewindTo: behind }]))).toEqual(whole.slice(0, -1));
});

test("a rewind to a message that only a set history has takes back nothing that stands before that history", () => {
  const history = { $set: { messages: [{ ...said("go", "kept"), timestamp: at(0) }] } };
  const lines = [said("go"), wrote(["a", "pending"]), history, wrote(["b", "pending"]), { $rewindTo: "kept" }];
  expect(summary(read(...lines, wrote(["c", "pending"])))).toEqual([
    "t1 gemini-cli plan.set - [ ] a",
    "t1 gemini-cli plan.set - [ ] c",
  ]);
});

test("what a resume writes over the history is no event, no turn and no time", () => {
  const history = [{ ...said("go", "u"), timestamp: "2030-01-01T00:00:00.000Z" }, wrote(["never", "pending"])];
  const told = read(said("go", "u"), wrote(["a", "pending"]), metadata, { $set: { messages: history } }, said("on"));
  expect(summary(told)).toEqual(["t1 gemini-cli plan.set - [ ] a"]);
  expect([told.turns, told.facts.firstMessage]).toEqual([2, "go"]);
});

test("whose session it is, the client says last, and all of it is told as theirs", () => {
  const story = [said("go"), wrote(["a", "pending"]), said("from the client"), wrote(["b", "pending"])];
  const kind = { $set: { lastUpdated: at(9), kind: "subagent" } };
  const told = read(...story, kind, { $set: { sessionId: "session-2" } }, { $set: { summary: "A list" } });
  expect(summary(told)).toEqual(["t1 session-2 plan.set - [ ] a", "t1 session-2 plan.set - [ ] b"]);
  expect([told.facts.session, told.turns, told.readings]).toEqual(["session-2", 1, 2]);
  const back = read(...story, kind, { $set: { messages: [said("go")], kind: "main" } });
  expect(summary(back)).toEqual(["t1 gemini-cli plan.set - [ ] a", "t2 gemini-cli plan.set - [ ] b"]);
  expect(back.readings).toBe(1);
});

test("a compression is marked once, though each later history repeats its snapshot", () => {
  const snapshot = {
    id: "s",
    timestamp: at(9),
    type: "user",
    content: [{ text: "<state_snapshot>x</state_snapshot>" }],
  };
  const told = read(said("go"), { $set: { messages: [snapshot] } }, { $set: { messages: [snapshot, said("x")] } });
  expect(told.markers).toMatchObject([{ marker: "compaction", at: at(9) }]);
});

test("a memory that is saved is appended to the notes", () => {
  const told = read(said("go"), calls(call("save_memory", { fact: "Use tabs." })));
  expect(summary(told)).toEqual(["t1 gemini-cli notes.appended Use tabs."]);
});

test("a plan that a person refused is refused in the person's words, with what was offered", () => {
  const file = "/home/dev/.gemini/tmp/p/plans/x.md";
  const write = call(
    "write_file",
    { file_path: file, content: "# Plan" },
    { resultDisplay: { filePath: file, newContent: "# Plan", isNewFile: true } },
  );
  const output = `Plan rejected. User feedback: shorter\n\nThe plan is stored at: ${file}\nRevise the plan based on the feedback.`;
  const told = read(said("go"), calls(write), calls(call("exit_plan_mode", { plan_filename: "x.md" }, { output })));
  expect(told.events[1]?.event).toMatchObject({
    type: "action.refused",
    action: "sections.write",
    code: "rejected",
    offered: { name: "~/.gemini/tmp/p/plans/x.md", content: "# Plan", message: expect.stringContaining("shorter") },
  });
  expect(told.markers).toEqual([]);
});

const edit = (originalContent: string, newContent: string): object =>
  calls(
    call(
      "replace",
      { file_path: "/w/p/PLAN.md" },
      { description: "PLAN.md: a => b", resultDisplay: { filePath: "/w/p/PLAN.md", originalContent, newContent } },
    ),
  );

test("a file that a rewind left as it was is the agent's own", () => {
  const back = [said("wrong way", "wrong"), edit("2", "3"), { $rewindTo: "wrong" }, said("another way")];
  const told = read(said("go"), edit("1", "2"), ...back, edit("3", "4"), edit("by hand", "5"));
  expect(summary(told).slice(1)).toEqual([
    "t1 gemini-cli section.written PLAN.md 2",
    "t3 gemini-cli section.written PLAN.md 3",
    "t3 gemini-cli section.written PLAN.md 4",
    "t3 elsewhere section.written PLAN.md by hand",
    "t3 gemini-cli section.written PLAN.md 5",
  ]);
  expect(told.facts.repetitions).toEqual({ seen: 2, equal: 0, explained: 1, elsewhere: 1 });
});

test("a file that somebody changed behind a rewind is theirs", () => {
  const back = [said("wrong way", "wrong"), edit("2", "3"), { $rewindTo: "wrong" }, said("another way")];
  const told = read(said("go"), edit("1", "2"), ...back, edit("by hand", "5"));
  expect(summary(told).slice(2)).toEqual([
    "t3 elsewhere section.written PLAN.md by hand",
    "t3 gemini-cli section.written PLAN.md 5",
  ]);
});

test("a file that somebody changed between two edits is told as theirs, and counted", () => {
  const told = read(said("go"), edit("1", "2"), edit("2 by hand", "3"));
  expect(summary(told)).toEqual([
    "t1 elsewhere section.written PLAN.md 1",
    "t1 gemini-cli section.written PLAN.md 2",
    "t1 elsewhere section.written PLAN.md 2 by hand",
    "t1 gemini-cli section.written PLAN.md 3",
  ]);
  expect(told.facts).toMatchObject({ cwd: "/w/p", repetitions: { seen: 1, elsewhere: 1 } });
  expect(told.findings).toMatchObject([{ kind: "foreign", severity: "note" }]);
});

test("an edit that failed is refused; without the client's texts it is applied to what is known, or said not to be", () => {
  const write = calls(call("write_file", { file_path: "/p/NOTES.md", content: "a b a" }));
  const replace = (old_string: string, more: object = {}): object =>
    calls(
      call("replace", { file_path: "/p/NOTES.md", old_string, new_string: "$&" }, { resultDisplay: "done", ...more }),
    );
  const told = read(said("go"), write, replace("b"), replace("q"), replace("a", { status: "cancelled", output: "" }));
  expect(summary(told)).toEqual([
    "t1 gemini-cli section.written /p/NOTES.md a b a",
    "t1 gemini-cli section.written /p/NOTES.md a $& a",
    "t1 gemini-cli action.refused",
  ]);
  expect(told.findings).toMatchObject([{ detail: expect.stringContaining("is not in the file") }]);
});

test("a tracker that was changed from outside is brought in line, in both forms of the client's list", () => {
  const create = (id: string, title: string, todos: readonly object[]): object =>
    calls(
      call(
        "tracker_create_task",
        { title, type: "task" },
        { output: `Created task ${id}: ${title}`, resultDisplay: { todos } },
      ),
    );
  const told = read(
    said("go"),
    create("aaaaaa", "one", [{ description: "[aaaaaa] [TASK] one", status: "pending" }]),
    create("bbbbbb", "two", [
      { description: "[aaaaaa] [TASK] one", status: "completed" },
      { description: "  [bbbbbb] [BUG] two", status: "pending" },
    ]),
    calls(
      call(
        "tracker_add_dependency",
        { taskId: "bbbbbb", dependencyId: "aaaaaa" },
        { output: "Linked bbbbbb -> aaaaaa." },
      ),
    ),
    calls(call("tracker_add_dependency", { taskId: "x", dependencyId: "y" }, { output: "Task x not found." })),
    calls(call("tracker_create_task", { title: "lost" }, { output: "Created." })),
    create("cccccc", "three", [
      { description: "task: two (bbbbbb)", status: "pending" },
      { description: "task: three (cccccc)", status: "pending" },
    ]),
  );
  const two = "- [ ] #bbbbbb two (after #aaaaaa)";
  expect(summary(told)).toEqual([
    "t1 gemini-cli plan.set - [ ] #aaaaaa one",
    "t1 gemini-cli plan.set - [ ] #aaaaaa one | - [ ] #bbbbbb two",
    "t1 elsewhere plan.set - [x] #aaaaaa one | - [ ] #bbbbbb two",
    `t1 gemini-cli plan.set - [x] #aaaaaa one | ${two}`,
    "t1 gemini-cli action.refused",
    `t1 gemini-cli plan.set - [x] #aaaaaa one | ${two} | - [ ] #cccccc three`,
    `t1 elsewhere plan.set ${two} | - [ ] #cccccc three`,
  ]);
  expect(told.facts.repetitions).toEqual({ seen: 3, equal: 1, explained: 0, elsewhere: 2 });
  expect(told.findings.map(({ detail }) => detail)).toContain("a tracker_create_task has a result that names no task");
});

test("tasks that the client still holds after a rewind are its own, and nobody else added them", () => {
  const create = (id: string, ...shown: readonly string[]) =>
    calls(
      call(
        "tracker_create_task",
        { title: id },
        {
          output: `Created task ${id}: ${id}`,
          resultDisplay: {
            todos: shown.map((task) => ({ description: `task: ${task} (${task})`, status: "pending" })),
          },
        },
      ),
    );
  const told = read(
    ...[said("go"), create("a", "a"), said("wrong way", "wrong"), create("b", "a", "b"), { $rewindTo: "wrong" }],
    ...[said("another way"), create("c", "a", "b", "c"), create("d", "a", "b", "c", "d", "e")],
  );
  expect(summary(told)).toEqual([
    "t1 gemini-cli plan.set - [ ] #a a",
    "t3 gemini-cli plan.set - [ ] #a a | - [ ] #c c",
    "t3 gemini-cli plan.set - [ ] #a a | - [ ] #c c | - [ ] #b b",
    "t3 gemini-cli plan.set - [ ] #a a | - [ ] #c c | - [ ] #b b | - [ ] #d d",
    // The reason was there once.
    "t3 elsewhere plan.set - [ ] #a a | - [ ] #c c | - [ ] #b b | - [ ] #d d | - [ ] #e e",
  ]);
  expect(told.facts.repetitions).toEqual({ seen: 3, equal: 1, explained: 1, elsewhere: 1 });
});

test("work between two calls is counted once a message, plan calls are none", () => {
  const work = calls(call("run_shell_command", { command: "ls" }), call("read_file", { file_path: "/p/x.js" }));
  const told = read(said("go"), wrote(["a", "in_progress"]), work, work, wrote(["a", "completed"]));
  expect(told.events.map((event) => event.calls)).toEqual([0, 1]);
});

test("a line that is no JSON is damage with its place, other values and types are counted", () => {
  const lines = linesOf(tracker);
  const told = tell(gemini, [lines[0] ?? "", "{broken", "7", '{"id":"x","type":"unheard"}', ...lines.slice(1)], {
    every: true,
  });
  expect(told.findings).toMatchObject([{ kind: "corrupt", severity: "damage", line: 2 }]);
  expect(told.facts.unknownTypes).toEqual({ "a value that is no object": 1, unheard: 1 });
  expect(summary(told)).toEqual(summary(tellFixture(tracker)));
});
