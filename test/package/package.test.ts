import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isFull } from "../reliability/results.ts";
import { installPackage } from "./install.ts";
import { expectSuccess, isWindows, root, run, runTool } from "./run.ts";

interface Manifest {
  readonly version: string;
  readonly mcpName: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
}
const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const entryPoints = Object.keys(manifest.exports)
  .filter((path) => !path.endsWith(".json"))
  .map((path) => path.replace(/^\./, "session-journal"));

/**
 * Optional peers that an entry point cannot do without: `session-journal/testing` loads fast-check with its first line,
 * `session-journal/opentelemetry` that of telemetry, and the types of a tool server, for `/mcp` and `/claude-agent-sdk`, are those
 * of its SDK.
 */
const peers = ["fast-check", "@modelcontextprotocol/sdk", "@opentelemetry/api"].map(
  (name) => `${name}@${manifest.peerDependencies[name]}`,
);

/** A user's project with the packed package installed in it. */
let project = "";
let tarball = "";

beforeAll(() => {
  ({ folder: project, tarball } = installPackage(...peers));
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test("the package holds what a user needs and nothing else", () => {
  const files = readdirSync(join(project, "node_modules", "session-journal"));
  expect(files.sort()).toEqual([
    ".claude-plugin",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist",
    "docs",
    "examples",
    "fixtures",
    "llms.txt",
    "openclaw.plugin.json",
    "package.json",
  ]);
  const dist = readdirSync(join(project, "node_modules/session-journal/dist"), { recursive: true }).map(String);
  expect(dist.filter((file) => !file.endsWith(".d.ts") && file.endsWith(".js") && !/^bundle./.test(file))).toEqual([]);
});

test("declarations name no type that newer types of Node have changed", () => {
  const dist = join(project, "node_modules/session-journal/dist");
  const declarations = readdirSync(dist, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".d.ts"));
  expect(declarations.length).toBeGreaterThan(0);
  // Node 26 has the parameters of this type in another order: TypeScript without skipLibCheck refused our declarations.
  expect(declarations.filter((file) => readFileSync(join(dist, file), "utf8").includes("TracingChannel<"))).toEqual([]);
});

test("an example runs from the package", () => {
  const example = join("node_modules", "session-journal", "examples", "fifty-turns.mjs");
  const { status, output } = run(process.execPath, [example], project);
  expect(status, output).toBe(0);
  expect(output).toContain("every-message, history without blocks");
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
}, 120_000);

/** It compiles as every importer does; a user's program below does so as two of them. */
if (isFull) {
  test("the types resolve for every importer of an ES module", () => {
    expectSuccess(runTool("attw", tarball, "--profile", "esm-only", "--no-emoji"));
  }, 120_000);
}

test("every entry point can be imported in plain Node", () => {
  const script = `for (const name of ${JSON.stringify(entryPoints)}) if (Object.keys(await import(name)).length === 0) throw name;`;
  expect(run(process.execPath, ["--input-type=module", "-e", script], project)).toEqual({ status: 0, output: "" });
});

test("no entry point fills the memory when it is imported", () => {
  const script = `for (const name of ${JSON.stringify(entryPoints)}) await import(name);`;
  expectSuccess(run(process.execPath, ["--max-old-space-size=40", "--input-type=module", "-e", script], project));
});

test("every entry point can be required, as CommonJS does", () => {
  const script = `for (const name of ${JSON.stringify(entryPoints)}) if (Object.keys(require(name)).length === 0) throw name;`;
  expect(run(process.execPath, ["--input-type=commonjs", "-e", script], project)).toEqual({ status: 0, output: "" });
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

test.each(isFull ? ["nodenext", "preserve"] : ["nodenext"])(
  "a TypeScript user compiles against it, module %s",
  (module) => {
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
    // Checking the declarations themselves takes long. They are the same for both; only how they are found differs.
    if (!isFull || module === "preserve") options.push("--skipLibCheck");
    const types = ["--types", "node", "--typeRoots", join(root, "node_modules", "@types")];
    const compiler = join(root, "node_modules", ".bin", isFull ? "tsc" : "tsgo");
    if (!isFull) options.push("--checkers", "1");
    expect(run(compiler, ["--ignoreConfig", ...options, ...types, "user.ts"], project)).toEqual({
      status: 0,
      output: "",
    });
  },
  120_000,
);

test("the installed command line serves an MCP client without a second package", async () => {
  const sdk = join(project, "node_modules", "@modelcontextprotocol");
  renameSync(sdk, `${sdk}-away`);
  const client = new Client({ name: "test", version: "1" });
  try {
    const command = join(project, "node_modules", ".bin", isWindows ? "session-journal.cmd" : "session-journal");
    await client.connect(new StdioClientTransport({ command, args: ["mcp", "session.jsonl"], cwd: project }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["session_scratchpad", "session_scratchpad_read"]);
    const input = { action: "set_plan", content: "1. Fix X" };
    expect(await client.callTool({ name: "session_scratchpad", arguments: input })).toMatchObject({ isError: false });
    const { structuredContent } = await client.callTool({ name: "session_scratchpad_read", arguments: {} });
    expect(structuredContent).toMatchObject({ plan: "1. Fix X" });
  } finally {
    await client.close();
    renameSync(`${sdk}-away`, sdk);
  }
});

test("what is bundled into the package goes with its license", () => {
  const licenses = (folder: string) =>
    readFileSync(join(project, "node_modules/session-journal/dist", folder, "LICENSES.txt"), "utf8");
  for (const name of ["@modelcontextprotocol/sdk", "ajv", "chokidar", "diff", "proper-lockfile", "zod"]) {
    expect(licenses("command")).toMatch(new RegExp(`^${name} [0-9.]+\n\n.*`, "m"));
  }
  expect(licenses("bundle")).toMatch(/^diff [0-9.]+\n\nBSD 3-Clause/m);
});

test("the description for the MCP registry is that of this package", () => {
  const server = JSON.parse(readFileSync(join(root, "server.json"), "utf8"));
  expect(server.name).toBe(manifest.mcpName);
  expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  expect(server.description.length).toBeLessThanOrEqual(100);
  expect([server.version, server.packages[0].version]).toEqual([manifest.version, manifest.version]);
});

test("the installed command line answers --help", () => {
  const bin = join(project, "node_modules", ".bin", "session-journal");
  const result = run(bin, ["--help"], project);
  expectSuccess(result);
  expect(result.output).toContain("session-journal");
});
