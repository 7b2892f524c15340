/** Commands and programs of the documents, run without a process for each: starting one takes longer than what it does. */
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { Readable } from "node:stream";
import { runCli } from "../../src/cli/run.ts";

interface Ran {
  readonly output: string;
  readonly status: number;
}

/** `session-journal` with its words, and what its output is piped into. Undefined: only a shell can run that. */
function partsOf(command: string): { readonly argv: readonly string[]; readonly rest: string } | undefined {
  const [, own = "", rest = ""] = /^((?:'[^']*'|"[^"]*"|[^'"|])*)(?:\|(.*))?$/s.exec(command) ?? [];
  const words = own.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const isPlain = words.every((word) => !/[$`\\<>&;*?~]/.test(word.replaceAll(/'[^']*'/g, "")));
  const [name, ...argv] = words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
  return name === "session-journal" && isPlain ? { argv, rest } : undefined;
}

/** What a shell in that folder would print, on both streams. Undefined: only a shell can run that. */
export async function runInProcess(command: string, folder: string, env: NodeJS.ProcessEnv): Promise<Ran | undefined> {
  const parts = partsOf(command);
  if (parts === undefined) return undefined;
  let printed = "";
  let complained = "";
  const stdout = {
    write: (text: string, done: () => void) => {
      printed += text;
      done();
    },
    on: () => undefined,
  };
  const stderr = { write: (text: string) => (complained += text) };
  const interruption = () => new AbortController().signal;
  const before = process.cwd();
  process.chdir(folder);
  try {
    const status = await runCli({
      argv: parts.argv,
      stdin: () => Readable.from([]),
      stdout,
      stderr,
      env,
      interruption,
    });
    if (parts.rest === "") return { output: printed + complained, status };
    const piped = spawnSync("sh", ["-c", `${parts.rest} 2>&1`], { cwd: folder, encoding: "utf8", env, input: printed });
    return { output: complained + piped.stdout, status: piped.status ?? 1 };
  } finally {
    process.chdir(before);
  }
}

/** One process that runs programs in turn, each in a folder. */
export class ProgramRunner {
  readonly #child: ChildProcess = fork(path.join(import.meta.dirname, "run-programs.mjs"), { stdio: "inherit" });

  /** What the program wrote. Rejects with what it threw. */
  async run(file: string, folder: string): Promise<string> {
    this.#child.send({ file, folder });
    const [{ printed, error }] = (await once(this.#child, "message")) as [{ printed: string; error?: string }];
    if (error !== undefined) throw new Error(error);
    return printed;
  }

  end(): void {
    this.#child.kill();
  }
}
