import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { doubtfulSteps } from "../../src/audit/doubtful.ts";
import { lost } from "../../src/audit/lost.ts";
import { openJournal } from "../../src/index.ts";
import { claudeCode } from "../../src/lens/claude-code.ts";
import { cli, temporaryFolder } from "../cli/cli.ts";
import { MadeClaude } from "./claude-made.ts";
import { linesOf, summary, type Told, tell, tellFixture, tellPieces } from "./lens-run.ts";

function told(make: (session: MadeClaude) => void): Told {
  const session = new MadeClaude();
  make(session);
  return tell(claudeCode, session.lines);
}

test("a real session with tasks, a refusal, a person's edit, a subagent and a compaction tells all of it", () => {
  const found = tellFixture("claude-code/2.1.330-tasks-compaction-subagent.jsonl");
  const tail = summary(found).slice(-10);
  expect(found.events.length).toBe(21);
  expect(tail.map((line) => line.split(" ").slice(0, 4).join(" "))).toEqual([
    "t1 claude-code section.written PLAN.md",
    "t2 claude-code plan.set -",
    "t2 claude-code plan.set -",
    "t2 claude-code plan.set -",
    "t2 claude-code plan.set -",
    "t2 claude-code section.written PLAN.md",
    "t3 a5c03a8c4b4d7d83a plan.set -",
    "t3 elsewhere section.written CLAUDE.md",
    "t3 claude-code section.written CLAUDE.md",
    "t3 claude-code plan.set -",
  ]);
  expect(tail.at(-1)).toBe(
    "t3 claude-code plan.set - [x] #1 Reproduce the login bug | - [x] #2 Fix the comparison in login.js | - [x] #4 Add a regression test (after #2) | - [ ] #5 Search for `if (x = y)`",
  );
  expect(found.markers.map(({ marker, line }) => [marker, line])).toEqual([["compaction", 156]]);
  expect(found.facts).toMatchObject({ agents: ["a5c03a8c4b4d7d83a"], versions: ["2.1.330"], unanswered: [] });
  expect(found.facts.repetitions).toEqual({ seen: 4, equal: 2, explained: 1, elsewhere: 1 });
});

test("the session in which the fifth task stays in progress for ever after a compaction is told as it was", () => {
  const found = tellFixture("claude-code/2.1.39-tasks-compaction.jsonl");
  expect(found.events.length).toBe(14);
  expect(summary(found).at(-1)).toMatch(
    /^t1 claude-code plan\.set (?:- \[x\] #\d .* \| ){4}- \[>\] #5 Run fmt, lint, and tests$/,
  );
  expect(found.markers.map(({ marker, detail }) => `${marker}: ${detail}`)).toEqual([
    "compaction: auto, 167361 tokens before",
  ]);
});

test("a TodoWrite list that a compaction and a resume lose is gone at the compaction, though nobody wrote that", () => {
  const found = tellFixture("claude-code/2.1.330-todowrite-compaction-subagent.jsonl");
  const lost = found.events.find(({ event }) => event.type === "plan.set" && event.text === "");
  expect(lost).toMatchObject({ at: found.markers[0]?.at, entryId: found.markers[0]?.entryId, turn: 2 });
  expect(found.facts.repetitions).toEqual({ seen: 4, equal: 3, explained: 1, elsewhere: 0 });
});

test("a refused plan keeps what was offered and the person's words; an approved one is a marker", () => {
  const found = tellFixture("claude-code/2.1.330-plan-mode-refused-approved.jsonl");
  const name = "~/.claude/plans/plan-how-to-fix-optimized-hippo.md";
  const refusal = found.events.find(({ event }) => event.type === "action.refused");
  expect(refusal?.event).toMatchObject({
    code: "rejected",
    offered: {
      tool: "ExitPlanMode",
      name,
      content: "# Plan\n\n1. Reproduce the login bug\n2. Rename the module\n",
      message: "No renaming, please: fix the comparison only.",
    },
  });
  expect(found.markers.map(({ marker, detail }) => [marker, detail])).toEqual([["plan approved", name]]);
  expect(summary(found).at(-1)).toContain("2. Fix the comparison");
});

test("a session without a checklist says who offers none, and what brings it back", () => {
  expect(tellFixture("claude-code/2.1.330-no-checklist.jsonl").facts.noChecklist).toBe(
    "no checklist in this session: Claude Code 2.1.330 offers none to claude-opus-5-5 (CLAUDE_CODE_ENABLE_TODO_TOOLS=1 brings it back)",
  );
  expect(tellFixture("claude-code/2.1.119-plan-file.jsonl").facts.noChecklist).toContain("did not use TaskCreate");
  expect(tellFixture("claude-code/2.1.39-tasks-compaction.jsonl").facts.noChecklist).toBeUndefined();
});

test("edits of memory files, many in one call among them, are told; a refused one changes nothing", () => {
  const found = tellFixture("claude-code/1.0.108-todowrite-claude-md.jsonl");
  const about = summary(found)
    .filter((line) => line.includes("CLAUDE.md"))
    .map((line) => line.slice(0, 60));
  expect(found.events.filter(({ event }) => event.type === "action.refused").length).toBe(1);
  expect(about.slice(-3)[0]).toContain("elsewhere section.written CLAUDE.md # TODO App Project");
  expect(about.slice(-3)[1]).toContain("claude-code section.written CLAUDE.md # TODO App Project");
  const after = found.events.filter(({ event }) => event.type === "section.written").at(-1)?.event;
  expect(after).toMatchObject({ text: expect.stringContaining("Next.js 15.5.2, React 19.1.0") });
});

test("a subagent's own file is its session, though its results keep nothing but words", () => {
  const found = tellFixture("claude-code/2.1.330-tasks-compaction-subagent/subagents/agent-a5c03a8c4b4d7d83a.jsonl");
  expect(summary(found)).toEqual(["t1 a5c03a8c4b4d7d83a plan.set - [ ] #5 Search for `if (x = y)`"]);
  expect(found.facts).toMatchObject({
    session: "a5c03a8c4b4d7d83a",
    parentSession: "5e1a305c-95da-46e5-882b-04a34d4de467",
  });
});

test("a subagent whose lines stand in its parent's file is read apart, and its parent without it", () => {
  const lines = linesOf("claude-code/1.0.108-todowrite-claude-md.jsonl");
  const parent = tell(claudeCode, lines);
  const agent = tell(claudeCode, lines, { agent: "6340ddef" });
  expect(parent.facts.agents).toEqual(["6340ddef", "83e2917c"]);
  expect([parent.turns, agent.turns]).toEqual([1, 1]);
  expect(agent.facts).toMatchObject({ session: "6340ddef", parentSession: parent.facts.session });
  expect(agent.facts.firstMessage).toMatch(/^Examine the package\.json/);
});

test("a call changes nothing before its result, and without one is listed as unanswered", () => {
  const found = told((session) => {
    session.prompt("go");
    session.call("TodoWrite", { todos: [{ content: "a", status: "pending" }] });
    session.call("Bash", { command: "ls" });
    session.prompt("and now?");
  });
  expect(found.events).toEqual([]);
  expect(found.facts.unanswered.map(({ tool, line }) => [tool, line])).toEqual([["TodoWrite", 2]]);
});

test("time, turn and entry of an event are those of the result, not of the call", () => {
  const found = told((session) => {
    session.prompt("go");
    const call = session.call("TaskCreate", { subject: "a" });
    session.prompt("meanwhile");
    session.result(call, { task: { id: "1", subject: "a" } });
  });
  expect(found.events[0]).toMatchObject({
    turn: 2,
    at: "2026-01-01T00:00:04.000Z",
    entryId: "00000000-0000-4000-8000-000000000004",
  });
});

test("only refused plan calls are refusals: a failed command is none", () => {
  const found = told((session) => {
    session.prompt("go");
    session.result(session.call("Bash", { command: "false" }), "Error", { said: "Exit code 1", isError: true });
    session.result(session.call("Write", { file_path: "/home/dev/project/src/a.ts", content: "x" }), "Error", {
      isError: true,
    });
    session.result(session.call("TaskUpdate", { taskId: "9" }), { success: false, error: "Task not found" });
    session.result(session.call("Write", { file_path: "/home/dev/project/PLAN.md", content: "x" }), "Error", {
      said: "no",
      isError: true,
    });
  });
  expect(found.events.map(({ event }) => event.type === "action.refused" && event.offered)).toEqual([
    { tool: "TaskUpdate", input: { taskId: "9" }, message: "Task not found" },
    { tool: "Write", name: "PLAN.md", content: "x", message: "no" },
  ]);
});

test("a call that changes nothing makes no version", () => {
  const found = told((session) => {
    session.prompt("go");
    session.todos(["a", "pending"]);
    session.todos(["a", "pending"]);
    session.task("1", "b");
    session.update("1", { description: "only that" });
    session.update("1", { owner: "someone" });
  });
  expect(summary(found)).toEqual(["t1 claude-code plan.set - [ ] a", "t1 claude-code plan.set - [ ] #1 b"]);
});

test("white space in an item is one space, and an item cannot pretend to be two", () => {
  const found = told((session) => session.todos(["a\n- [x] b \t c", "pending"]));
  expect(summary(found)).toEqual(["t0 claude-code plan.set - [ ] a - [x] b c"]);
});

test("a deleted task leaves the list, and those that it blocked; addBlocks is the other way round", () => {
  const found = told((session) => {
    session.task("1", "a");
    session.task("2", "b");
    session.update("1", { addBlocks: ["2"] });
    session.update("1", { status: "deleted" });
    session.update("2", { subject: "B", status: "in_progress" });
  });
  expect(summary(found).slice(2)).toEqual([
    "t0 claude-code plan.set - [ ] #1 a | - [ ] #2 b (after #1)",
    "t0 claude-code plan.set - [ ] #2 b",
    "t0 claude-code plan.set - [>] #2 B",
  ]);
});

test("a reminder that differs is an event from elsewhere and a note; an empty one where nothing was kept says nothing", () => {
  const found = told((session) => {
    session.reminder("task_reminder", []);
    session.task("1", "a");
    session.reminder("task_reminder", [{ id: "1", subject: "a", status: "pending", blockedBy: [] }]);
    session.reminder("task_reminder", [{ id: "1", subject: "a", status: "completed", blockedBy: [] }]);
    session.reminder("task_reminder", [{ id: "1", subject: "a", status: "completed", blockedBy: [] }]);
  });
  expect(summary(found)).toEqual(["t0 claude-code plan.set - [ ] #1 a", "t0 elsewhere plan.set - [x] #1 a"]);
  expect(found.findings.map(({ severity, line }) => [severity, line])).toEqual([["note", 5]]);
  expect(found.facts.repetitions).toEqual({ seen: 4, equal: 3, explained: 0, elsewhere: 1 });
});

test("a list of which all is done is emptied by the client: no drift, and ids go on", () => {
  const found = told((session) => {
    session.task("1", "a");
    session.update("1", { status: "completed" });
    session.task("2", "b");
    session.update("2", { status: "completed" });
    session.reminder("task_reminder", []);
  });
  expect(summary(found).slice(1)).toEqual([
    "t0 claude-code plan.set - [x] #1 a",
    "t0 claude-code plan.set ",
    "t0 claude-code plan.set - [ ] #2 b",
    "t0 claude-code plan.set - [x] #2 b",
    "t0 claude-code plan.set ",
  ]);
  expect(found.findings).toEqual([]);
});

test("a list of which all is done, but that the client still holds behind the next task, is nobody else's", () => {
  const found = told((session) => {
    session.result(session.call("Agent", { prompt: "look" }), { agentId: "a1", status: "completed" });
    session.task("1", "a");
    session.update("1", { status: "completed" });
    session.task("2", "b");
    const [first, second] = [
      { id: "1", subject: "a", status: "completed", blockedBy: [] },
      { id: "2", subject: "b", status: "pending", blockedBy: [] },
    ];
    session.reminder("task_reminder", [first, second]);
    session.update("2", { status: "completed" });
    session.task("3", "c");
    session.update("2", { status: "deleted" });
  });
  expect(summary(found).slice(2)).toEqual([
    "t0 claude-code plan.set ",
    "t0 claude-code plan.set - [ ] #2 b",
    "t0 claude-code plan.set - [x] #1 a | - [ ] #2 b",
    "t0 claude-code plan.set - [x] #1 a | - [x] #2 b",
    "t0 claude-code plan.set ",
    "t0 claude-code plan.set - [ ] #3 c",
    "t0 claude-code plan.set - [x] #1 a | - [ ] #3 c",
  ]);
  expect(found.facts.repetitions).toEqual({ seen: 1, equal: 1, explained: 0, elsewhere: 0 });
});

test("a blocker that the client does not have blocks nothing, unless a subagent may have added it", () => {
  const block = (session: MadeClaude): void => {
    session.task("1", "a");
    session.task("2", "b");
    session.update("2", { status: "deleted" });
    session.update("1", { addBlockedBy: ["2", "9"] });
  };
  expect(summary(told(block)).at(-1)).toBe("t0 claude-code plan.set - [ ] #1 a");
  const shared = told((session) => {
    session.result(session.call("Agent", { prompt: "look" }), { agentId: "a1", status: "completed" });
    block(session);
  });
  expect(summary(shared).at(-1)).toBe("t0 claude-code plan.set - [ ] #1 a (after #2, #9)");
});

test("a copied conversation begins a list of its own, in which no task of the other list is left", () => {
  const found = told((session) => {
    session.task("1", "a");
    session.task("2", "b");
    session.task("1", "own");
    session.reminder("task_reminder", [{ id: "1", subject: "own", status: "pending", blockedBy: [] }]);
    session.update("1", { status: "completed" });
    session.task("1", "third");
    session.reminder("task_reminder", [{ id: "1", subject: "third", status: "pending", blockedBy: [] }]);
  });
  // Both tasks are gone with the list: #1 was given no other name.
  expect(summary(found).slice(2)).toEqual([
    "t0 claude-code plan.set ",
    "t0 claude-code plan.set - [ ] #1 own",
    "t0 claude-code plan.set - [x] #1 own",
    "t0 claude-code plan.set ",
    "t0 claude-code plan.set - [ ] #1 third",
  ]);
  expect(found.facts.repetitions).toEqual({ seen: 2, equal: 2, explained: 0, elsewhere: 0 });
});

/** The tasks of the conversation that was copied, and the first answer in the fork. */
function forked(session: MadeClaude): void {
  const copied = { requestSessionId: "parent-1" };
  session.prompt("go");
  session.task("1", "a", copied);
  session.task("2", "b", copied);
  session.prompt("go on");
}

test("a fork has none of the tasks of the conversation that it copies: the client says so, and nobody else emptied the list", () => {
  const found = told((session) => {
    forked(session);
    session.reminder("task_reminder", []);
    session.task("1", "own");
    session.reminder("task_reminder", []);
  });
  expect(summary(found).slice(1)).toEqual([
    "t1 claude-code plan.set - [ ] #1 a | - [ ] #2 b",
    "t2 claude-code plan.set ",
    "t2 claude-code plan.set - [ ] #1 own",
    "t2 elsewhere plan.set ",
  ]);
  expect(found.facts.repetitions).toEqual({ seen: 2, equal: 0, explained: 1, elsewhere: 1 });
});

test("a fork holds none of the tasks that it copies once the client finds one of them no more", () => {
  const found = told((session) => {
    const missed = (taskId: string) =>
      session.result(session.call("TaskUpdate", { taskId, status: "completed" }), {
        success: false,
        taskId,
        error: "Task not found",
      });
    forked(session);
    missed("9");
    missed("2");
    session.task("1", "own");
    missed("1");
  });
  expect(summary(found).slice(2)).toEqual([
    "t2 claude-code action.refused",
    "t2 claude-code action.refused",
    "t2 claude-code plan.set ",
    "t2 claude-code plan.set - [ ] #1 own",
    "t2 claude-code action.refused",
  ]);
});

test("a fork knows the tasks whose making a compaction left out by the list that it copies, and nobody else made them", () => {
  const found = told((session) => {
    session.update("2", { status: "completed" }, { requestSessionId: "parent-1" });
    session.reminder("task_reminder", [
      { id: "1", subject: "a", status: "pending", blockedBy: [] },
      { id: "2", subject: "b", status: "completed", blockedBy: [] },
    ]);
  });
  expect(summary(found)).toEqual([
    "t0 claude-code plan.set - [x] #2 ",
    "t0 claude-code plan.set - [ ] #1 a | - [x] #2 b",
  ]);
  expect(found.facts.repetitions).toEqual({ seen: 1, equal: 0, explained: 1, elsewhere: 0 });
});

test("an empty reminder of the other kind of checklist empties none", () => {
  const found = told((session) => {
    session.todos(["a", "pending"]);
    session.reminder("task_reminder", []);
    session.task("1", "b");
    session.reminder("todo_reminder", []);
  });
  expect(summary(found)).toEqual(["t0 claude-code plan.set - [ ] a", "t0 claude-code plan.set - [ ] #1 b"]);
  expect(found.facts.repetitions.seen).toBe(0);
});

test("an empty oldTodos says nothing, for old clients leave it empty; one that differs was changed from outside", () => {
  const old = told((session) => {
    session.todos(["a", "pending"]);
    session.held = [];
    session.todos(["a", "in_progress"]);
  });
  expect(summary(old).length).toBe(2);
  const changed = told((session) => {
    session.todos(["a", "pending"]);
    session.held = [{ content: "x", status: "pending" }];
    session.todos(["a", "in_progress"]);
  });
  expect(summary(changed)).toEqual([
    "t0 claude-code plan.set - [ ] a",
    "t0 elsewhere plan.set - [ ] x",
    "t0 claude-code plan.set - [>] a",
  ]);
});

test("after a compaction an empty oldTodos of a client that fills it means that the list was lost there", () => {
  const found = told((session) => {
    session.prompt("go");
    session.todos(["a", "pending"]);
    session.todos(["a", "in_progress"]);
    session.compaction();
    session.prompt("go on");
    session.held = [];
    session.todos(["b", "pending"]);
  });
  expect(summary(found).slice(2)).toEqual(["t1 claude-code plan.set ", "t2 claude-code plan.set - [ ] b"]);
  expect(found.facts.repetitions).toMatchObject({ explained: 1, elsewhere: 0 });
});

test("a loss that is said in a later turn, behind another change there, leaves the turns of the history in order", () => {
  const found = told((session) => {
    session.prompt("Begin");
    session.todos(["a", "in_progress"]);
    session.todos(["a", "in_progress"], ["b", "pending"]);
    session.compaction();
    session.prompt("Go on");
    const file = { file_path: "/home/dev/project/NOTES.md", content: "n" };
    session.result(session.call("Write", file), { type: "create", originalFile: null, filePath: file.file_path });
    session.held = [];
    session.todos(["c", "pending"]);
  });
  expect(summary(found).slice(1)).toEqual([
    "t1 claude-code plan.set - [>] a | - [ ] b",
    "t2 claude-code section.written NOTES.md n",
    "t2 claude-code plan.set ",
    "t2 claude-code plan.set - [ ] c",
  ]);
  const compacted = found.markers.find(({ marker }) => marker === "compaction");
  expect(found.events[3]?.at).toBe(compacted?.at);
});

test("tasks survive a compaction", () => {
  const found = told((session) => {
    session.task("1", "a");
    session.compaction();
    session.update("1", { status: "completed" });
  });
  expect(summary(found)).toEqual(["t0 claude-code plan.set - [ ] #1 a", "t0 claude-code plan.set - [x] #1 a"]);
});

test.each([0, 10_000])(
  "a compaction that names no line before it leaves nothing behind, in a line of more than %i bytes",
  (length) => {
    const found = told((session) => {
      session.prompt("go");
      session.task("1", "a");
      session.compaction();
      const boundary = session.lines.find(({ subtype }) => subtype === "compact_boundary") ?? {};
      boundary["logicalParentUuid"] = undefined;
      boundary["content"] = "x".repeat(length);
      session.prompt("go on");
      session.update("1", { status: "completed" });
    });
    expect(summary(found)).toEqual(["t1 claude-code plan.set - [ ] #1 a", "t2 claude-code plan.set - [x] #1 a"]);
    expect(found.markers.map(({ marker }) => marker)).toEqual(["compaction"]);
  },
);

test("what a file held before the agent's first edit is not the agent's; what a person wrote in between is not either", () => {
  const path = "/home/dev/project/PLAN.md";
  const edit = (session: MadeClaude, before: string, old: string, put: string): void => {
    const input = { file_path: path, old_string: old, new_string: put };
    session.result(session.call("Edit", input), {
      filePath: path,
      oldString: old,
      newString: put,
      originalFile: before,
    });
  };
  const found = told((session) => {
    edit(session, "one\n", "one", "$& two");
    edit(session, "$& two\n", "two", "three");
    edit(session, "mine\n$& three\n", "three", "four");
  });
  expect(summary(found)).toEqual([
    "t0 elsewhere section.written PLAN.md one | ",
    "t0 claude-code section.written PLAN.md $& two | ",
    "t0 claude-code section.written PLAN.md $& three | ",
    "t0 elsewhere section.written PLAN.md mine | $& three | ",
    "t0 claude-code section.written PLAN.md mine | $& four | ",
  ]);
  expect(found.facts.repetitions).toEqual({ seen: 2, equal: 1, explained: 0, elsewhere: 1 });
});

test("an edit whose text is nowhere in the file is noted, not guessed; a person's change of it is in the patch alone", () => {
  const path = "/home/dev/project/PLAN.md";
  const found = told((session) => {
    const input = { file_path: path, old_string: "a", new_string: "b" };
    session.result(session.call("Edit", input), { filePath: path, originalFile: null, structuredPatch: [] });
    const structuredPatch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+person's"] }];
    session.result(session.call("Edit", input), {
      filePath: path,
      originalFile: "a\n",
      structuredPatch,
      userModified: true,
    });
  });
  expect(found.findings.map(({ detail }) => detail)).toEqual([
    "PLAN.md was edited, but what it holds since is not in the file",
  ]);
  expect(summary(found).at(-1)).toBe("t0 claude-code section.written PLAN.md person's | ");
});

test("parallel calls whose results hang beside the path are no rewind", () => {
  const found = told((session) => {
    session.prompt("go");
    const calls = ["1", "2", "3"].map((id) => ({
      id,
      call: session.call("TaskCreate", { subject: id }, "msg_same"),
      on: session.last,
    }));
    const results = calls.map(({ id, call, on }) => {
      session.tip = on;
      return session.result(call, { task: { id, subject: id } });
    });
    session.tip = results[0] ?? null;
    session.prompt("next");
  });
  expect(summary(found).at(-1)).toBe("t1 claude-code plan.set - [ ] #1 1 | - [ ] #2 2 | - [ ] #3 3");
  expect([found.markers, found.readings]).toEqual([[], 1]);
});

test("a result that stands before its call counts as if it stood behind it", () => {
  const session = new MadeClaude();
  session.prompt("go");
  session.task("1", "a");
  const [prompt, call, result] = session.lines;
  const found = tell(claudeCode, [prompt, result, call] as object[]);
  expect(summary(found)).toEqual(["t1 claude-code plan.set - [ ] #1 a"]);
  expect(found.facts.unanswered).toEqual([]);
});

test("a rewind leaves behind what it went back over, but its turns count", () => {
  const found = told((session) => {
    session.prompt("go");
    session.task("1", "a");
    const kept = session.last;
    session.prompt("wrong way");
    session.task("2", "b");
    session.reminder("task_reminder", [{ id: "7", subject: "left", status: "pending" }]);
    session.tip = kept;
    session.prompt("another way");
    session.task("3", "c");
  });
  expect(summary(found)).toEqual([
    "t1 claude-code plan.set - [ ] #1 a",
    "t3 claude-code plan.set - [ ] #1 a | - [ ] #3 c",
  ]);
  expect(found.markers.map(({ marker, line }) => [marker, line])).toEqual([["branch", 8]]);
  expect([found.turns, found.readings]).toEqual([3, 2]);
});

test("a compaction on a branch that was left did not come after a step of the branch that stands", () => {
  const found = told((session) => {
    session.prompt("go");
    session.todos(["a", "in_progress"]);
    const kept = session.last;
    session.compaction();
    session.prompt("wrong way");
    session.tip = kept;
    session.prompt("another way");
    session.compaction();
    session.prompt("go on");
  });
  expect(found.markers.map(({ marker, line }) => [marker, line])).toEqual([
    ["branch", 7],
    ["compaction", 8],
  ]);
  const events = found.events.map((event, index) => ({ ...event, version: index + 1 }));
  expect(doubtfulSteps({ events, markers: found.markers })).toMatchObject([{ compactions: 1 }]);
});

test("a file that is written again as it was is no new version", () => {
  const found = told((session) => {
    session.prompt("go");
    let originalFile: string | null = null;
    for (const content of ["a", "a", "b"]) {
      const file = { filePath: "/home/dev/project/PLAN.md", content };
      const call = session.call("Write", { file_path: file.filePath, content });
      session.result(call, { type: originalFile === null ? "create" : "update", ...file, originalFile });
      originalFile = content;
    }
  });
  expect(summary(found)).toEqual([
    "t1 claude-code section.written PLAN.md a",
    "t1 claude-code section.written PLAN.md b",
  ]);
});

test.each(["failed", "without a result", "was taken"])(
  "what a person did to a file is the person's, though an edit on a branch that was left %s",
  (how) => {
    const file = { filePath: "/home/dev/project/PLAN.md" };
    const made = new MadeClaude();
    made.prompt("go");
    const write = { file_path: file.filePath, content: "a\n" };
    made.result(made.call("Write", write), { type: "create", ...file, content: "a\n", originalFile: null });
    const kept = made.last;
    made.prompt("try");
    const left = made.call("Edit", { file_path: file.filePath, old_string: "a", new_string: "y" });
    if (how === "failed")
      made.result(left, "Error: no", { isError: true, said: "String to replace not found in file." });
    if (how === "was taken") made.result(left, { ...file, oldString: "a", newString: "y", originalFile: "a\n" });
    made.tip = kept;
    made.prompt("again");
    const edit = { oldString: "a", newString: "b", originalFile: "a\nof a person\n", structuredPatch: [] };
    made.result(made.call("Edit", { file_path: file.filePath, old_string: "a", new_string: "b" }), {
      ...file,
      ...edit,
    });
    for (const told of [tell(claudeCode, made.lines), tellPieces(claudeCode, made.lines, 1024 * 1024)]) {
      const authors = told.events.map(({ actor }) => actor);
      expect(authors).toEqual(["claude-code", "elsewhere", "claude-code"]);
      expect(told.findings).toHaveLength(1);
    }
  },
);

test("a list that the client still holds after a rewind is its own, and nobody else changed it", () => {
  const made = new MadeClaude();
  made.prompt("go");
  made.todos(["a", "in_progress"]);
  const { tip } = made;
  made.prompt("on");
  made.todos(["a", "completed"], ["b", "in_progress"]);
  made.tip = tip;
  made.prompt("not so");
  made.todos(["a", "completed"], ["c", "in_progress"]);
  made.held = [{ content: "c", status: "completed", activeForm: "c" }];
  made.todos(["c", "pending"]);
  const told = tell(claudeCode, made.lines);
  expect(summary(told)).toEqual([
    "t1 claude-code plan.set - [>] a",
    "t3 claude-code plan.set - [x] a | - [>] b",
    "t3 claude-code plan.set - [x] a | - [>] c",
    // The reason was there once.
    "t3 elsewhere plan.set - [x] c",
    "t3 claude-code plan.set - [ ] c",
  ]);
  expect(told.facts.repetitions).toEqual({ seen: 2, equal: 0, explained: 1, elsewhere: 1 });
  expect(told.findings.map(({ detail }) => detail)).toEqual([
    "the checklist was changed from outside, as the client repeats it",
  ]);
});

test("a task that a rewind left behind is as the client still holds it, once it is changed again", () => {
  const made = new MadeClaude();
  const update = (taskId: string, change: object): void => {
    made.result(made.call("TaskUpdate", { taskId, ...change }), { success: true, taskId });
  };
  made.prompt("go");
  for (const [id, subject] of ["one", "two"].entries()) made.task(`${id + 1}`, subject);
  const { tip } = made;
  made.prompt("on");
  made.task("3", "three");
  made.task("4", "four");
  update("1", { status: "completed" });
  update("4", { subject: "vier", addBlockedBy: ["3"] });
  made.task("5", "five");
  update("5", { status: "deleted" });
  made.tip = tip;
  made.prompt("not so");
  update("3", { status: "in_progress" });
  update("1", { subject: "eins" });
  update("2", { addBlockedBy: ["4", "5"] });
  update("4", { status: "completed" });
  made.task("6", "six");
  const told = tell(claudeCode, made.lines);
  const [one, three] = ["- [x] #1 eins", "- [>] #3 three"];
  const [two, four] = ["- [ ] #2 two (after #4)", "- [x] #4 vier (after #3)"];
  expect(summary(told).slice(2)).toEqual([
    `t3 claude-code plan.set - [ ] #1 one | - [ ] #2 two | ${three}`,
    `t3 claude-code plan.set ${one} | - [ ] #2 two | ${three}`,
    `t3 claude-code plan.set ${one} | ${two} | ${three}`,
    `t3 claude-code plan.set ${one} | ${two} | ${three} | ${four}`,
    `t3 claude-code plan.set ${one} | ${two} | ${three} | ${four} | - [ ] #6 six`,
  ]);
  for (const pieceLength of [700, 1024 * 1024])
    expect(tellPieces(claudeCode, made.lines, pieceLength).events).toEqual(told.events);
});

test("a list is not put away as done while a rewind left an open task in it", () => {
  const made = new MadeClaude();
  made.prompt("go");
  made.task("1", "one");
  made.result(made.call("TaskUpdate", { taskId: "1", status: "completed" }), { success: true, taskId: "1" });
  const { tip } = made;
  made.prompt("on");
  made.task("2", "two");
  made.tip = tip;
  made.prompt("not so");
  made.task("3", "three");
  expect(summary(tell(claudeCode, made.lines)).at(-1)).toBe("t3 claude-code plan.set - [x] #1 one | - [ ] #3 three");
});

test("a list that grows without end is not told over and over, and what is told again once it is shorter is what changed", () => {
  const made = new MadeClaude();
  made.prompt("go");
  const create = (id: string, subject: string): void => {
    made.result(made.call("TaskCreate", { subject, description: "" }), { task: { id, subject } });
  };
  const remove = (taskId: string): void => {
    made.result(made.call("TaskUpdate", { taskId, status: "deleted" }), { success: true, taskId });
  };
  create("1", "short");
  for (let id = 2; id <= 8; id++) create(`${id}`, "x".repeat(100_000));
  for (let id = 8; id > 1; id--) remove(`${id}`);
  create("9", "short, too");
  const told = tell(claudeCode, made.lines);
  expect(told.events.map(({ event }) => (event.type === "plan.set" ? event.text.length : -1))).toEqual([
    14, 100_024, 200_034, 100_024, 14, 34,
  ]);
  expect(told.findings.map(({ detail }) => detail)).toEqual([
    "the checklist has more than 262144 characters: it is not told until it is shorter",
  ]);
});

test.each(["TaskList", "TaskGet", "ToolSearch"])(
  "a list that somebody changed is theirs, though a rewind left a %s behind",
  (tool) => {
    const made = new MadeClaude();
    made.prompt("go");
    made.todos(["a", "pending"]);
    const { tip } = made;
    made.prompt("on");
    made.result(made.call(tool, {}), {});
    made.tip = tip;
    made.prompt("not so");
    made.held = [{ content: "by hand", status: "pending", activeForm: "by hand" }];
    made.todos(["b", "pending"]);
    expect(summary(tell(claudeCode, made.lines)).slice(1)).toEqual([
      "t3 elsewhere plan.set - [ ] by hand",
      "t3 claude-code plan.set - [ ] b",
    ]);
  },
);

test("a file that the client did not rewind is as the agent left it, and nobody else changed it", () => {
  const path = "/home/dev/project/PLAN.md";
  const edit = (session: MadeClaude, from: string, to: string): void => {
    const call = session.call("Edit", { file_path: path, old_string: from, new_string: to });
    session.result(call, { filePath: path, oldString: from, newString: to, originalFile: from, structuredPatch: [] });
  };
  const rewound = (then: (session: MadeClaude) => void): Told =>
    told((session) => {
      session.prompt("go");
      session.result(session.call("Write", { file_path: path, content: "a" }), { type: "create", filePath: path });
      const before = session.prompt("on");
      edit(session, "a", "b");
      session.tip = before;
      session.prompt("otherwise");
      then(session);
    });
  const kept = rewound((session) => edit(session, "b", "c"));
  expect(summary(kept)).toEqual([
    "t1 claude-code section.written PLAN.md a",
    "t3 claude-code section.written PLAN.md b",
    "t3 claude-code section.written PLAN.md c",
  ]);
  expect(kept.findings).toEqual([]);
  expect(kept.facts.repetitions).toEqual({ seen: 1, equal: 0, explained: 1, elsewhere: 0 });

  const takenBack = rewound((session) => edit(session, "a", "c"));
  expect(summary(takenBack).slice(1)).toEqual(["t3 claude-code section.written PLAN.md c"]);
  expect(takenBack.facts.repetitions).toEqual({ seen: 1, equal: 1, explained: 0, elsewhere: 0 });

  const rewoundBetween = told((session) => {
    session.prompt("go");
    session.result(session.call("Write", { file_path: path, content: "a" }), { type: "create", filePath: path });
    const before = session.prompt("on");
    edit(session, "a", "b");
    edit(session, "b", "d");
    session.tip = before;
    session.prompt("otherwise");
    edit(session, "b", "c");
  });
  expect(summary(rewoundBetween).slice(1)).toEqual([
    "t3 claude-code section.written PLAN.md b",
    "t3 claude-code section.written PLAN.md c",
  ]);

  const byPersonAtOnce = rewound((session) => edit(session, "by hand", "c"));
  expect(summary(byPersonAtOnce).slice(1)).toEqual([
    "t3 elsewhere section.written PLAN.md by hand",
    "t3 claude-code section.written PLAN.md c",
  ]);
  expect(byPersonAtOnce.findings.map(({ detail }) => detail)).toEqual([
    "PLAN.md was changed from outside between two edits of the agent's",
  ]);

  const byPerson = rewound((session) => {
    edit(session, "b", "c");
    edit(session, "d", "e");
  });
  expect(summary(byPerson).slice(3)).toEqual([
    "t3 elsewhere section.written PLAN.md d",
    "t3 claude-code section.written PLAN.md e",
  ]);
});

test("a line whose parent was never written is no rewind", () => {
  const found = told((session) => {
    session.task("1", "a");
    session.tip = "00000000-0000-4000-8000-00000000ffff";
    session.prompt("go on");
    session.task("2", "b");
  });
  expect(summary(found).at(-1)).toBe("t1 claude-code plan.set - [ ] #1 a | - [ ] #2 b");
  expect(found.readings).toBe(1);
});

test("a subagent's lines are not on the main line, and begin no turn", () => {
  const found = told((session) => {
    const main = session.prompt("go");
    session.tip = null;
    session.line("user", { isSidechain: true, message: { role: "user", content: "look" } });
    const todos = [{ content: "its own", status: "pending" }];
    const use = { type: "tool_use", id: "toolu_s", name: "TodoWrite", input: { todos } };
    session.line("assistant", { isSidechain: true, message: { id: "m", type: "message", model: "m", content: [use] } });
    const block = { tool_use_id: "toolu_s", type: "tool_result", content: "ok" };
    session.line("user", { isSidechain: true, message: { content: [block] }, toolUseResult: { newTodos: todos } });
    session.tip = main;
    session.task("1", "a");
  });
  expect(summary(found)).toEqual(["t1 claude-code plan.set - [ ] #1 a"]);
  expect([found.turns, found.markers, found.facts.agents]).toEqual([1, [], ["00000000"]]);
});

test("a subagent's tasks in a reminder are its own, not from elsewhere", () => {
  const found = told((session) => {
    session.task("1", "a");
    session.result(session.call("Agent", { prompt: "look" }), { status: "completed", agentId: "agent-7" });
    session.reminder("task_reminder", [
      { id: "1", subject: "a", status: "pending" },
      { id: "2", subject: "found", status: "pending" },
    ]);
  });
  expect(summary(found).at(-1)).toBe("t0 agent-7 plan.set - [ ] #1 a | - [ ] #2 found");
  expect(found.facts.repetitions).toEqual({ seen: 1, equal: 0, explained: 1, elsewhere: 0 });
});

test("tasks stand in the order of their ids, in whatever order the client confirms and repeats them", () => {
  const found = told((session) => {
    const [one, two] = ["one", "two"].map((subject) => session.call("TaskCreate", { subject }, "msg_1"));
    session.result(two ?? "", { task: { id: "2", subject: "two" } });
    session.result(one ?? "", { task: { id: "1", subject: "one" } });
    session.task("10", "ten");
    const listed = (id: string, subject: string) => ({ id, subject, status: "pending" });
    session.reminder("task_reminder", [listed("1", "one"), listed("10", "ten"), listed("2", "two")]);
    session.update("10", { status: "deleted" });
    session.reminder("task_reminder", [listed("2", "two"), listed("1", "one")]);
  });
  expect(summary(found)).toEqual([
    "t0 claude-code plan.set - [ ] #2 two",
    "t0 claude-code plan.set - [ ] #1 one | - [ ] #2 two",
    "t0 claude-code plan.set - [ ] #1 one | - [ ] #2 two | - [ ] #10 ten",
    "t0 claude-code plan.set - [ ] #1 one | - [ ] #2 two",
  ]);
  expect(found.facts.repetitions).toEqual({ seen: 2, equal: 2, explained: 0, elsewhere: 0 });
});

test("a subagent's task that the agent changed before a reminder named it is not from elsewhere either", () => {
  const found = told((session) => {
    session.task("1", "a");
    session.result(session.call("Agent", { prompt: "look" }), { status: "completed", agentId: "agent-7" });
    session.update("2", { status: "in_progress" });
    session.reminder("task_reminder", [
      { id: "1", subject: "a", status: "pending" },
      { id: "2", subject: "found", status: "in_progress", blockedBy: ["1"] },
    ]);
  });
  expect(summary(found).slice(1)).toEqual([
    "t0 claude-code plan.set - [ ] #1 a | - [>] #2 ",
    "t0 agent-7 plan.set - [ ] #1 a | - [>] #2 found (after #1)",
  ]);
  expect(found.facts.repetitions).toEqual({ seen: 1, equal: 0, explained: 1, elsewhere: 0 });
  expect(lost(found.events.map(({ event, ...more }, index) => ({ ...more, event, version: index + 1 })))).toMatchObject(
    [
      { reason: "unfinished", text: "a" },
      { reason: "unfinished", text: "found" },
    ],
  );
});

test("what a reminder says otherwise of a subagent's task is from elsewhere", () => {
  const found = told((session) => {
    session.result(session.call("Agent", { prompt: "look" }), { status: "completed", agentId: "agent-7" });
    session.update("2", { status: "in_progress" });
    session.reminder("task_reminder", [{ id: "2", subject: "found", status: "completed" }]);
  });
  expect(summary(found).slice(1)).toEqual([
    "t0 agent-7 plan.set - [>] #2 found",
    "t0 elsewhere plan.set - [x] #2 found",
  ]);
});

test.each([
  ["a command's own lines", { content: "<command-name>/compact</command-name>" }, {}],
  ["a command's output", { content: "<local-command-stdout>ok</local-command-stdout>" }, {}],
  ["a shell line", { content: "<bash-input>ls</bash-input>" }, {}],
  ["a notification", { content: "<task-notification>done</task-notification>" }, {}],
  ["an interruption", { content: [{ type: "text", text: "[Request interrupted by user for tool use]" }] }, {}],
  ["what follows an interrupted message", { content: "x" }, { interruptedMessageId: "msg_1" }],
  ["what the client adds", { content: "x" }, { isMeta: true }],
  ["a summary", { content: "x" }, { isCompactSummary: true }],
  ["what no person wrote", { content: "x" }, { origin: { kind: "task-notification" } }],
])("%s begins no turn", (_, message, more) => {
  expect(told((session) => session.line("user", { message: { role: "user", ...message }, ...more })).turns).toBe(0);
});

test.each(["hello", "<command-message>init</command-message>\n<command-name>/init</command-name>"])(
  "%j begins a turn",
  (content) => {
    expect(told((session) => session.prompt(content)).turns).toBe(1);
  },
);

test("a copied conversation is marked, with whose it was", () => {
  const found = told((session) => {
    session.prompt("go", { forkedFrom: { sessionId: "parent-1", messageUuid: "m" } });
    session.task("1", "a");
  });
  expect(found.markers).toMatchObject([{ marker: "fork", detail: "copied from session parent-1" }]);
  expect(found.findings).toMatchObject([{ kind: "inherited", severity: "note" }]);
});

test.each([
  ["a short one", 1],
  ["one that is too long to be parsed for nothing", 20_000],
])("a copy that says only whose requests were answered is marked by its first answer, %s", (_, length) => {
  const found = told((session) => {
    session.prompt("go");
    const message = { model: "claude-sonnet-4-5", id: "msg_1", type: "message", role: "assistant" };
    const content = [{ type: "text", text: "x".repeat(length) }];
    for (const of of ["parent-1", "parent-1", "session-1"])
      session.line("assistant", { message: { ...message, content }, requestSessionId: of });
    session.task("1", "a");
  });
  expect(found.markers).toMatchObject([{ marker: "fork", detail: "copied from session parent-1" }]);
  expect(found.findings).toMatchObject([{ kind: "inherited", severity: "note", line: 2 }]);
});

test.each([
  ["each line says", { forkedFrom: { sessionId: "parent-1", messageUuid: "m" } }],
  ["the answers say", {}],
])(
  "a copy that begins with a compaction was copied before it was compacted, where %s whose it was",
  async (_, from) => {
    const session = new MadeClaude();
    session.line("system", { subtype: "compact_boundary", compactMetadata: { trigger: "manual" }, ...from });
    const summary = { isCompactSummary: true, message: { role: "user", content: "This session is being continued" } };
    session.line("user", { ...summary, ...from });
    session.prompt("go", from);
    session.task("1", "a", { requestSessionId: "parent-1", ...from });
    session.prompt("on");
    session.line("system", { subtype: "compact_boundary", compactMetadata: { trigger: "auto" } });
    session.task("1", "b", { requestSessionId: "session-1" });
    const file = join(temporaryFolder(), "fork.jsonl");
    writeFileSync(file, session.lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await using journal = await openJournal(file, { readonly: true });
    const marks = (await journal.hostMarkers()).map(({ marker, line }) => `${marker} ${line}`);
    expect(marks).toEqual(["fork 1", "compaction 1", "compaction 7"]);
    const { findings } = await journal.verify();
    expect(findings[0]).toMatchObject({ kind: "inherited", line: 1 });
    const shown = (await cli(["log", file])).stdout;
    expect(shown.indexOf("conversation copied")).toBeLessThan(shown.indexOf("context compacted"));
  },
);

test("the subagents of a copied conversation are those of its origin", () => {
  const found = told((session) => {
    session.prompt("go");
    const agent = (id: string, of: string) =>
      session.result(session.call("Agent", { prompt: "look" }, undefined, { requestSessionId: of }), { agentId: id });
    agent("a1", "parent-1");
    // The list tells that somebody else made a task: the subagent of that time.
    session.reminder("task_reminder", [{ id: "1", subject: "theirs", status: "pending" }]);
    session.prompt("on");
    agent("a2", "session-1");
  });
  expect(found.facts.agents).toEqual(["a2"]);
  expect(summary(found)).toEqual(["t1 a1 plan.set - [ ] #1 theirs"]);
});

test("types of lines that nobody knows are counted, and JSON that is no object is one of them", () => {
  const session = new MadeClaude();
  session.prompt("go");
  const odd = [{ type: "telepathy", sessionId: "s" }, "[1,2]", "7", { type: "telepathy" }, { type: "last-prompt" }];
  const found = tell(claudeCode, [...session.lines, ...odd]);
  expect(found.facts.unknownTypes).toEqual({ telepathy: 2, "a value that is no object": 2 });
  expect(found.findings).toEqual([]);
});

test("a broken line is damage with its place, and what stands around it is read", () => {
  const session = new MadeClaude();
  session.task("1", "a");
  const lines = session.lines.map((line) => JSON.stringify(line));
  const found = tell(claudeCode, ['{"parentUuid":"x", oops', ...lines, "not json"], { every: true });
  expect(found.findings.map(({ kind, line }) => [kind, line])).toEqual([
    ["corrupt", 1],
    ["corrupt", 4],
  ]);
  expect(found.events.length).toBe(1);
});

test("a change of the model is a marker; the client's own messages are no model", () => {
  const found = told((session) => {
    session.call("Bash", {});
    session.line("assistant", { message: { model: "<synthetic>", id: "m1", type: "message", content: [] } });
    session.line("assistant", { message: { model: "claude-opus-4-8", id: "m2", type: "message", content: [] } });
  });
  expect(found.markers).toMatchObject([{ marker: "model", detail: "claude-opus-4-8", at: "2026-01-01T00:00:03.000Z" }]);
});
