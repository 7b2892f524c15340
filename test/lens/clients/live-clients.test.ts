/** The clients of today write sessions as a story tells them to, while the library and `follow` read what they write. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hostClients } from "../../hosts/clients.ts";
import * as claudeCode from "./claude-code.ts";
import * as codex from "./codex.ts";
import * as geminiCli from "./gemini-cli.ts";
import * as opencode from "./opencode.ts";
import * as pi from "./pi.ts";

/** They install 1.2 GB. */
const isFull = process.env["SESSION_JOURNAL_FULL"] === "1";
const timeoutMs = 600_000;

test("the full programme installs the clients whose sessions are read", () => {
  const { dependencies } = JSON.parse(readFileSync("test/hosts/agents/package.json", "utf8"));
  const clients = ["@anthropic-ai/claude-code", "@openai/codex", "@google/gemini-cli", "opencode-ai"];
  for (const name of clients) expect(dependencies[name]).toMatch(/^\d/);
});

if (isFull) {
  test(
    "Claude Code: tasks, a refused one, a subagent, resumes, both compactions, and a person's edit",
    async () => {
      await claudeCode.tellTasks();
    },
    timeoutMs,
  );

  test(
    "Claude Code: a plan that a person refused, and one that was approved",
    async () => {
      await claudeCode.tellPlanMode();
    },
    timeoutMs,
  );

  test(
    "Claude Code: a conversation that goes on from an earlier answer, and its copy",
    async () => {
      await claudeCode.tellRewind();
    },
    timeoutMs,
  );

  test(
    "Claude Code: a fork, which has none of the tasks that it copies",
    async () => {
      await claudeCode.tellFork();
    },
    timeoutMs,
  );

  test(
    "Claude Code: a conversation that a person rewinds and has compacted on a terminal",
    async () => {
      await claudeCode.tellTerminal();
    },
    timeoutMs,
  );

  test(
    "Codex: a plan, a refused one, a subagent, resumes, both compactions, and a person's edit",
    async () => {
      await codex.tellPlan();
    },
    timeoutMs,
  );

  test(
    "Codex: a fork, which copies nothing",
    async () => {
      await codex.tellFork();
    },
    timeoutMs,
  );

  test(
    "Codex: a plan in the scripts of code mode",
    async () => {
      await codex.tellCodeMode();
    },
    timeoutMs,
  );

  test(
    "Codex: a plan that a person had changed on a terminal, and then approved",
    async () => {
      await codex.tellPlanMode();
    },
    timeoutMs,
  );

  test(
    "Codex: a conversation that a person rewinds on a terminal",
    async () => {
      await codex.tellTerminal();
    },
    timeoutMs,
  );

  test(
    "OpenCode: todos, a refused call, a subagent, resumes, both compactions, and a person's edit",
    async () => {
      await opencode.tellTodos();
    },
    timeoutMs,
  );

  test(
    "OpenCode: a message that a person undoes, redoes, undoes and says in other words",
    async () => {
      await opencode.tellUndo();
    },
    timeoutMs,
  );

  test(
    "OpenCode: a plan that a person refused, and one that was approved",
    async () => {
      await opencode.tellPlanMode();
    },
    timeoutMs,
  );

  test.each(hostClients)(
    "$name: its todo extension, a refused call, a resume, and both compactions",
    async (client) => {
      await pi.tellTodos(client);
    },
    timeoutMs,
  );

  test.each(hostClients)(
    "$name: a message that a person takes back",
    async (client) => {
      await pi.tellRewind(client);
    },
    timeoutMs,
  );

  test.each(hostClients)(
    "$name: a plan that a person had changed, and then approved",
    async (client) => {
      await pi.tellPlanMode(client);
    },
    timeoutMs,
  );

  test(
    "Gemini CLI: todos, a refused call, a subagent, resumes, both compressions, and a person's edit",
    async () => {
      await geminiCli.tellTodos();
    },
    timeoutMs,
  );

  test(
    "Gemini CLI: a conversation that a person rewinds on a terminal",
    async () => {
      await geminiCli.tellTerminal();
    },
    timeoutMs,
  );

  test(
    "Gemini CLI: a plan that a person refused on a terminal, and then approved",
    async () => {
      await geminiCli.tellPlanOnTerminal();
    },
    timeoutMs,
  );

  test(
    "Gemini CLI: a plan that was approved, and one that came too late",
    async () => {
      await geminiCli.tellPlanMode();
    },
    timeoutMs,
  );
}
