/** The fenced blocks of a document, and how each kind of them is run. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { build } from "esbuild";

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

/** Programs as they are imported by their public names, bundled from src. Its folder is removed by the caller. */
export class Programs {
  /** Inside the project, so that libraries are found. */
  readonly folder: string;
  #count = 0;

  constructor() {
    const cache = path.join(root, "node_modules", ".cache");
    fs.mkdirSync(cache, { recursive: true });
    this.folder = fs.mkdtempSync(path.join(cache, "session-journal-docs-"));
  }

  /** Puts a command `session-journal` into the folder. */
  async makeCommand(): Promise<void> {
    await this.#bundle({ main: path.join(root, "src", "cli", "main.ts") }, this.folder);
    const command = `#!/bin/sh\nexec "${process.execPath}" "${path.join(this.folder, "main.mjs")}" "$@"\n`;
    fs.writeFileSync(path.join(this.folder, "session-journal"), command, { mode: 0o755 });
  }

  /** Compares each `expression; // JSON` with what the expression gives, and all that is printed with `printed`. */
  async runProgram(text: string, folder: string, printed?: string): Promise<Shown[]> {
    this.#count += 1;
    const name = path.join(this.folder, `block-${this.#count}`);
    fs.writeFileSync(`${name}.ts`, asProgram(text, `${name}.json`));
    await this.#bundle({ [path.basename(name)]: `${name}.ts` }, this.folder);
    const run = spawnSync(process.execPath, [`${name}.mjs`], { cwd: folder, encoding: "utf8" });
    if (run.status !== 0) throw new Error(run.stderr);
    const shown = JSON.parse(fs.readFileSync(`${name}.json`, "utf8")) as Shown[];
    if (printed !== undefined) shown.push({ expected: printed, actual: run.stdout.trimEnd() });
    return shown;
  }

  /** Runs each `$ command`; what is printed and what is shown under it. An exit code that is not 0 is shown as `exit 1`. */
  runConsole(text: string, folder: string): Shown[] {
    const env = { ...process.env, PATH: `${this.folder}${path.delimiter}${process.env["PATH"]}`, NO_COLOR: "1" };
    return text
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = "", ...expected] = step.trimEnd().split("\n");
        const run = spawnSync("sh", ["-c", `${command} 2>&1`], { cwd: folder, encoding: "utf8", env });
        const exit = run.status === 0 ? "" : `\nexit ${run.status}`;
        return { expected: expected.join("\n"), actual: `${run.stdout.trimEnd()}${exit}`.trimStart() };
      });
  }

  async #bundle(entryPoints: Record<string, string>, outdir: string): Promise<void> {
    const { exports } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
      exports: Record<string, string | { readonly types: string }>;
    };
    const alias: Record<string, string> = {};
    for (const [name, target] of Object.entries(exports)) {
      if (typeof target === "string") continue;
      const source = target.types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts");
      alias[path.posix.join("session-journal", name)] = path.join(root, source);
    }
    await build({
      entryPoints,
      outdir,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
      target: "node20",
      outExtension: { ".js": ".mjs" },
      plugins: [
        {
          name: "public-names",
          setup(bundle) {
            bundle.onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) =>
              kind === "entry-point"
                ? undefined
                : name in alias
                  ? { path: alias[name] }
                  : { path: name, external: true },
            );
          },
        },
      ],
      logLevel: "silent",
    });
  }
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
