/** A list that a client did not take may be of any shape: a model writes it. What was offered is kept whole. */
import { expect, test } from "vitest";
import { atif } from "../../src/lens/atif.ts";
import { claudeCode } from "../../src/lens/claude-code.ts";
import { codex } from "../../src/lens/codex.ts";
import { droid } from "../../src/lens/droid.ts";
import { gemini } from "../../src/lens/gemini.ts";
import type { Lens } from "../../src/lens/lens.ts";
import { openCode } from "../../src/lens/opencode.ts";
import { MadeClaude } from "./claude-made.ts";
import { tell } from "./lens-run.ts";

const at = "2026-01-01T00:00:00.000Z";

interface Client {
  readonly lens: Lens;
  /** This is the name of the list in the call, and of a text in its items. */
  readonly names: readonly [list: string, text: string];
  /** The lines of a session in which a call with this input was refused. */
  readonly lines: (input: object) => readonly object[];
}

const clients: readonly Client[] = [
  {
    lens: claudeCode,
    names: ["todos", "content"],
    lines: (input) => {
      const session = new MadeClaude();
      session.prompt("go");
      session.result(session.call("TodoWrite", input), "Error", { said: "no", isError: true });
      return session.lines;
    },
  },
  {
    lens: codex,
    names: ["plan", "step"],
    lines: (input) => {
      const call = { type: "function_call", name: "update_plan", arguments: JSON.stringify(input), call_id: "c" };
      const output = { type: "function_call_output", call_id: "c", output: "failed to parse function arguments" };
      return [
        { timestamp: at, type: "session_meta", payload: { id: "s", cwd: "/work", cli_version: "0.118.0" } },
        ...[call, output].map((payload) => ({ timestamp: at, type: "response_item", payload })),
      ];
    },
  },
  {
    lens: gemini,
    names: ["todos", "description"],
    lines: (args) => {
      const toolCalls = [{ id: "c", name: "write_todos", args, status: "error", timestamp: at }];
      return [
        { sessionId: "s", projectHash: "p", startTime: at },
        { id: "m", timestamp: at, type: "gemini", content: "", toolCalls },
      ];
    },
  },
  {
    lens: droid,
    names: ["todos", "content"],
    lines: (input) => {
      const blocks = [
        ["assistant", { type: "tool_use", id: "c", name: "TodoWrite", input }],
        ["user", { type: "tool_result", tool_use_id: "c", content: "no", is_error: true }],
      ] as const;
      return [
        { type: "session_start", id: "s", title: "t", cwd: "/work" },
        ...blocks.map(([role, block]) => ({ type: "message", timestamp: at, message: { role, content: [block] } })),
      ];
    },
  },
  {
    lens: openCode,
    names: ["todos", "content"],
    lines: (input) => {
      const part = {
        id: "p",
        type: "tool",
        callID: "c",
        tool: "todowrite",
        state: { status: "error", input, error: "no" },
      };
      return [{ info: { id: "ses_1", directory: "/work" } }, { info: { id: "m", role: "assistant" }, parts: [part] }];
    },
  },
  {
    lens: atif,
    names: ["todos", "content"],
    lines: (input) => {
      const tool_calls = [{ tool_call_id: "c", function_name: "TodoWrite", arguments: input }];
      const observation = { results: [{ source_call_id: "c", content: "Error: no" }] };
      return [{ step_id: 1, timestamp: at, source: "agent", message: "", tool_calls, observation }];
    },
  },
];

function offeredTo({ lens, lines }: Client, input: object): unknown[] {
  return tell(lens, lines(input)).events.map(({ event }) => event.type === "action.refused" && event.offered);
}

test.each(clients.map((client) => [client.lens.client, client] as const))(
  "%s: a refused list of another shape is kept as it was asked for, and one of texts as a checklist",
  (_, client) => {
    const [name, text] = client.names;
    const listOf = (...items: unknown[]) => ({ [name]: items });
    for (const input of [
      listOf("Fix the login", "Test it"),
      listOf({ task: "Fix the login" }),
      listOf({ [text]: "Fix the login", status: "pending" }, "Test it"),
      listOf({ [text]: "Fix the login", status: "pending" }, { task: "Test it" }),
    ])
      expect(offeredTo(client, input)).toMatchObject([{ input }]);
    const whole = offeredTo(client, listOf({ [text]: "Fix the login", status: "pending" }));
    expect(whole).toMatchObject([{ content: "- [ ] Fix the login" }]);
  },
);
