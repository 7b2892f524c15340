/** A home and a project of their own for a client, with a login bug in it. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { newFolder } from "../../hosts/driver.ts";

export const agents = resolve("test/hosts/agents/node_modules");
/** Gemini CLI brings it. */
const terminals = pathToFileURL(join(agents, "@lydell/node-pty/index.js")).href;

/** What a client says on a line of its own, as JSON: the fields of all that are read. */
export interface Said {
  readonly type?: string;
  readonly request_id?: string;
  readonly request?: { readonly tool_name: string; readonly input: object };
  readonly id?: number;
  readonly method?: string;
  readonly error?: object;
  readonly result?: { readonly thread?: { readonly id: string } };
}

type SpawnOnTerminal = (
  program: string,
  words: string[],
  options: { readonly cwd: string; readonly env: object; readonly cols: number; readonly rows: number },
) => {
  readonly pid: number;
  onData(take: (piece: string) => void): void;
  onExit(take: () => void): void;
  write(text: string): void;
};

/** What is typed on a terminal, and what is shown before: a line, which Enter ends, or keys as they are. */
export type Typed = { readonly after: RegExp } & ({ readonly line: string } | { readonly keys: string });

export const keys = { enter: "\r", escape: "\x1b", up: "\x1b[A", down: "\x1b[B", clearsLine: "\x15" } as const;

export class ClientHome {
  readonly folder = newFolder();
  readonly home = join(this.folder, "home");
  readonly project = join(this.folder, "project");
  readonly #env: Record<string, string>;

  constructor(memoryFile: string, env: Readonly<Record<string, string>>) {
    for (const folder of [this.home, join(this.project, "src")]) mkdirSync(folder, { recursive: true });
    writeFileSync(this.at("src/login.js"), "export const login = (user, password) => (user.password = password);\n");
    writeFileSync(this.at(memoryFile), "# Login service\n");
    this.#env = { PATH: process.env["PATH"] ?? "", HOME: this.home, ...env };
  }

  at(path: string): string {
    return join(this.project, path);
  }

  /** The one file under `folder` of the home whose path passes. */
  file(folder: string, isWanted: (path: string) => boolean): string | undefined {
    return this.files(folder, isWanted)[0];
  }

  files(folder: string, isWanted: (path: string) => boolean): readonly string[] {
    const root = join(this.home, folder);
    try {
      const found = readdirSync(root, { recursive: true, encoding: "utf8" });
      return found.filter(isWanted).map((path) => join(root, path));
    } catch {
      return [];
    }
  }

  spawn(program: string, words: readonly string[], input: "pipe" | "ignore" = "ignore"): ChildProcess {
    return spawn(program, words, { cwd: this.project, env: this.#env, stdio: [input, "pipe", "pipe"] });
  }

  /** Runs one that takes and says JSON, a line each. `answer` is told what it says, and says when it is done. */
  async steer(
    program: string,
    words: readonly string[],
    first: object,
    answer: (said: Said, send: (message: object) => void) => "done" | undefined,
  ): Promise<void> {
    const child = this.spawn(program, words, "pipe");
    const ended = new Promise((done) => child.on("exit", done));
    const send = (message: object) => void child.stdin?.write(`${JSON.stringify(message)}\n`);
    if (child.stdout === null) throw new Error("no output");
    send(first);
    for await (const line of createInterface({ input: child.stdout }))
      if (answer(JSON.parse(line), send) === "done") child.stdin?.end();
    await ended;
  }

  /** Runs one on a terminal, as a person does: types each line when what the one before it asks for is shown. */
  async type(program: string, words: readonly string[], lines: readonly Typed[]): Promise<void> {
    const { spawn: spawnOnTerminal } = (await import(terminals)) as { readonly spawn: SpawnOnTerminal };
    const env = { ...this.#env, TERM: "xterm-256color" };
    const terminal = spawnOnTerminal(program, [...words], { cwd: this.project, env, cols: 120, rows: 40 });
    const ended = new Promise<void>((done) => terminal.onExit(() => done()));
    let shown = "";
    terminal.onData((piece) => {
      shown += piece;
    });
    for (const { after, ...typed } of lines) {
      for (let waitedMs = 0; !after.test(stripVTControlCharacters(shown)); waitedMs += 500) {
        // With all that it started: a client may outlive its terminal.
        if (waitedMs > 60_000) process.kill(-terminal.pid, "SIGKILL");
        if (waitedMs > 60_000) throw new Error(`${after} was never shown, but:\n${stripVTControlCharacters(shown)}`);
        await sleep(500);
        // Again, for one that came while it was busy was not heard. In a menu it would choose.
        if ("line" in typed) terminal.write(keys.enter);
      }
      shown = "";
      terminal.write("line" in typed ? typed.line : typed.keys);
      // What comes at once is taken for pasted text.
      await sleep(500);
      if ("line" in typed) terminal.write(keys.enter);
    }
    await ended;
    await this.#endWhatIsLeft();
  }

  /** Codex keeps a server of its own running in the home, which outlives its terminal. */
  async #endWhatIsLeft(): Promise<void> {
    const isLeft = (pid: string) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1").startsWith(this.home);
      } catch {
        return false;
      }
    };
    let left = readdirSync("/proc").filter(isLeft);
    for (const pid of left) process.kill(Number(pid), "SIGKILL");
    for (let waitedMs = 0; left.length > 0 && waitedMs < 5000; waitedMs += 50) {
      await sleep(50);
      left = left.filter(isLeft);
    }
  }

  /** Runs until it ends. Throws with what it said where it failed. */
  async run(program: string, ...words: readonly string[]): Promise<string> {
    const child = this.spawn(program, words);
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (piece) => {
        said += piece;
      });
    }
    const code = await new Promise((done) => child.on("exit", done));
    if (code !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${code}:\n${said}`);
    return said;
  }
}
