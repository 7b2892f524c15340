/** A home and a project of their own for a client, with a login bug in it. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { newFolder } from "../../hosts/driver.ts";

export const agents = resolve("test/hosts/agents/node_modules");

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
    try {
      const found = readdirSync(join(this.home, folder), { recursive: true, encoding: "utf8" }).filter(isWanted);
      return found[0] === undefined ? undefined : join(this.home, folder, found[0]);
    } catch {
      return undefined;
    }
  }

  spawn(program: string, words: readonly string[], input: "pipe" | "ignore" = "ignore"): ChildProcess {
    return spawn(program, words, { cwd: this.project, env: this.#env, stdio: [input, "pipe", "pipe"] });
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
