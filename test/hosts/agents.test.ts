import { execFile } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { newFolder } from "./driver.ts";
import { type Block, serveAnthropic } from "./scripted-anthropic.ts";

const root = resolve(import.meta.dirname, "../..");
const own = resolve(import.meta.dirname, "agents", "node_modules");
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), "utf8"));
const run = promisify(execFile);
/** They install 1.2 GB. */
const isFull = process.env["SESSION_JOURNAL_FULL"] === "1";
const plan = "- [ ] Tag 2.14.1\n- [ ] Tell support";
const block = JSON.stringify(`[Session Scratchpad]\nPlan:\n${plan}\n[End Scratchpad]`).slice(1, -1);
const input = { action: "set_plan", content: plan };

test("the full programme installs the agents that the plugin is for", () => {
  expect(readJson("package.json").scripts["test:full"]).toMatch(/prepare\.mjs hosts .*\bagents\b/);
  expect(readJson("test/hosts/agents/package.json").dependencies).toMatchObject({
    "@anthropic-ai/claude-code": expect.stringMatching(/^\d/),
    "@openai/codex": expect.stringMatching(/^\d/),
  });
});

/** A user with the packed package in a project of its own. */
class User {
  readonly folder = newFolder();
  readonly home = join(this.folder, "home");
  readonly project = join(this.folder, "project");
  /** Where npm has put the package. */
  readonly installed = join(this.folder, "node_modules", "session-journal");

  async install(): Promise<void> {
    for (const folder of [this.home, this.project]) mkdirSync(folder);
    writeFileSync(join(this.folder, "package.json"), '{ "private": true }\n');
    await run("npm", ["pack", "--ignore-scripts", "--pack-destination", this.folder, "--loglevel=error"], {
      cwd: root,
    });
    const tarball = join(this.folder, `session-journal-${readJson("package.json").version}.tgz`);
    // Without what it depends on: the plugin brings all that it needs.
    await run("tar", ["-xzf", tarball, "-C", this.folder]);
    mkdirSync(join(this.folder, "node_modules"));
    await run("mv", [join(this.folder, "package"), this.installed]);
  }

  async run(program: string, env: Record<string, string>, ...words: string[]): Promise<string> {
    const running = run(program, words, {
      cwd: this.project,
      env: { PATH: process.env["PATH"] ?? "", HOME: this.home, ...env },
      maxBuffer: 2 ** 26,
      timeout: 200_000,
    });
    running.child.stdin?.end();
    const { stdout, stderr } = await running;
    return stdout + stderr;
  }

  /** Plans and commands of the one scratchpad that there is. */
  async scratchpad(): Promise<{ plan: string; commands: (string | undefined)[]; turn: number }> {
    const folder = join(this.home, ".session-journal", "conversations");
    const [file = "", ...others] = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    expect(others).toEqual([]);
    const journal = await openJournal(join(folder, file), { readonly: true });
    const commands: (string | undefined)[] = [];
    for await (const { event, command } of journal.history()) if (event.type === "plan.set") commands.push(command);
    const { turn, state } = journal;
    await journal.close();
    return { plan: state.plan, commands, turn };
  }
}

if (isFull)
  test("Claude Code installs the plugin, has the tool at the first message, and shows the block in each process", async () => {
    const user = new User();
    await user.install();
    const tool = "mcp__plugin_session-journal_scratchpad__session_scratchpad";
    const requests: string[] = [];
    let answers: Block[] = [];
    const server = await serveAnthropic((body) => {
      const isAgent = body.tools?.some(({ name }) => name === tool) ?? false;
      if (!isAgent) return [{ type: "text", text: "<summary>A summary.</summary>" }];
      requests.push(JSON.stringify(body));
      return [answers.shift() ?? { type: "text", text: `Answer ${requests.length}.` }];
    });
    const env = {
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    };
    const claude = (...words: string[]) =>
      user.run(join(own, `@anthropic-ai/claude-code-${process.platform}-${process.arch}`, "claude"), env, ...words);
    await claude("plugin", "validate", join(user.installed, "dist", "command"), "--strict");
    await claude("plugin", "validate", user.installed, "--strict");
    await claude("plugin", "marketplace", "add", user.installed);
    await claude("plugin", "install", "session-journal@session-journal");
    expect(await claude("mcp", "list")).toContain("✔ Connected");
    // What came later, new models too, has no checklist of its own.
    const of = ["--model", "claude-opus-5-5", "--allowedTools", "mcp__plugin_session-journal_scratchpad"];
    answers = [{ type: "tool_use", id: "toolu_01", name: tool, input }];
    await claude("-p", "Plan the release.", ...of);
    expect(requests[0]).not.toContain("TodoWrite");
    expect(requests[0]).not.toContain("TaskCreate");
    expect(requests[0]).toContain("## Session Scratchpad");
    expect(requests[1]).toContain("plan set: 35/2000 chars used");
    await claude("-p", "What is the next step?", "--continue", ...of);
    expect(requests[2]?.split(block)).toHaveLength(3);
    const before = requests.length;
    await claude("-p", "/compact", "--continue", ...of);
    const summarized = requests.length;
    // A resumed conversation's server is started under another id, and must find the same scratchpad all the same.
    answers = [{ type: "tool_use", id: "toolu_02", name: tool, input: { ...input, content: `${plan}\n- [ ] Rest` } }];
    await claude("-p", "Go on.", "--continue", ...of);
    await server.close();
    expect(before).toBeLessThanOrEqual(summarized);
    expect(requests[summarized]).not.toContain("plan set:");
    expect(requests[summarized]).toContain(block);
    expect(await user.scratchpad()).toEqual({
      plan: `${plan}\n- [ ] Rest`,
      commands: ["toolu_01", "toolu_02"],
      turn: 3,
    });
  }, 600_000);

if (isFull)
  test("Codex installs the same plugin, and shows the block at each prompt and after a compaction inside a turn", async () => {
    const user = new User();
    await user.install();
    const model = await serveCodex(user.folder);
    // It refuses to keep its programs in a folder for temporary files, and says so.
    const home = join(user.home, ".codex");
    mkdirSync(home);
    writeFileSync(join(home, "config.toml"), codexConfig(model.url, user.project));
    const codex = (...words: string[]) =>
      user.run(
        process.execPath,
        { CODEX_HOME: home, SCRIPTED_KEY: "none" },
        join(own, "@openai/codex/bin/codex.js"),
        ...words,
      );
    await codex("plugin", "marketplace", "add", user.installed);
    await codex("plugin", "add", "session-journal@session-journal");
    expect(await codex("mcp", "list")).toMatch(/scratchpad +node +\.\/plugin\.cjs serve/);
    const exec = ["exec", "--dangerously-bypass-hook-trust"];
    const call = { type: "function_call", namespace: "mcp__scratchpad", name: "session_scratchpad" };
    const setPlan = { ...call, arguments: JSON.stringify(input) };
    model.answers.push(setPlan);
    await codex(...exec, "--skip-git-repo-check", "Plan the release.");
    const read = { ...call, name: "session_scratchpad_read", arguments: "{}", isFull: true };
    model.answers.push(read);
    await codex(...exec, "resume", "--last", "--skip-git-repo-check", "What is the next step?");
    await model.close();
    const requests = readFileSync(join(user.folder, "requests.jsonl"), "utf8").trimEnd().split("\n");
    // Its tools are found by a search; the list of what can be found has the first line of our guidance.
    expect(requests[0]).toContain(
      "mcp__scratchpad: Your working memory for this session, which survives context compaction.",
    );
    expect(requests[1]).toContain("plan set: 35/2000 chars used");
    expect(requests[2]).toContain(block);
    const last = requests.at(-1) ?? "";
    expect(last).toContain("A summary.");
    expect(last).not.toContain("plan set:");
    expect(last).toContain(block);
    expect(await user.scratchpad()).toEqual({ plan, commands: [expect.stringMatching(/^call_/)], turn: 2 });
  }, 600_000);

function codexConfig(url: string, project: string): string {
  return `model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[projects."${project}"]
trust_level = "trusted"
`;
}

/** An item of the model's; `isFull`: it says that its window is full. */
interface Answer {
  readonly isFull?: boolean;
  readonly [field: string]: unknown;
}

/** A model server of OpenAI's shape, which answers what it was told, keeps what it was asked, and may say that its window is full. */
async function serveCodex(folder: string) {
  const answers: Answer[] = [];
  let count = 0;
  const server = createServer(async (request, response) => {
    if (!request.url?.includes("/responses")) {
      response.writeHead(404).end("{}");
      return;
    }
    const body = JSON.parse(await text(request));
    appendFileSync(join(folder, "requests.jsonl"), `${JSON.stringify(body)}\n`);
    const message = (said: string): Answer => ({
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: said, annotations: [] }],
    });
    const isCompaction = /CONTEXT CHECKPOINT|handoff summary/i.test(JSON.stringify(body.input.at(-1)));
    const { isFull: full = false, ...item } = isCompaction
      ? message("A summary.")
      : (answers.shift() ?? message("Done."));
    count += 1;
    const output = { id: `item_${count}`, status: "completed", call_id: `call_${count}`, ...item };
    const tokens = full ? 250_000 : 1000;
    const usage = {
      input_tokens: tokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: tokens + 5,
    };
    const id = `resp_${count}`;
    const send = (type: string, data: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    send("response.created", { response: { id } });
    send("response.output_item.done", { output_index: 0, item: output });
    send("response.completed", { response: { id, status: "completed", output: [output], usage } });
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  return {
    answers,
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
