import { expect, test } from "vitest";
import { openCode } from "../../src/lens/opencode.ts";
import { linesOf, loginPlan, summary, type Told, tell, tellFixture } from "./lens-run.ts";

const session = { id: "ses_1", directory: "/home/dev/project", version: "1.18.33", projectID: "global" };
let count = 0;

function message(role: string, ...parts: readonly object[]): object {
  const id = `msg_${++count}`;
  return { info: { id, role, time: { created: Date.UTC(2026, 0, 1) + ++count } }, parts };
}

function said(text: string, more: object = {}): object {
  return message("user", { type: "text", text, ...more });
}

function tool(name: string, input: object, state: object = {}): object {
  const own = { status: "completed", input, output: "ok", metadata: {}, time: { end: Date.UTC(2026, 0, 1) + ++count } };
  return { type: "tool", tool: name, id: `prt_${++count}`, callID: `call_${count}`, state: { ...own, ...state } };
}

function todos(...list: readonly (readonly [string, string])[]): object {
  return tool("todowrite", { todos: list.map(([content, status]) => ({ content, status, priority: "high" })) });
}

function read(...lines: readonly object[]): Told {
  return tell(openCode, [{ info: session }, ...lines]);
}

test("the whole story of an exported session with todowrite and a compaction", () => {
  const told = tellFixture("opencode/1.18.33-todowrite-compaction.json");
  const rules = "# Login service |  | Run the tests with `npm test`. | ";
  expect(summary(told)).toEqual([
    `t1 opencode plan.set ${loginPlan(" ", " ", " ", " ")}`,
    "t1 opencode action.refused",
    `t1 opencode plan.set ${loginPlan(">", " ", " ", " ")}`,
    `t1 opencode plan.set ${loginPlan("x", " ", " ", " ")}`,
    `t1 elsewhere section.written AGENTS.md ${rules}`,
    `t1 opencode section.written AGENTS.md ${rules}Never compare passwords with one \`=\`. | `,
    "t1 opencode section.written PLAN.md # Plan |  | - [x] Reproduce the login bug | - [ ] Fix the comparison | ",
    `t2 opencode plan.set ${loginPlan("x", ">", " ", " ")}`,
    `t2 opencode plan.set ${loginPlan("x", "x", "", ">")}`,
    "t2 opencode section.written PLAN.md # Plan |  | - [x] Reproduce the login bug | - [x] Fix the comparison | - [ ] Add a regression test | ",
    `t3 opencode plan.set ${loginPlan("x", "x", "-", "x")}`,
  ]);
  expect(told.events[0]).toMatchObject({ at: "2026-11-22T16:35:50.610Z", entryId: "call_00000002" });
  expect(told.events[1]?.event).toMatchObject({
    action: "set_plan",
    offered: {
      tool: "todowrite",
      input: { todos: [{ content: 7 }] },
      message: expect.stringContaining("Expected string, got 7"),
    },
  });
  expect(told.markers).toMatchObject([{ marker: "compaction", at: "2026-11-22T16:35:59.416Z", detail: "auto" }]);
  expect(told.facts).toMatchObject({
    session: "ses_dfbe2db8fffe36CYiq0RLoPNN7",
    versions: ["1.18.33"],
    models: ["model-a"],
    agents: ["ses_dfbe2ca4cffeCwZebQPW8ZdhtM"],
    repetitions: { seen: 1, equal: 1 },
  });
  expect(told.turns).toBe(3);
});

test("a subagent's session is its own, and a tool that was not offered to it is refused", () => {
  const told = tellFixture("opencode/1.18.33-todowrite-compaction-subagent.json");
  expect(told.facts).toMatchObject({
    parentSession: "ses_dfbe2db8fffe36CYiq0RLoPNN7",
    noChecklist: expect.any(String),
  });
  expect(told.events).toMatchObject([
    { actor: "ses_dfbe2ca4cffeCwZebQPW8ZdhtM", event: { type: "action.refused", offered: { tool: "todowrite" } } },
  ]);
});

test("a call that is still running is unanswered and changes nothing", () => {
  const running = { ...todos(["a", "pending"]), state: { status: "running", input: { todos: [] } } };
  const told = read(said("go"), message("assistant", running));
  expect([told.events, told.facts.unanswered]).toMatchObject([[], [{ tool: "todowrite", line: 3 }]]);
});

test("calls that were made at once count in the order in which they ended", () => {
  const [late, early] = [todos(["late", "pending"]), todos(["early", "pending"])];
  Object.assign((late as { state: { time: object } }).state.time, { end: Date.UTC(2027, 0, 1) });
  const told = read(said("go"), message("assistant", { type: "step-start" }, late, early));
  expect(summary(told)).toEqual(["t1 opencode plan.set - [ ] early", "t1 opencode plan.set - [ ] late"]);
});

test("what was reverted is left behind, and turns go on counting", () => {
  const wrong = message("user", { type: "text", text: "wrong" }) as { info: { id: string } };
  const lines = [
    said("go"),
    message("assistant", todos(["a", "pending"])),
    wrong,
    message("assistant", todos(["b", "pending"])),
  ];
  const told = tell(openCode, [{ info: { ...session, revert: { messageID: wrong.info.id } } }, ...lines]);
  expect([summary(told), told.turns]).toEqual([["t1 opencode plan.set - [ ] a"], 2]);
  expect(told.markers).toMatchObject([{ marker: "branch", entryId: wrong.info.id }]);
});

test("a compaction that was reverted is left behind", () => {
  const wrong = message("user", { type: "text", text: "wrong" }) as { info: { id: string } };
  const compaction = () => message("user", { type: "compaction", auto: true });
  const lines = [said("go"), compaction(), wrong, compaction()];
  const told = tell(openCode, [{ info: { ...session, revert: { messageID: wrong.info.id } } }, ...lines]);
  expect(told.markers.map(({ marker, line }) => [marker, line])).toEqual([
    ["compaction", 3],
    ["branch", 4],
  ]);
});

test("what the client adds by itself is no turn", () => {
  const told = read(
    said("go"),
    said("continue", { synthetic: true }),
    message("user", { type: "compaction", auto: true }),
  );
  expect([told.turns, told.markers.length, told.facts.firstMessage]).toEqual([1, 1, "go"]);
});

test("the model that summarises at a compaction is no change of the model", () => {
  const answer = (modelID: string, more: object = {}) => {
    const { info } = message("assistant") as { info: object };
    return { info: { ...info, modelID, ...more }, parts: [] };
  };
  const models = (summarises: object) =>
    read(said("go"), answer("large"), answer("small", summarises), answer("large")).markers.map(({ detail }) => detail);
  expect(models({ summary: true })).toEqual([]);
  expect(models({})).toEqual(["small", "large"]);
});

test("the list of the database is held against the last call's", () => {
  const lines = [said("go"), message("assistant", todos(["a", "pending"]))];
  const same = read(...lines, { todo: [{ content: "a", status: "pending" }], time: 0 });
  expect(same.facts.repetitions).toEqual({ seen: 1, equal: 1, explained: 0, elsewhere: 0 });
  const other = read(...lines, { todo: [{ content: "a", status: "completed" }], time: 0 });
  expect(summary(other).at(-1)).toBe("t1 elsewhere plan.set - [x] a");
  expect(other.facts.repetitions).toEqual({ seen: 1, equal: 0, explained: 0, elsewhere: 1 });
});

test("edits of plan files: whole texts, diffs, what is known, and what cannot be known", () => {
  const path = "/home/dev/project/PLAN.md";
  const edit = (oldString: string, newString: string, metadata: object = {}): object =>
    message("assistant", tool("edit", { filePath: path, oldString, newString }, { metadata }));
  const told = read(
    said("go"),
    edit("q", "r"),
    edit("a", "b", { filediff: { before: "a\n", after: "b\n" } }),
    edit("b", "c", { filediff: { patch: "--- x\n+++ x\n@@ -1,1 +1,1 @@\n-b\n+c\n" } }),
    edit("c", "$&"),
    message(
      "assistant",
      tool("edit", { filePath: path, oldString: "z" }, { status: "error", error: "oldString not found" }),
    ),
    message(
      "assistant",
      tool(
        "apply_patch",
        {},
        { metadata: { files: [{ filePath: path, before: "$&\n", after: "d\n", type: "update" }] } },
      ),
    ),
    message("assistant", tool("write", { filePath: path, content: "e" }, { metadata: { exists: true } })),
  );
  expect(summary(told)).toEqual([
    "t1 elsewhere section.written PLAN.md a | ",
    ...["b", "c", "$&"].map((text) => `t1 opencode section.written PLAN.md ${text} | `),
    "t1 opencode action.refused",
    "t1 opencode section.written PLAN.md d | ",
    "t1 opencode section.written PLAN.md e",
  ]);
  expect(told.findings).toMatchObject([{ line: 3, detail: expect.stringContaining("is not in the file") }]);
});

test("a diff of a part of the file, or one whose white space was taken away, does not pass for the whole text", () => {
  const path = "/home/dev/project/PLAN.md";
  const patches = [
    "@@ -3,2 +3,2 @@\n a\n-b\n+c\n",
    "@@ -1,5 +1,5 @@\n-b\n+c\n 1\n 2\n 3\n 4\n",
    "@@ -1,1 +1,1 @@\n-x\n+y\n",
  ];
  for (const patch of patches) {
    const edit = tool(
      "edit",
      { filePath: path, oldString: "b", newString: "c" },
      { metadata: { filediff: { patch } } },
    );
    expect(read(said("go"), message("assistant", edit)).events).toEqual([]);
  }
});

test("a plan that a person approved is a mark, and one that was refused is refused", () => {
  const path = "/home/dev/project/.opencode/plans/x.md";
  const write = message(
    "assistant",
    tool("write", { filePath: path, content: "# P" }, { metadata: { exists: false } }),
  );
  const yes = read(said("go"), write, message("assistant", tool("plan_exit", {})));
  expect(yes.markers).toMatchObject([{ marker: "plan approved", detail: ".opencode/plans/x.md" }]);
  const no = read(
    said("go"),
    write,
    message("assistant", tool("plan_exit", {}, { status: "error", error: "shorter" })),
  );
  expect(no.events[1]?.event).toMatchObject({
    offered: { content: "# P", message: "shorter", name: ".opencode/plans/x.md" },
  });
});

test("a broken message is damage, and those around it are read", () => {
  const lines = linesOf("opencode/1.18.33-todowrite-compaction.json");
  const told = tell(
    openCode,
    lines.map((line, index) => (index === 2 ? line.slice(0, -9) : line)),
  );
  expect(told.findings).toMatchObject([{ kind: "corrupt", severity: "damage", line: 3 }]);
  expect(told.events.length).toBe(10);
});
