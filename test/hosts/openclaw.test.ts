import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { newFolder } from "./driver.ts";
import { newerNode } from "./newer-node.ts";
import { serveAnthropic } from "./scripted-anthropic.ts";

const root = resolve(import.meta.dirname, "../..");
const own = resolve(import.meta.dirname, "openclaw");
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), "utf8"));
const run = promisify(execFile);
/** It installs 640 MB, and a message takes it a quarter of a minute. */
const isFull = process.env["SESSION_JOURNAL_FULL"] === "1";

test("the package asks for the OpenClaw that the full programme runs it in", () => {
  const { openclaw, scripts } = readJson(root, "package.json");
  expect(openclaw.compat.pluginApi).toBe(`>=${readJson(own, "package.json").dependencies.openclaw}`);
  expect(scripts["test:full"]).toContain("prepare.mjs hosts openclaw ");
});

/** What npm may need to be told. Not all of it: OpenClaw is silent where it sees a test runner. */
const toReachRegistry = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(npm_config_.*|https?_proxy|no_proxy|node_extra_ca_certs)$/i.test(name),
  ),
);

/** A user's OpenClaw in a folder of its own, each command a process. */
class User {
  readonly folder = newFolder();
  readonly state = join(this.folder, "state");
  readonly #config = join(this.folder, "openclaw.json");

  constructor(modelUrl: string) {
    mkdirSync(join(this.folder, "home"));
    const model = { id: "m", name: "m", contextWindow: 200_000, maxTokens: 1000, input: ["text"], reasoning: false };
    const scripted = { baseUrl: modelUrl, apiKey: "none", api: "anthropic-messages", models: [model] };
    this.configure({
      models: { mode: "replace", providers: { scripted } },
      agents: { defaults: { model: "scripted/m", skipBootstrap: true } },
    });
  }

  /** Adds to the configuration. */
  configure(settings: object): void {
    const before = existsSync(this.#config) ? readJson(this.#config) : {};
    writeFileSync(this.#config, JSON.stringify({ ...before, ...settings }));
  }

  async openclaw(...words: string[]): Promise<string> {
    const program = join(own, "node_modules", "openclaw", "openclaw.mjs");
    const env = {
      ...toReachRegistry,
      PATH: `${dirname(newerNode)}${delimiter}${process.env["PATH"]}`,
      HOME: join(this.folder, "home"),
      OPENCLAW_STATE_DIR: this.state,
      OPENCLAW_CONFIG_PATH: this.#config,
    };
    const running = run(newerNode, [program, ...words], {
      cwd: this.folder,
      env,
      maxBuffer: 2 ** 26,
      timeout: 300_000,
    });
    // It waits for what it could be told.
    running.child.stdin?.end();
    return (await running).stdout;
  }

  say(message: string): Promise<string> {
    return this.openclaw("agent", "--local", "--session-key", "agent:main:release", "--message", message);
  }
}

const plan = "1. Tag 2.14.1\n2. Tell support";
const block = `[Session Scratchpad]\nPlan:\n${plan}\n[End Scratchpad]`;

if (isFull)
  test("the real OpenClaw installs the plugin, and its agent finds its plan in each process and after a compaction", async () => {
    const requests: string[] = [];
    let inputTokens = 10;
    const server = await serveAnthropic({
      inputTokens: () => inputTokens,
      answer: (body) => {
        const isAgent = body.tools?.some(({ name }) => name === "session_scratchpad");
        if (!isAgent) return [{ type: "text", text: "A summary." }];
        requests.push(JSON.stringify(body));
        if (requests.length > 1) return [{ type: "text", text: `Answer ${requests.length}.` }];
        const input = { action: "set_plan", content: plan };
        return [{ type: "tool_use", id: "toolu_01", name: "session_scratchpad", input }];
      },
    });
    const user = new User(server.url);
    await run("npm", ["pack", "--ignore-scripts", "--pack-destination", user.folder, "--loglevel=error"], {
      cwd: root,
    });
    const tarball = join(user.folder, `session-journal-${readJson(root, "package.json").version}.tgz`);
    await user.openclaw("plugins", "install", `npm-pack:${tarball}`, "--force", "--accept-capabilities");

    user.configure({ plugins: { entries: { "session-journal": { config: { maxToken: 500 } } } } });
    await expect(user.openclaw("config", "validate")).rejects.toThrow(/session-journal.*maxToken/s);
    user.configure(readJson(root, "examples", "openclaw.json"));
    const inspected = JSON.parse(await user.openclaw("plugins", "inspect", "session-journal", "--runtime", "--json"));
    expect(inspected.tools).toEqual([{ names: ["session_scratchpad"], optional: false }]);
    expect(inspected.typedHooks).toContainEqual({ name: "before_prompt_build" });
    expect(inspected.diagnostics.filter(({ level }: { level: string }) => level === "error")).toEqual([]);

    expect(await user.say("Plan the release.")).toContain("Answer 2.");
    expect(requests[0]).toContain("## Session Scratchpad");
    expect(requests[0]).not.toContain("[End Scratchpad]");
    expect(requests[1]).toContain("plan set: 29/2000 chars used");

    inputTokens = 198_000;
    expect(await user.say("Anything else?")).toContain("Answer 3.");
    expect(requests[2]).toContain(JSON.stringify(`${block}\n\nAnything else?`).slice(1, -1));

    inputTokens = 10;
    expect(await user.say("What is the next step?")).toContain("Answer 4.");
    await server.close();
    expect(requests[3]).toContain("compacted");
    expect(requests[3]).toContain(JSON.stringify(`${block}\n\nWhat is the next step?`).slice(1, -1));
    expect(requests[3]).not.toContain("[End Scratchpad]\\n\\nAnything else?");

    const folder = join(user.state, "session-journal");
    const [file = "", ...others] = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
    expect(others).toEqual([]);
    const journal = await openJournal(join(folder, file), { readonly: true });
    const told: unknown[] = [];
    for await (const { event, turn, actor, command } of journal.history())
      told.push([event.type, turn, actor, command]);
    expect(told).toEqual([
      ["turn.began", 1, "agent", undefined],
      ["plan.set", 1, "agent", "toolu_01"],
      ["turn.began", 2, "agent", undefined],
      ["turn.began", 3, "agent", undefined],
    ]);
    expect((await journal.verify()).findings).toEqual([]);
    await journal.close();
  }, 900_000);
