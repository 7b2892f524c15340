/** What contributors are told is so: the files, the scripts, the directions of imports. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { edits } from "../architecture/adding-an-action.edits.ts";
import { mayImport } from "../architecture/rows.ts";
import { bundled } from "../package/bundled.ts";
import { root } from "./blocks.ts";

const read = (name: string): string => fs.readFileSync(path.join(root, name), "utf8");
const architecture = read("docs/architecture.md");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

/** The heading of each list of files → the files. */
const lists = new Map(
  (architecture.split("\n## How to add\n")[1]?.split("\n## ")[0] ?? "")
    .split("\n### ")
    .slice(1)
    .map((section) => [
      section.split("\n")[0] ?? "",
      [...section.matchAll(/^- (.*?): /gm)].flatMap(([, named = ""]) =>
        [...named.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file),
      ),
    ]),
);

test("the table of imports is that of the linter", () => {
  const names = (cell: string): string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
  const rows = [...architecture.matchAll(/^\| `(\w+)` \| [^|]* \| ([^|]*)\|$/gm)];
  const table = rows.map(([, folder = "", cell = ""]) => [
    folder,
    cell.includes("everything") ? ["*"] : names(cell).sort(),
  ]);
  const rules = Object.entries(mayImport).map(([folder, targets]) => [folder, targets.toSorted()]);
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(rules));
});

test("each thing that can be added has its list of files, and they are there", () => {
  expect([...lists.keys()]).toEqual(["an action", "a log", "a host", "a lens", "a verb", "a column"]);
  const missing = [...lists.values()].flat().filter((file) => !fs.existsSync(path.join(root, file)));
  expect(missing).toEqual([]);
});

test("the files that an action needs are those that adding one changes", () => {
  expect(lists.get("an action")?.toSorted()).toEqual([...new Set(edits.map(({ file }) => file))].sort());
});

/** What the example of a list is called where it has to be named, and files that name it for another reason. */
const examples: readonly (readonly [string, RegExp, readonly string[]])[] = [
  [
    "a log",
    /case "postgres"|\/postgres\/|postgres:\/\/HOST|\((?:\?:)?sqlite\|nats\|postgres|postgresStore/,
    ["docs/deployment.md", "docs/operating-sqlite.md", "docs/many-sessions.md", "README.md", "test/cli/usage.test.ts"],
  ],
  ["a host", /(?<!@)\bai-sdk\b/, []],
  ["a lens", /\bdroid\b/i, ["src/lens/atif.ts", "docs/performance.md"]],
  ["a verb", /verbs\/blame\.ts|blame \[--space|export const blame:/, []],
  ["a column", /"commit", "entry", "source"|commit,entry,source/, []],
];

test.each(examples)("the list of %s has every file that names its example", (heading, pattern, others) => {
  const listed = lists.get(heading) ?? [];
  const known = ["docs/architecture.md", "docs/api.txt", "test/docs/contributing.test.ts", ...others];
  const roots = ["src", "docs", "examples", "test/cli", "test/docs"].flatMap((folder) =>
    fs.readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  );
  const files = [...roots, "README.md", "llms.txt", "package.json"].filter((name) =>
    /\.(?:ts|md|mjs|txt|json)$/.test(name),
  );
  const naming = files.filter((name) => pattern.test(read(name)));
  expect(naming.length).toBeGreaterThan(1);
  const ofItsFolder = (name: string): boolean => name.startsWith("src/store/postgres/");
  expect(naming.filter((name) => !listed.includes(name) && !known.includes(name) && !ofItsFolder(name))).toEqual([]);
});

test("the files of the two lives are there", () => {
  const files = [...architecture.matchAll(/`(src\/[\w/-]+\.ts)`/g)].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([]);
});

test("every script that CONTRIBUTING.md and CI name is there", () => {
  const named = [read("CONTRIBUTING.md"), read(".github/workflows/ci.yml")]
    .flatMap((text) => [...text.matchAll(/npm (?:run )?(start|test(?=[`\s])|(?<=run )[\w:]+)/g)])
    .map(([, name = ""]) => name);
  expect(new Set(named).size).toBeGreaterThan(6);
  expect(named.filter((name) => !(name in scripts))).toEqual([]);
});

test("CI runs what the README's test command runs, on each Node that the package supports", () => {
  const workflow = read(".github/workflows/ci.yml");
  expect(workflow).toContain("- run: .ci/run");
  expect(workflow).toContain("node: [20, 22, 24]");
  expect(read(".ci/run")).toMatch(/^npm test$/m);
});

test("a release carries its version to every file that repeats it", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-release-"));
  const files = ["package.json", "package-lock.json", "server.json", "docs/mcp.md"];
  fs.mkdirSync(path.join(folder, "docs"));
  for (const file of files) fs.copyFileSync(path.join(root, file), path.join(folder, file));
  const changed = (file: string): string => fs.readFileSync(path.join(folder, file), "utf8");
  const { version } = JSON.parse(read("package.json")) as { version: string };
  fs.writeFileSync(path.join(folder, "package.json"), read("package.json").replace(`"${version}"`, '"98.7.6"'));
  const release = () => spawnSync(process.execPath, [path.join(root, ".ci/version.mjs"), folder], { encoding: "utf8" });
  expect(release()).toMatchObject({ status: 0, stderr: "" });
  expect(release()).toMatchObject({ status: 0, stderr: "" });
  const counts = files.map((file) => changed(file).split("98.7.6").length - 1);
  expect(counts).toEqual([1, 2, 2, 1]);
  expect(changed("docs/mcp.md")).not.toContain(`@${version}`);
  expect(changed("package-lock.json").split("\n").length).toBe(read("package-lock.json").split("\n").length);
  fs.rmSync(folder, { recursive: true });
});

test("what changes stands in .changeset alone, in files that changesets can read", () => {
  expect(read("CHANGELOG.md")).not.toMatch(/unreleased/i);
  expect(JSON.parse(read(".changeset/config.json"))).toMatchObject({ changelog: "@changesets/cli/changelog" });
  const files = fs.readdirSync(path.join(root, ".changeset")).filter((file) => file.endsWith(".md"));
  const form = /^---\n"session-journal": (?:patch|minor|major)\n---\n\n\S/;
  expect(files.filter((file) => !form.test(read(path.join(".changeset", file))))).toEqual([]);
});

test("a workflow is what GitHub understands", async () => {
  const { errors } = await workflowParser();
  for (const file of ["ci.yml", "release.yml"]) expect(errors(read(`.github/workflows/${file}`)), file).toEqual([]);
  expect(errors("on: push\njobs:\n  a:\n    runs-on: x\n    stepz: []\n")).toEqual(
    expect.arrayContaining([expect.stringContaining("stepz")]),
  );
});

/** Bundled first: it imports JSON as Node does not. */
async function workflowParser(): Promise<{ errors(workflow: string): string[] }> {
  const contents = `import { NoOperationTraceWriter, parseWorkflow } from "@actions/workflow-parser";
    export const errors = (content) =>
      parseWorkflow({ name: "workflow", content }, new NoOperationTraceWriter()).context.errors.getErrors().map(String);`;
  const { code } = await bundled({ code: contents, folder: root });
  // From a data URL nothing can be required.
  const source = Buffer.from(code.replaceAll("import.meta.url", '"file:///"')).toString("base64");
  return import(/* @vite-ignore */ `data:text/javascript;base64,${source}`);
}

test("one organisation stands for the project", () => {
  const { repository } = JSON.parse(read("package.json")) as { repository: { url: string } };
  const organisation = /github\.com\/([^/]+)\//.exec(repository.url)?.[1] ?? "";
  const named = ["package.json", "README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "llms.txt"]
    .flatMap((file) => [...read(file).matchAll(/github\.com\/([^/]+)\//g)])
    .map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set([organisation]));
});

test("llms.txt leads to what is there", () => {
  const links = [...read("llms.txt").matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((link) => !fs.existsSync(path.join(root, link)))).toEqual([]);
});
