/** The fenced blocks of a document, and how each kind of them is run. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { transform } from "rolldown/utils";
import { shorten } from "../../src/audit/width.ts";
import { withoutProgress } from "../cli/cli.ts";
import { unpackPackage } from "../package/install.ts";
import { ProgramRunner, runInProcess } from "./in-process.ts";

export const root = path.resolve(import.meta.dirname, "../..");

export interface Block {
  readonly language: string;
  /** What follows the language on the opening line. */
  readonly info: string;
  readonly text: string;
  /** Of the opening line, counted from 1. */
  readonly line: number;
  /** What the program prints: the `text` block right under it. */
  readonly printed?: string;
}

/** Shown beside what a console or a program gave. */
interface Shown {
  readonly expected: string;
  readonly actual: string;
}

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: { language: string; info: string; line: number; lines: string[] } | undefined;
  for (const [index, text] of markdown.split("\n").entries()) {
    const fence = /^```(\S*)\s*(.*)$/.exec(text);
    if (open === undefined) {
      if (fence !== null) open = { language: fence[1] ?? "", info: fence[2] ?? "", line: index + 1, lines: [] };
    } else if (text === "```") {
      const { lines, ...rest } = open;
      blocks.push({ ...rest, text: lines.join("\n") });
      open = undefined;
    } else open.lines.push(text);
  }
  if (open !== undefined) throw new Error(`the block in line ${open.line} has no end`);
  return blocks.map((block, index) => {
    const next = blocks[index + 1];
    const isUnder = next?.language === "text" && next.line === block.line + block.text.split("\n").length + 3;
    return isUnder && isProgram(block) ? { ...block, printed: next.text } : block;
  });
}

function isProgram({ language }: Block): boolean {
  return language === "ts" || language === "js";
}

/** Programs as a user has them: beside the package as it is published, installed. */
export class Programs {
  readonly folder: string;
  /** What `session-journal demo` of that package brings. */
  readonly examples: string;
  readonly #runner = new ProgramRunner();
  #count = 0;

  constructor() {
    this.folder = unpackPackage().folder;
    this.examples = path.join(this.folder, "examples");
    const command = path.join(this.folder, "node_modules", ".bin", "session-journal");
    const { status, stderr } = spawnSync(command, ["demo", this.examples], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  }

  remove(): void {
    this.#runner.end();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * Compares each `expression; // JSON` with what the expression gives, and all that is printed with `printed`. `alone`: in
   * a process of its own, which has to end.
   */
  async runProgram(text: string, folder: string, alone: boolean, printed?: string): Promise<Shown[]> {
    this.#count += 1;
    const name = path.join(this.folder, `block-${this.#count}`);
    const { code, errors } = await transform(`${name}.ts`, asProgram(text, `${name}.json`), { target: "node20" });
    if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
    fs.writeFileSync(`${name}.mjs`, code);
    const output = alone ? runAlone(`${name}.mjs`, folder) : await this.#runner.run(`${name}.mjs`, folder);
    const shown = JSON.parse(fs.readFileSync(`${name}.json`, "utf8")) as Shown[];
    if (printed !== undefined) shown.push({ expected: printed, actual: output.trimEnd() });
    return shown;
  }

  /**
   * Runs each `$ command`; what is printed and what is shown under it. An exit code that is not 0 is shown as `exit 1`.
   * `alone`: each in a shell, with the installed package.
   */
  async runConsole(text: string, folder: string, alone: boolean): Promise<Shown[]> {
    const commands = path.join(this.folder, "node_modules", ".bin");
    const env = { ...process.env, PATH: `${commands}${path.delimiter}${process.env["PATH"]}`, NO_COLOR: "1" };
    const shown: Shown[] = [];
    for (const step of text.split(/^\$ /m).slice(1)) {
      const [command = "", ...expected] = step.trimEnd().split("\n");
      const inProcess = alone ? undefined : await runInProcess(command, folder, env);
      const { output, status } = inProcess ?? runInShell(command, folder, env);
      const exit = status === 0 ? "" : `\nexit ${status}`;
      const actual = `${withoutProgress(output).trimEnd()}${exit}`.trimStart();
      shown.push({ expected: expected.join("\n"), actual: asShown(actual, expected) });
    }
    return shown;
  }
}

function runAlone(program: string, folder: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function runInShell(command: string, folder: string, env: NodeJS.ProcessEnv) {
  const { stdout, status } = spawnSync("sh", ["-c", `${command} 2>&1`], { cwd: folder, encoding: "utf8", env });
  return { output: stdout, status };
}

/** A page shows a line of a table as a terminal of this width does, where the command, here in no terminal, gives all of it. */
const columns = 120;

function asShown(actual: string, expected: readonly string[]): string {
  const cut = new Set(expected.filter((line) => line.endsWith("…")));
  const lines = actual.split("\n").map((line) => (cut.has(shorten(line, columns)) ? shorten(line, columns) : line));
  return lines.join("\n");
}

/** `expression; // JSON` becomes a comparison; other comments are left alone. */
function asProgram(text: string, shownFile: string): string {
  const lines = text.split("\n").map((line) => {
    const [, indent = "", expression, comment = ""] = /^(\s*)(.+?);\s*\/\/ (.+)$/.exec(line) ?? [];
    if (expression === undefined || !isJson(comment)) return line;
    const assigned = /^(?:const|let) (\w+)\b/.exec(expression)?.[1];
    const show = (value: string) =>
      `shown.push({ expected: ${JSON.stringify(JSON.stringify(JSON.parse(comment)))}, actual: JSON.stringify(${value}) ?? "undefined" });`;
    return assigned === undefined ? `${indent}${show(expression)}` : `${indent}${expression}; ${show(assigned)}`;
  });
  const write = `writeShown(${JSON.stringify(shownFile)}, JSON.stringify(shown));`;
  return [
    'import { writeFileSync as writeShown } from "node:fs";',
    "const shown: unknown[] = [];",
    ...lines,
    write,
  ].join("\n");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
