/** A model may ask for work beside the call that begins a step, or behind the one that completes it. Each is told in the order in which it was asked for. */
import { expect, test } from "vitest";
import { claudeCode } from "../../src/lens/claude-code.ts";
import { codex } from "../../src/lens/codex.ts";
import { droid } from "../../src/lens/droid.ts";
import { gemini } from "../../src/lens/gemini.ts";
import type { Lens } from "../../src/lens/lens.ts";
import { openCode } from "../../src/lens/opencode.ts";
import { MadeClaude } from "./claude-made.ts";
import { tell } from "./lens-run.ts";

type Status = "in_progress" | "completed";
/** What the model asks for at once: work, or that the only step is so. */
type Asked = "work" | Status;

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

function ofClaude(asked: readonly (readonly Asked[])[]): object[] {
  const session = new MadeClaude();
  session.prompt("Go");
  for (const [turn, message] of asked.entries()) {
    const calls = message.map((what) => {
      if (what === "work") return { id: session.call("Bash", { command: "ls" }, `m${turn}`), data: { stdout: "" } };
      const todos = [{ content: "Fix it", status: what, activeForm: "Fixing" }];
      return { id: session.call("TodoWrite", { todos }, `m${turn}`), data: { oldTodos: [], newTodos: todos } };
    });
    for (const { id, data } of calls) session.result(id, data);
  }
  return session.lines;
}

function ofOneLine(asked: readonly (readonly Asked[])[]): object[] {
  const session = new MadeClaude();
  session.prompt("Go");
  for (const [turn, message] of asked.entries()) {
    const content = message.map((what, index) => {
      const input = what === "work" ? { command: "ls" } : { todos: [{ content: "Fix it", status: what }] };
      return { type: "tool_use", id: `t${turn}.${index}`, name: what === "work" ? "Bash" : "TodoWrite", input };
    });
    session.line("assistant", { message: { model: "m", id: `m${turn}`, type: "message", role: "assistant", content } });
    for (const { id } of content) session.result(id, {});
  }
  return session.lines;
}

function ofCodex(asked: readonly (readonly Asked[])[]): object[] {
  const item = (payload: object) => ({ timestamp: at(1), type: "response_item", payload });
  const messages = asked.map((message, turn) => {
    const calls = message.map((what, index) => {
      const plan = { plan: [{ step: "Fix it", status: what }] };
      const input = what === "work" ? { cmd: "ls" } : plan;
      const name = what === "work" ? "exec_command" : "update_plan";
      return item({ type: "function_call", name, arguments: JSON.stringify(input), call_id: `c${turn}.${index}` });
    });
    const outputs = message.map((what, index) => {
      const output = what === "work" ? "done" : "Plan updated";
      return item({ type: "function_call_output", call_id: `c${turn}.${index}`, output });
    });
    return [...calls, ...outputs];
  });
  return [codexMeta, ...messages.flat()];
}

const codexMeta = {
  timestamp: at(0),
  type: "session_meta",
  payload: { id: "019c0000-0000-7000-8000-000000000001", cwd: "/p", cli_version: "0.126.0" },
};

const directWork = "await tools.exec_command({ cmd: 'tools.update_plan(' });";

/** Each message is one script. */
function ofCodeMode(asked: readonly (readonly Asked[])[], work = directWork): object[] {
  const item = (payload: object) => ({ timestamp: at(1), type: "response_item", payload });
  const scripts = asked.flatMap((message, turn) => {
    const input = message
      .map((what) =>
        what === "work" ? work : `await tools.update_plan({ plan: [{ step: "Fix it", status: "${what}" }] });`,
      )
      .join("\n");
    const output = [{ type: "input_text", text: "Script completed" }];
    return [
      item({ type: "custom_tool_call", name: "exec", input, call_id: `c${turn}` }),
      item({ type: "custom_tool_call_output", call_id: `c${turn}`, output }),
    ];
  });
  return [codexMeta, ...scripts];
}

function ofGemini(asked: readonly (readonly Asked[])[]): object[] {
  const messages = asked.map((message, turn) => ({
    ...{ id: `g${turn}`, timestamp: at(turn), type: "gemini", content: "", model: "gemini-2.5-pro" },
    toolCalls: message.map((what, index) => ({
      ...{ id: `c${turn}.${index}`, status: "success", timestamp: at(turn), result: [] },
      name: what === "work" ? "run_shell_command" : "write_todos",
      args: what === "work" ? { command: "ls" } : { todos: [{ description: "Fix it", status: what }] },
    })),
  }));
  // Each is written again once its calls are answered.
  const begun = messages.map((message) => ({
    ...message,
    toolCalls: message.toolCalls.map((call) => ({ ...call, status: "executing" })),
  }));
  const metadata = { sessionId: "session-1", projectHash: "hash", startTime: at(0), kind: "main" };
  return [metadata, ...messages.flatMap((message, turn) => [begun[turn] ?? {}, message])];
}

function ofOpenCode(asked: readonly (readonly Asked[])[]): object[] {
  const start = Date.UTC(2026, 0, 1);
  const messages = asked.map((message, turn) => ({
    info: { id: `m${turn}`, role: "assistant", time: { created: start + turn } },
    parts: message.map((what, index) => {
      // Work takes longer than a plan.
      const end = start + turn * 1000 + (what === "work" ? 500 : index);
      const input = what === "work" ? { command: "ls" } : { todos: [{ content: "Fix it", status: what }] };
      const state = { status: "completed", input, output: "ok", metadata: {}, time: { end } };
      const id = `p${turn}.${index}`;
      return { type: "tool", tool: what === "work" ? "bash" : "todowrite", id, callID: id, state };
    }),
  }));
  return [{ info: { id: "ses_1", directory: "/p", version: "1.18.33", projectID: "global" } }, ...messages];
}

function ofDroid(asked: readonly (readonly Asked[])[]): object[] {
  const message = (role: string, content: readonly object[]) => {
    return { type: "message", id: `m${role}`, timestamp: at(1), message: { role, content } };
  };
  const messages = asked.flatMap((of, turn) => [
    message(
      "assistant",
      of.map((what, index) => ({
        ...{ type: "tool_use", id: `c${turn}.${index}`, name: what === "work" ? "LS" : "TodoWrite" },
        input: what === "work" ? {} : { todos: `1. [${what}] Fix it` },
      })),
    ),
    message(
      "user",
      of.map((_, index) => ({ type: "tool_result", tool_use_id: `c${turn}.${index}`, content: "ok" })),
    ),
  ]);
  return [{ type: "session_start", id: "session-1", owner: "dev", version: 2, cwd: "/p" }, ...messages];
}

const made: readonly (readonly [string, Lens, (asked: readonly (readonly Asked[])[]) => object[]])[] = [
  ["Claude Code", claudeCode, ofClaude],
  ["Claude Code, in one line", claudeCode, ofOneLine],
  ["Codex", codex, ofCodex],
  ["Codex in code mode", codex, (asked) => ofCodeMode(asked)],
  ["Gemini CLI", gemini, ofGemini],
  ["OpenCode", openCode, ofOpenCode],
  ["Droid", droid, ofDroid],
];

/** So many calls of other tools were made between the beginning of the step and its end. */
function workBetween(lens: Lens, lines: readonly object[]): number[] {
  return [false, true].map((every) => {
    const [begun, completed, ...others] = tell(lens, lines, { every }).events;
    expect(others).toEqual([]);
    return (completed?.calls ?? Number.NaN) - (begun?.calls ?? Number.NaN);
  });
}

test.each(made)("%s: work beside the call that begins a step is work on it", (_, lens, lines) => {
  expect(workBetween(lens, lines([["work"], ["in_progress", "work"], ["completed"]]))).toEqual([1, 1]);
  expect(workBetween(lens, lines([["in_progress"], ["work", "completed"]]))).toEqual([1, 1]);
});

test.each(made)(
  "%s: work that was asked for before a step was begun, or after it was completed, is none on it",
  (_, lens, lines) => {
    expect(workBetween(lens, lines([["work", "in_progress"], ["completed"]]))).toEqual([0, 0]);
    expect(workBetween(lens, lines([["in_progress"], ["completed", "work"]]))).toEqual([0, 0]);
  },
);

test.each(made)("%s: work before the call that begins a step is not taken for that behind it", (_, lens, lines) => {
  expect(workBetween(lens, lines([["work", "in_progress", "work"], ["completed"]]))).toEqual([1, 1]);
  expect(workBetween(lens, lines([["work", "in_progress", "work", "completed"]]))).toEqual([1, 1]);
});

test.each([
  "await Promise.all(['ls', 'pwd'].map(tools.exec_command));",
  "await tools['exec_command']({ cmd: 'ls' });",
  "const { exec_command } = tools; await exec_command({ cmd: 'ls' });",
])("a script of Codex's that calls a tool in another way than by its name works, too: %s", (work) => {
  const lines = (asked: readonly (readonly Asked[])[]) => ofCodeMode(asked, work);
  expect(workBetween(codex, lines([["in_progress", "work"], ["completed"]]))).toEqual([1, 1]);
  expect(
    workBetween(
      codex,
      lines([
        ["work", "in_progress"],
        ["completed", "work"],
      ]),
    ),
  ).toEqual([0, 0]);
});
