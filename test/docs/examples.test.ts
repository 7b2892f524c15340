/** What a hover or the reference site shows as an example must be a program that the published types accept. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { blocksOf, root } from "./blocks.ts";

interface Example {
  /** The file, and how many examples of it come before. */
  readonly name: string;
  readonly text: string;
}

/** What an example may use without saying where it comes from: values that its reader has. */
const given = `
import type * as fastCheck from "fast-check";
import type * as sj from "session-journal";
import type * as audit from "session-journal/audit";
import type * as testing from "session-journal/testing";
declare global {
  const fc: typeof fastCheck;
  const journal: sj.Journal;
  const other: sj.Journal;
  const store: sj.JournalStore;
  const events: sj.RecordedEvent[];
  const others: sj.RecordedEvent[];
  const verification: sj.Verification;
  const ours: audit.ReadSession;
  const theirs: audit.ReadSession;
  const operations: testing.Operation[];
  const steps: testing.JournalCommands;
  const context: sj.DecideContext;
  const error: unknown;
  const bytes: Uint8Array;
  const kept: string[];
  const messages: { role: string; content: string }[];
  const [usedTokens, windowTokens]: [number, number];
  const { append, entries, sessionId }: sj.HostSession;
  function retry(version: number): void;
  function myReader(file: string | Uint8Array): object | undefined;
  function myReduce(...given: Parameters<typeof sj.reduce>): ReturnType<typeof sj.reduce>;
  function myStore(): sj.JournalStore;
  function readFile(file: string): Promise<Uint8Array>;
  function test(name: string, run: () => unknown): void;
  const MyLog: new (file: string) => sj.Log;
  const model: object;
}
`;

/** What the example of each SDK calls of it. None of them is installed beside this package. */
const sdks = `
declare module "@anthropic-ai/claude-agent-sdk" {
  export function query(options: { prompt: string; options: { mcpServers?: object; hooks?: object } }): object;
}
declare module "@anthropic-ai/sdk/helpers/beta/memory" {
  export function betaMemoryTool(handlers: Record<"view" | "create" | "str_replace", object>): object;
}
declare module "@openai/agents" {
  export const Agent: new (options: { name: string; tools: { name: string }[] }) => object;
  export function tool(options: { name: string; execute: (input: unknown) => unknown }): { name: string };
}
declare module "ai" {
  export function jsonSchema(schema: object): { schema: object };
  export function generateText(options: { model: object; prompt: string; tools: object }): Promise<{ text: string }>;
}
`;

const entryOf = entriesOfNames();

test("every example of a docstring is a program that the published types accept, and a wrong one is found", () => {
  const examples = examplesIn(path.join(root, "src"));
  expect(examples.length).toBeGreaterThan(80);
  const wrong = { name: "wrong", text: 'const journal = await openJournal("a.jsonl", { acter: "me" });' };
  const complaints = complaintsOf([...examples, wrong].map(({ name, text }) => ({ name, text: asModule(text) })));
  expect(complaints.filter((each) => !each.startsWith("wrong.ts"))).toEqual([]);
  expect(complaints).toEqual([expect.stringMatching(/\(2,.*'acter' does not exist/)]);
});

test("every TypeScript block of a page is a program that the published types accept under strict", () => {
  const blocks = blocksOfPages();
  expect(blocks.length).toBeGreaterThan(30);
  expect(complaintsOf(blocks)).toEqual([]);
});

function blocksOfPages(): Example[] {
  const pages = fs.readdirSync(path.join(root, "docs"), { encoding: "utf8", recursive: true });
  const files = ["README.md", ...pages.filter((file) => file.endsWith(".md")).map((file) => path.join("docs", file))];
  return files.sort().flatMap((file) => {
    const blocks = blocksOf(fs.readFileSync(path.join(root, file), "utf8")).filter(({ language }) => language === "ts");
    const name = file.replace(/\.md$/, "").replaceAll(path.sep, "-");
    return blocks.map(({ line, text }) => ({ name: `${name}-${line}`, text: `export {};\n${text}\n` }));
  });
}

function examplesIn(folder: string): Example[] {
  const files = fs.readdirSync(folder, { encoding: "utf8", recursive: true }).filter((file) => file.endsWith(".ts"));
  return files.sort().flatMap((file) => {
    const text = fs.readFileSync(path.join(folder, file), "utf8");
    const found = [...text.matchAll(/^( *)\* @example\n((?:\1\*(?!\/| @).*\n)+)/gm)];
    const name = file.replace(/\.ts$/, "").replaceAll(path.sep, "-");
    return found.map(([, , lines = ""], index) => ({
      name: `${name}-${index + 1}`,
      text: lines.trimEnd().replace(/^ *\* ?/gm, ""),
    }));
  });
}

/** What the compiler says of the modules, in the order of their files. */
function complaintsOf(examples: readonly Example[]): string[] {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-examples-"));
  try {
    const modules = path.join(folder, "node_modules");
    fs.mkdirSync(modules);
    fs.symlinkSync(root, path.join(modules, "session-journal"), "dir");
    for (const name of ["fast-check", "@types"])
      fs.symlinkSync(path.join(root, "node_modules", name), path.join(modules, name), "dir");
    for (const { name, text } of examples) fs.writeFileSync(path.join(folder, `${name}.ts`), text);
    fs.writeFileSync(path.join(folder, "given.d.ts"), given);
    fs.writeFileSync(path.join(folder, "sdks.d.ts"), sdks);
    fs.writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
    const lib = ["es2023", "esnext.disposable"];
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: "nodenext",
      types: ["node"],
      lib,
    };
    fs.writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const compiler = path.join(root, "node_modules/.bin/tsgo");
    const { stdout } = spawnSync(compiler, ["-p", ".", "--pretty", "false"], { cwd: folder, encoding: "utf8" });
    return stdout.split("\n").filter((line) => /: error /.test(line));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** The first line imports what the example uses of the package, so that its own lines count from the second. */
function asModule(text: string): string {
  const imported = text.match(/(?<=import \{ ).*(?= \})/g)?.join() ?? "";
  const names = new Set(text.replace(/"[^"]*"/g, '""').match(/(?<!\w|[^.]\.)[A-Za-z]+\b/g));
  const imports = [...names].flatMap((name) => {
    const entry = entryOf.get(name);
    return entry === undefined || imported.includes(name) ? [] : [`import { ${name} } from "${entry}";`];
  });
  const isGenerator = /\byield\b/.test(text);
  return `${imports.join(" ")} export {};\n${isGenerator ? `export function* example() { ${text} }` : text}\n`;
}

/** Each public name, and the first entry point that has it, as the report of the API lists them. */
function entriesOfNames(): Map<string, string> {
  const entries = new Map<string, string>();
  let entry = "";
  for (const line of fs.readFileSync(path.join(root, "docs/api.txt"), "utf8").split("\n")) {
    if (line.startsWith("# ")) entry = line.slice(2);
    const name = /^(\w+): (?=abstract |class |const |function )/.exec(line)?.[1];
    if (name !== undefined && name !== "default" && !entries.has(name)) entries.set(name, entry);
  }
  return entries;
}
