/** Every block of the documents is run, and what it shows is compared with what it gives. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verbs } from "../../src/cli/verbs.ts";
import { isFull } from "../reliability/results.ts";
import { type Block, blocksOf, Programs, root } from "./blocks.ts";

const pages = fs.readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" });
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  ...pages.map((name) => `docs/${name.replaceAll("\\", "/")}`),
].filter((name) => name.endsWith(".md"));

const { files: published } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
  files: string[];
};

let programs: Programs;
beforeAll(() => {
  programs = new Programs();
});
afterAll(() => programs.remove());

/** Their commands and programs run as a reader's: in processes of their own, from the installed package. */
const runAlone = ["README.md", "docs/first-hour.md"];

describe.each(documents)("%s", (name) => {
  const markdown = fs.readFileSync(path.join(root, name), "utf8");
  let folder = "";
  beforeAll(() => {
    folder = makeFolder();
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  /** In order: a block finds what the blocks before it left in the folder. */
  for (const block of blocksOf(markdown)) {
    test(`the ${block.language} block in line ${block.line}`, () =>
      runBlock(block, folder, isFull || runAlone.includes(name)));
  }

  test("a page that shows what comes of an example file says who brings the file", () => {
    const consoles = blocksOf(markdown).filter(({ language }) => language === "console");
    const commands = consoles.flatMap(({ text }) => text.split("\n").filter((line) => line.startsWith("$ ")));
    const examples = fs.readdirSync(programs.examples);
    const isUsed = commands.some((command) => command.split(" ").some((word) => examples.includes(word)));
    if (isUsed) expect(markdown).toContain("session-journal demo");
  });

  test("links lead somewhere", () => {
    const links = [...markdown.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    for (const [link, file = "", anchor] of links) {
      const target = file === "" ? path.join(root, name) : path.resolve(root, path.dirname(name), file);
      expect(fs.existsSync(target), link).toBe(true);
      if (isPublished(name))
        expect(isPublished(path.relative(root, target)), `${link} is not in the package`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(fs.readFileSync(target, "utf8")), link).toContain(anchor);
    }
  });
});

test("what a program prints is the text block right under it", () => {
  const [program, printed, other] = blocksOf("```js\n1;\n2;\n```\n\n```text\nout\n```\n\nand\n\n```js\n3;\n```\n");
  expect(program?.printed).toBe("out");
  expect(printed).toEqual({ language: "text", info: "", line: 6, text: "out" });
  expect(other?.printed).toBeUndefined();
});

describe("a block that is wrong fails", () => {
  let folder = "";
  beforeAll(() => {
    folder = makeFolder();
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  test("a program that prints something else", async () => {
    const block = { language: "js", info: "", text: "console.log(1)", line: 1, printed: "2" };
    await expect(runBlock(block, folder)).rejects.toThrow();
  });

  test.each([
    ["ts", "const one = 1;\none + 1; // 3"],
    ["ts", 'import { noSuchName } from "session-journal";\nnoSuchName();'],
    ["js", "throw new Error();"],
    ["console", "$ session-journal show nothing.jsonl"],
    ["console", "$ session-journal show session.jsonl --json\n{}"],
    ["sh", "npm run no-such-script"],
    ["sh", "session-journal no-such-verb session.jsonl"],
    ["json", "{,}"],
    ["jsonl", "{}"],
    ["perl", "die"],
  ])("%s: %s", async (language, text) => {
    await expect(
      runBlock({ language, info: "fixtures/sessions/pi-0.73.1.jsonl", text, line: 1 }, folder),
    ).rejects.toThrow();
  });
});

async function runBlock({ language, info, text, printed }: Block, folder: string, alone = false): Promise<void> {
  switch (language) {
    case "js":
    case "ts": {
      // An example in a file of its own has a test of its own.
      if (info !== "") {
        expect(text).toBe(withoutHead(fs.readFileSync(path.join(root, info), "utf8")));
        return;
      }
      // A server ends when nobody speaks to it any more.
      const isServer = text.includes("serveMcp(");
      const shown = await programs.runProgram(text, folder, alone || isServer, printed);
      expect(shown.map(({ actual }) => actual)).toEqual(shown.map(({ expected }) => expected));
      return;
    }
    case "console": {
      const shown = await programs.runConsole(text, folder, alone);
      expect(shown.length).toBeGreaterThan(0);
      for (const { expected, actual } of shown) expect(actual).toBe(expected);
      return;
    }
    case "sh":
      for (const line of text.split("\n")) expectCommand(line);
      return;
    case "json":
      JSON.parse(text);
      if (info !== "") expect(fs.readFileSync(path.join(root, info), "utf8")).toContain(text);
      return;
    case "jsonl":
      for (const line of text.split("\n"))
        expect(fs.readFileSync(path.join(root, info), "utf8").split("\n")).toContain(line);
      return;
    // The configuration of a client: shown, not run.
    case "toml":
    case "text":
    case "":
      return;
    default:
      throw new Error(`nothing here runs ${language} blocks`);
  }
}

/** True where a file of the repository goes into the package: what a user has must not lead to what is not there. */
function isPublished(file: string): boolean {
  const [first = ""] = file.split(path.sep);
  return published.includes(first) || first === "LICENSE" || /^README\b/.test(first);
}

/** The whole of an example, imports and all, but for what it says of itself in comments at its beginning. */
function withoutHead(example: string): string {
  return example.replace(/^(?:\/\/.*\n)+/, "").trimEnd();
}

/** What a reader is told to type, but what is not run from inside a test, exists. */
function expectCommand(line: string): void {
  const { name, scripts } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")) as {
    name: string;
    scripts: Record<string, string>;
  };
  const [command, verb = "", ...words] = line.replace(/#.*$/, "").trim().split(" ");
  if (command === "") return;
  if (command === name || (command === "npx" && verb === name)) {
    expect(Object.keys(verbs)).toContain(command === name ? verb : words[0]);
    return;
  }
  if (command === "pi") {
    expect([verb, ...words]).toEqual(["install", `npm:${name}`]);
    return;
  }
  if (command === "openssl") {
    expect(["genpkey", "pkey"]).toContain(verb);
    return;
  }
  expect(command).toBe("npm");
  if (verb === "install") expect(words).toContain(name);
  else expect(Object.keys(scripts)).toContain(verb === "run" ? words[0] : verb);
}

/** A folder as a reader has it: with what `session-journal demo` brings, beside the installed package. */
function makeFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-docs-"));
  fs.cpSync(programs.examples, folder, { recursive: true });
  fs.symlinkSync(path.join(programs.folder, "node_modules"), path.join(folder, "node_modules"), "dir");
  return folder;
}

function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
