import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";

const root = resolve(import.meta.dirname, "../..");
const plugin = join(root, "dist", "command", "plugin.cjs");
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), "utf8"));
const plan = "- [ ] Tag 2.14.1\n- [ ] Tell support";
const block = `[Session Scratchpad]\nPlan:\n${plan}\n[End Scratchpad]`;

let folder = "";
let home = "";
let project = "";
const clients: Client[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "session-journal-plugin-"));
  home = join(folder, "home");
  project = join(folder, "project");
  mkdirSync(join(project, ".git"), { recursive: true });
  mkdirSync(join(project, "src"));
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  rmSync(folder, { recursive: true, force: true });
});

type Env = Record<string, string>;

/** What a hook answers to the JSON that a client documents; Claude Code says which process it is. */
async function hook(input: object, env: Env = { CLAUDE_PID: String(process.pid) }) {
  const variables = { SESSION_JOURNAL_HOME: home, ...env };
  const child = spawn(process.execPath, [plugin, "hook"], { cwd: project, env: variables });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.end(JSON.stringify({ cwd: project, transcript_path: "", ...input }));
  const code = await new Promise((done) => child.once("close", done));
  const output = stdout === "" ? undefined : JSON.parse(stdout).hookSpecificOutput;
  return { code, stderr, event: output?.hookEventName, context: output?.additionalContext };
}

const start = (session_id: string, source: string, env?: Env) =>
  hook({ session_id, hook_event_name: "SessionStart", source }, env);
const prompt = (session_id: string, prompt_id: string, env?: Env) =>
  hook({ session_id, hook_event_name: "UserPromptSubmit", prompt_id, prompt: "Go on." }, env);

/** The server, as a client of this process starts it. */
async function serve(env: Env = {}): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const args = [plugin, "serve"];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    cwd: folder,
    env: { SESSION_JOURNAL_HOME: home, ...env },
  });
  await client.connect(transport);
  clients.push(client);
  return client;
}

function write(client: Client, content: string, _meta: Record<string, unknown> = {}) {
  const params = { name: "session_scratchpad", arguments: { action: "set_plan", content }, _meta };
  return client.request({ method: "tools/call", params }, CallToolResultSchema);
}

async function planOf(file: string): Promise<string> {
  const journal = await openJournal(file, { readonly: true });
  const { plan: text } = journal.state;
  await journal.close();
  return text;
}

const own = (session: string) => join(home, "conversations", `${session}.jsonl`);

describe("the plugin", () => {
  test("shows at every prompt and after a compaction what the tool wrote", async () => {
    expect(await start("c1", "startup")).toEqual({ code: 0, stderr: "", event: undefined, context: undefined });
    const client = await serve({ CLAUDE_CODE_SESSION_ID: "c1" });
    expect((await prompt("c1", "p1")).context).toBeUndefined();
    await write(client, plan);
    expect(await prompt("c1", "p2")).toMatchObject({ code: 0, event: "UserPromptSubmit", context: block });
    expect(await prompt("c1", "p3")).toMatchObject({ context: block });
    expect(await start("c1", "compact")).toMatchObject({ event: "SessionStart", context: block });
    expect(await start("c1", "resume")).toMatchObject({ event: "SessionStart", context: block });
    const journal = await openJournal(own("c1"), { readonly: true });
    expect(journal.turn).toBe(3);
    await journal.close();
  });

  test("follows the hook where the client's own variable names another conversation", async () => {
    // As measured: Claude Code starts the servers of a resumed conversation under an id that nobody has.
    const client = await serve({ CLAUDE_CODE_SESSION_ID: "thrown-away" });
    await start("resumed", "resume");
    await write(client, plan);
    expect(await planOf(own("resumed"))).toBe(plan);
    await start("cleared", "clear");
    await prompt("cleared", "p1");
    await write(client, "- [ ] Begin anew");
    expect(await planOf(own("cleared"))).toBe("- [ ] Begin anew");
    expect(await planOf(own("resumed"))).toBe(plan);
    expect(existsSync(own("thrown-away"))).toBe(false);
  });

  test("takes the conversation from the call where the client says it, as Codex does", async () => {
    const client = await serve();
    await prompt("codex-1", "t1", {});
    await write(client, plan, { sessionId: "codex-1", callId: "call_1" });
    await write(client, plan, { sessionId: "codex-1", callId: "call_1" });
    await write(client, "other", { sessionId: "codex-2", callId: "call_1" });
    expect((await prompt("codex-1", "t2", {})).context).toBe(block);
    expect(await planOf(own("codex-2"))).toBe("other");
    const journal = await openJournal(own("codex-1"), { readonly: true });
    const commands: unknown[] = [];
    for await (const { event, command } of journal.history()) if (event.type === "plan.set") commands.push(command);
    expect(commands).toEqual(["call_1"]);
    await journal.close();
  });

  test.each([
    ["Claude Code", { CLAUDE_PID: String(process.pid) }, {}],
    ["Codex", {}, { sessionId: "c1" }],
  ])("keeps one for the project where it is asked to, with %s", async (_, ofClient: Env, meta) => {
    const env = { ...ofClient, SESSION_JOURNAL_SCOPE: "project" };
    const file = join(project, ".session-journal", "scratchpad.jsonl");
    const input = { session_id: "c1", hook_event_name: "UserPromptSubmit", cwd: join(project, "src") };
    await hook(input, env);
    const client = await serve();
    await write(client, plan, meta);
    expect(await planOf(file)).toBe(plan);
    expect(await hook({ ...input, session_id: "c2" }, env)).toMatchObject({ context: block });
    expect(existsSync(own("c1"))).toBe(false);
  });

  test("goes with the hook where a conversation no longer shares the scratchpad of its project", async () => {
    await prompt("codex-1", "t1", { SESSION_JOURNAL_SCOPE: "project" });
    await prompt("codex-1", "t2", {});
    await write(await serve(), plan, { sessionId: "codex-1" });
    expect((await prompt("codex-1", "t3", {})).context).toBe(block);
  });

  test("takes the client's word where no hook has run, and refuses to guess without one", async () => {
    const client = await serve({ CLAUDE_CODE_SESSION_ID: "c1" });
    await write(client, plan);
    expect(await planOf(own("c1"))).toBe(plan);
    await expect(write(await serve(), plan)).rejects.toThrow("let the hooks of the plugin run");
  });

  test("takes an empty variable for one that is not set, and writes nothing into the project", async () => {
    const names = ["SESSION_JOURNAL_HOME", "SESSION_JOURNAL_SCOPE", "CLAUDE_PROJECT_DIR", "CLAUDE_PID"];
    const env = { ...Object.fromEntries(names.map((name) => [name, ""])), HOME: home, USERPROFILE: home };
    expect(await prompt("c1", "p1", env)).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(join(home, ".session-journal", "conversations"))).toContain("c1.jsonl");
    const client = await serve({ ...env, CLAUDE_CODE_SESSION_ID: "" });
    await expect(write(client, plan)).rejects.toThrow("let the hooks of the plugin run");
    await write(client, plan, { sessionId: "c1" });
    expect((await prompt("c1", "p2", env)).context).toContain(plan);
    expect(readdirSync(project).sort()).toEqual([".git", "src"]);
  });

  test("looks for ~ in the home of the user, as the command line does", async () => {
    const env = { SESSION_JOURNAL_HOME: "~/pads", HOME: home, USERPROFILE: home };
    await prompt("c1", "p1", env);
    expect(readdirSync(join(home, "pads", "conversations"))).toContain("c1.jsonl");
    expect(readdirSync(project).sort()).toEqual([".git", "src"]);
  });

  test("ends a hook without a stack trace where the client reads no answer", async () => {
    const child = spawn(process.execPath, [plugin, "hook"], { env: { SESSION_JOURNAL_HOME: home } });
    child.stdout.destroy();
    child.stdin.end(JSON.stringify({ cwd: project, session_id: "c1", hook_event_name: "UserPromptSubmit" }));
    const [complaints, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect([complaints, code]).toEqual(["", 0]);
  });

  test("forgets a process that ended", async () => {
    await start("c1", "startup", { CLAUDE_PID: "123456", SESSION_JOURNAL_SCOPE: "project" });
    const running = () => readdirSync(join(home, "running")).filter((name) => name === "123456");
    expect(running()).toHaveLength(1);
    await hook({ session_id: "c1", hook_event_name: "SessionEnd", reason: "other" }, { CLAUDE_PID: "123456" });
    expect(running()).toEqual([]);
  });

  test("shows no more than the client puts into the context, and says so", async () => {
    const client = await serve({ CLAUDE_CODE_SESSION_ID: "c1" });
    const refs = Array.from({ length: 50 }, (_, index) => `${index}${"r".repeat(300)}`);
    await client.callTool({ name: "session_scratchpad", arguments: { action: "refs.set", items: refs } });
    const { context } = await prompt("c1", "p1");
    expect(context.length).toBeLessThan(9_100);
    expect(context).toMatch(/\[\d+ more chars of the scratchpad are not shown: read it with its tool\.\]$/);
  });

  test.each(["", "x"])("cuts no character in half, wherever it stands (%j before it)", async (shift) => {
    const client = await serve({ CLAUDE_CODE_SESSION_ID: "c1" });
    const items = Array.from({ length: 3 }, () => shift + "😀".repeat(2000));
    await client.callTool({ name: "session_scratchpad", arguments: { action: "refs.set", items } });
    const { context } = await prompt("c1", "p1");
    expect(context).toContain("more chars of the scratchpad");
    expect(context.isWellFormed()).toBe(true);
  });

  test.each([
    ["no conversation", { hook_event_name: "UserPromptSubmit" }, {}, "session_id"],
    ["an id that leads elsewhere", { session_id: "../x", hook_event_name: "UserPromptSubmit" }, {}, "cannot name"],
    [
      "a scope that there is not",
      { session_id: "c1", hook_event_name: "UserPromptSubmit" },
      { SESSION_JOURNAL_SCOPE: "team" },
      "conversation or project",
    ],
  ])("fails without holding the prompt up for %s", async (_, input, env: Env, message) => {
    const { code, stderr, context } = await hook(input, env);
    expect({ code, context }).toEqual({ code: 1, context: undefined });
    expect(stderr).toContain(message);
  });

  test("is described for both clients as this version, by files that are there", () => {
    const { version } = readJson("package.json");
    const { plugins } = readJson(".claude-plugin", "marketplace.json");
    expect(plugins).toMatchObject([{ name: "session-journal", source: "./dist/command" }]);
    const folderOfPlugin = join("dist", "command");
    const claude = readJson(folderOfPlugin, ".claude-plugin", "plugin.json");
    const codex = readJson(folderOfPlugin, ".codex-plugin", "plugin.json");
    expect([claude.version, codex.version]).toEqual([version, version]);
    for (const file of [codex.mcpServers, codex.hooks, codex.skills, ".mcp.json"]) {
      expect(existsSync(join(root, folderOfPlugin, file)), file).toBe(true);
    }
    expect(JSON.stringify(readJson(folderOfPlugin, ".mcp.json"))).not.toContain("npx");
    const { hooks } = readJson(folderOfPlugin, "hooks", "hooks.json");
    expect(Object.keys(hooks)).toEqual(["SessionStart", "UserPromptSubmit", "SessionEnd"]);
  });
});
