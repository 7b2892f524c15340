import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectSuccess, root, run, runTool } from "./run.ts";

interface Manifest {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}
const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entryPoints = Object.keys(manifest.exports)
  .filter((path) => path !== "./package.json")
  .map((path) => path.replace(/^\./, "session-journal"));

/**
 * Optional peers that an entry point cannot do without: `session-journal/testing` loads fast-check with its first line,
 * and the types of a tool server, for `/mcp` and `/claude-agent-sdk`, are those of its SDK.
 */
const peers = ["fast-check", "@modelcontextprotocol/sdk"].map((name) => `${name}@${manifest.peerDependencies[name]}`);

/** A user's project with the packed package installed in it. */
let project = "";
let tarball = "";

beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "session-journal-user-"));
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  const packed = run("npm", ["pack", "--ignore-scripts", "--pack-destination", project, "--loglevel=error"], root);
  expectSuccess(packed);
  tarball = join(project, `session-journal-${manifest.version}.tgz`);
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  expectSuccess(run("npm", ["install", ...options, tarball, ...peers], project));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test("the package holds what a user needs and nothing else", () => {
  const files = readdirSync(join(project, "node_modules", "session-journal"));
  expect(files.sort()).toEqual(["LICENSE", "README.md", "dist", "docs", "openclaw.plugin.json", "package.json"]);
  const dist = readdirSync(join(project, "node_modules/session-journal/dist"), { recursive: true }).map(String);
  expect(dist.filter((file) => !file.endsWith(".d.ts") && file.endsWith(".js") && !/^bundle./.test(file))).toEqual([]);
});

test("the core is one file to load", () => {
  const bundle = join(project, "node_modules/session-journal/dist/bundle");
  const loadedBy = (file: string): string[] =>
    [...readFileSync(join(bundle, file), "utf8").matchAll(/^(?:import|export) .*?"\.\/(.*?)";$/gm)].map(
      ([, name = ""]) => name,
    );
  const core = loadedBy("index.js");
  expect(core).toEqual([expect.stringMatching(/^core-/)]);
  expect(core.flatMap(loadedBy)).toEqual([]);
});

test("every file of src/entry is an entry point, and every entry point has its file", () => {
  const files = readdirSync(join(root, "src", "entry")).map((file) => `session-journal/${basename(file, ".ts")}`);
  expect(entryPoints.toSorted()).toEqual(["session-journal", ...files].sort());
});

test("publint finds nothing", () => {
  expectSuccess(runTool("publint", tarball, "--strict"));
});

test("the types resolve for every importer of an ES module", () => {
  expectSuccess(runTool("attw", tarball, "--profile", "esm-only", "--no-emoji"));
});

test.each(entryPoints)("%s can be imported in plain Node", (entryPoint) => {
  const script = `const names = Object.keys(await import("${entryPoint}")); if (names.length === 0) process.exitCode = 1;`;
  const result = run(process.execPath, ["--input-type=module", "-e", script], project);
  expect(result).toEqual({ status: 0, output: "" });
});

test.each(["chokidar", "proper-lockfile"])("the core does not load %s before it is needed", (library) => {
  const folder = join(project, "node_modules", library);
  renameSync(folder, `${folder}-away`);
  try {
    const result = run(process.execPath, ["--input-type=module", "-e", 'await import("session-journal");'], project);
    expect(result).toEqual({ status: 0, output: "" });
  } finally {
    renameSync(`${folder}-away`, folder);
  }
});

test.each(["nodenext", "preserve"])("a TypeScript user compiles against it, module %s", (module) => {
  const imports = entryPoints.map((entryPoint, index) => `import * as e${index} from "${entryPoint}";`);
  const source = `${imports.join("\n")}
    import { openJournal } from "session-journal";
    export const all = [${entryPoints.map((_, index) => `e${index}`).join(", ")}];
    export async function plan(file: string): Promise<string> {
      const journal = await openJournal(file, { actor: "agent" });
      const answer = await journal.apply({ action: "set_plan", content: "1. Fix auth bug" });
      // @ts-expect-error the state is read-only
      journal.state.plan = "";
      await journal.close();
      return answer.message + journal.state.refs.join();
    }`;
  writeFileSync(join(project, "user.ts"), source);
  const options = [
    "--strict",
    "--noEmit",
    "--target",
    "es2023",
    "--lib",
    // The SDK's types name fetch's.
    "es2023,esnext.disposable,dom",
    "--module",
    module,
  ];
  // The declarations are the same for both; only how they are found differs.
  if (module === "preserve") options.push("--skipLibCheck");
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules", "@types")];
  const tsc = join(root, "node_modules", ".bin", "tsc");
  expect(run(tsc, ["--ignoreConfig", ...options, ...types, "user.ts"], project)).toEqual({ status: 0, output: "" });
});

test("the installed command line answers --help", () => {
  const bin = join(project, "node_modules", ".bin", "session-journal");
  const result = run(bin, ["--help"], project);
  expectSuccess(result);
  expect(result.output).toContain("session-journal");
});
