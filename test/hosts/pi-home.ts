/** pi as its user has it: a home of its own, the client's own command, and a model on the loopback interface. */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { HostClient } from "./clients.ts";
import { newFolder } from "./driver.ts";

export const root = resolve(import.meta.dirname, "../..");

export interface PiHomeOptions {
  readonly url: string;
  /** What the model's window is said to hold, in tokens. Default 200,000. */
  readonly contextWindow?: number;
  /** Of pi's settings. */
  readonly compaction?: { readonly reserveTokens?: number; readonly keepRecentTokens?: number };
}

export interface PiRun {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
}

export class PiHome {
  readonly home = newFolder();
  readonly agent = join(this.home, ".pi", "agent");
  readonly work = join(this.home, "work");
  readonly client: HostClient;

  constructor(client: HostClient, { url, contextWindow = 200_000, compaction = {} }: PiHomeOptions) {
    this.client = client;
    mkdirSync(this.agent, { recursive: true });
    mkdirSync(this.work);
    const model = { id: "scripted", contextWindow, maxTokens: 4096, reasoning: false, input: ["text"] };
    const provider = { baseUrl: url, api: "anthropic-messages", apiKey: "none", models: [model] };
    this.write("models.json", JSON.stringify({ providers: { scripted: provider } }));
    const defaults = { defaultProvider: "scripted", defaultModel: "scripted", quietStartup: true };
    this.write("settings.json", JSON.stringify({ ...defaults, compaction: { enabled: true, ...compaction } }));
  }

  /** Into pi's own folder. */
  write(path: string, text: string): void {
    const file = join(this.agent, path);
    mkdirSync(resolve(file, ".."), { recursive: true });
    writeFileSync(file, text);
  }

  /** The package beside the extensions that pi discovers, as `npm install session-journal` puts it there. */
  link(): void {
    mkdirSync(join(this.agent, "extensions", "node_modules"), { recursive: true });
    symlinkSync(root, join(this.agent, "extensions", "node_modules", "session-journal"), "dir");
  }

  get command(): readonly [string, string] {
    const package_ = resolve(fileURLToPath(this.client.sessionManager), "../../..");
    const { bin } = JSON.parse(readFileSync(join(package_, "package.json"), "utf8")) as { bin: { pi: string } };
    return [this.client.node, join(package_, bin.pi)];
  }

  readonly #more: NodeJS.ProcessEnv = {};

  /** In the environment of every run from now on. */
  use(env: NodeJS.ProcessEnv): void {
    Object.assign(this.#more, env);
  }

  get environment(): NodeJS.ProcessEnv {
    const { PATH } = process.env;
    const quiet = { PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" };
    return { PATH, HOME: this.home, ...quiet, ...this.#more };
  }

  run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<PiRun> {
    const [node, script] = this.command;
    const options = { cwd: this.work, env: { ...this.environment, ...env }, maxBuffer: 1 << 26 };
    return new Promise((done) => {
      const child = execFile(node, [script, ...args], options, (error, stdout, stderr) => {
        done({ stdout, stderr, status: error === null ? 0 : Number(error.code ?? 1) });
      });
      child.stdin?.end();
    });
  }

  /** `pi -p`: what it printed, having complained of nothing. */
  async print(...args: readonly string[]): Promise<string> {
    const { stdout, stderr, status } = await this.run(["-p", ...args]);
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    return stdout;
  }

  /** The session files, oldest first. */
  sessions(): string[] {
    const folder = join(this.agent, "sessions");
    return readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(".jsonl"))
      .sort()
      .map((name) => join(folder, name));
  }
}
