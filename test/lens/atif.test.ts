/** A trajectory of any agent is read as the history of its plan; ours comes back as it was. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { applied, cli, newSession, temporaryFolder } from "../cli/cli.ts";

const at = (second: number) => `2026-05-01T10:00:0${second}Z`;
const call = (id: string, name: string, input: object, answer?: string) => ({
  tool_calls: [{ tool_call_id: id, function_name: name, arguments: input }],
  ...(answer !== undefined && { observation: { results: [{ source_call_id: id, content: answer }] } }),
});
const todo = (status: string) => ({
  todos: [
    { content: "Fix it", status },
    { content: "Test it", status: "pending" },
  ],
});

const steps = [
  { step_id: 1, source: "system", message: "You are an agent" },
  { step_id: 2, timestamp: at(1), source: "user", message: [{ type: "text", text: "Fix the build" }] },
  {
    step_id: 3,
    timestamp: at(2),
    source: "agent",
    message: "",
    model_name: "m-1",
    ...call("a", "TodoWrite", todo("in_progress"), "ok"),
  },
  { step_id: 4, timestamp: at(3), source: "agent", message: "", ...call("b", "Bash", { command: "make" }, "done") },
  {
    step_id: 5,
    timestamp: at(4),
    source: "agent",
    message: "",
    ...call("c", "TodoWrite", todo("cancelled"), "Error: not now"),
  },
  {
    step_id: 6,
    timestamp: at(4),
    source: "agent",
    message: "",
    is_copied_context: true,
    ...call("d", "TodoWrite", todo("cancelled")),
  },
  { step_id: 7, timestamp: at(5), source: "user", message: "And now?" },
  {
    step_id: 8,
    timestamp: at(6),
    source: "agent",
    message: "",
    ...call("e", "update_plan", { plan: [{ step: "Fix it", status: "completed" }] }),
  },
  {
    step_id: 9,
    timestamp: at(7),
    source: "agent",
    message: "",
    tool_calls: [{ tool_call_id: "f", function_name: "Write", arguments: { file_path: "PLAN.md", content: "Ship" } }],
    // Of the step before, and of this one.
    observation: {
      results: [
        { source_call_id: "e", content: "ok" },
        { source_call_id: "f", content: "error: no" },
      ],
    },
  },
  // Nothing answers it.
  { step_id: 10, timestamp: at(8), source: "agent", message: "", ...call("g", "TodoWrite", todo("completed")) },
];
const trajectory = {
  schema_version: "ATIF-v1.7",
  session_id: "run 1",
  agent: { name: "swe", version: "2.0", model_name: "m-0" },
  steps,
};

async function read(text: string) {
  const file = path.join(temporaryFolder(), "a.trajectory.json");
  fs.writeFileSync(file, text);
  const journal = await openJournal(file, { readonly: true });
  const events: string[] = [];
  for await (const { event, actor, turn, entryId } of journal.history())
    events.push(`t${turn} ${actor} ${entryId} ${event.type} ${"text" in event ? event.text : JSON.stringify(event)}`);
  const [foreign, { ok, findings }] = [await journal.foreign({ whole: true }), await journal.verify()];
  await journal.close();
  return { events, foreign, ok, kinds: findings.map(({ kind }) => kind) };
}

test.each([
  ["on one line", JSON.stringify(trajectory)],
  ["printed for people", JSON.stringify(trajectory, null, 2)],
  [
    "with what it is behind its steps",
    JSON.stringify({ steps, agent: trajectory.agent, session_id: "run 1", schema_version: "ATIF-v1.7" }),
  ],
])("calls of a checklist are its history, %s", async (_, text) => {
  const { events, foreign, ok } = await read(text);
  const actor = text.startsWith('{"steps"') ? "atif" : "swe";
  expect(events).toEqual([
    `t1 ${actor} a plan.set - [>] Fix it\n- [ ] Test it`,
    expect.stringMatching(new RegExp(`^t1 ${actor} c action\\.refused .*Error: not now`)),
    `t2 ${actor} e plan.set - [x] Fix it`,
    expect.stringMatching(new RegExp(`^t2 ${actor} f action\\.refused .*"name":"PLAN.md","content":"Ship"`)),
  ]);
  expect(foreign?.unanswered).toMatchObject([{ tool: "TodoWrite", call: "g" }]);
  expect(foreign).toMatchObject({
    client: "atif",
    session: "run 1",
    versions: ["2.0"],
    turns: 2,
    firstMessage: "Fix the build",
  });
  expect(ok).toBe(true);
});

test("what was exported comes back: each plan and note in its order, refused ones as refused", async () => {
  const session = await applied(
    newSession(),
    { action: "set_plan", content: "- [>] one" },
    { action: "append_notes", content: "found" },
    { action: "set_plan", content: "- [x] one" },
  );
  const { events } = await read((await cli(["export", session, "--format", "atif"])).stdout);
  expect(events.map((event) => event.split(" ").slice(3).join(" "))).toEqual([
    "plan.set - [>] one",
    "notes.appended found",
    "plan.set - [x] one",
  ]);
});

test("what a person changed beside another client's agent is not exported as the agent's, and comes back as it was", async () => {
  const list = (text: string) => [{ content: text, status: "pending", activeForm: "" }];
  const todos = (id: string, from: string, to: string) => [
    {
      type: "assistant",
      message: { id, content: [{ type: "tool_use", id, name: "TodoWrite", input: { todos: list(to) } }] },
    },
    {
      type: "user",
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "ok" }] },
      toolUseResult: { oldTodos: list(from), newTodos: list(to) },
    },
  ];
  const lines = [
    { type: "user", message: { role: "user", content: "go" } },
    ...todos("a", "x", "one"),
    ...todos("b", "by hand", "two"),
  ].map((line, index) => ({
    ...{ parentUuid: index === 0 ? null : `u${index - 1}`, uuid: `u${index}`, sessionId: "s", timestamp: at(1) },
    ...line,
  }));
  const session = path.join(temporaryFolder(), "claude.jsonl");
  fs.writeFileSync(session, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const { stdout } = await cli(["export", session, "--format", "atif"]);
  const exported: { source: string; extra?: { actor?: string } }[] = JSON.parse(stdout).steps;
  const sources = exported.filter(({ extra }) => extra?.actor !== undefined);
  expect(sources.map(({ source, extra }) => [source, extra?.actor])).toEqual([
    ["system", "elsewhere"],
    ["agent", "claude-code"],
    ["system", "elsewhere"],
    ["agent", "claude-code"],
  ]);
  const { events } = await read(stdout);
  expect(events.map((event) => event.replace(/ (?:step )?\S+ plan\.set/, ""))).toEqual([
    "t1 elsewhere - [ ] x",
    "t1 claude-code - [ ] one",
    "t1 elsewhere - [ ] by hand",
    "t1 claude-code - [ ] two",
  ]);
});

test("a trajectory that was cut off is read as far as it goes, and told to be", async () => {
  const whole = JSON.stringify(trajectory, null, 2);
  const { events, kinds } = await read(whole.slice(0, whole.indexOf('"And now?"')));
  expect([events.length, kinds]).toEqual([2, expect.arrayContaining(["torn"])]);
});
