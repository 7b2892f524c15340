// Bundles what package.json exports out of a compiled tree: `node .ci/bundle.mjs DIST`. Loading two hundred small modules
// took longer than everything else that a command does. What every use of the library needs is one file, what is loaded on
// demand stays in files of its own. Libraries that every start needs are taken in too; they stay dependencies, so that
// whoever audits an installation sees them.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

const root = resolve(import.meta.dirname, "..");
const compiled = resolve(process.argv[2] ?? join(root, "dist"));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const takenIn = ["diff", "fast-json-patch", "get-east-asian-width"];
const external = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
  .filter((name) => !takenIn.includes(name))
  .map((name) => new RegExp(`^${name}(/|$)`));

const plugins = [builtinsOnDemand(), patchComparison()];
const bundle = await rolldown({ cwd: root, input: entries(), platform: "node", external, plugins });
const { output: plain } = await bundle.generate({ format: "esm" });
const core = modulesLoadedBy("index.js");
// What every verb needs, and `show`, which is run most: each file more is resolved, opened and read by itself.
const command = modulesLoadedBy("cli/main.js", "cli/session.js", "cli/verbs/show.js");
// Other verbs import from that file: the entry point, which waits for them, must not be in it.
command.delete(inCompiled("cli/main.js"));
// Beside the verb, nearly all of it is what every host is given.
const tools = modulesLoadedBy("cli/verbs/mcp.js");
await bundle.write({
  dir: join(compiled, "bundle"),
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
  // Whoever reads the code has them in the repository; every start would read them.
  comments: { legal: true, annotation: true, jsdoc: false },
  codeSplitting: {
    groups: [
      { name: "core", test: (id) => core.has(id) },
      { name: "command", test: (id) => command.has(id) },
      { name: "tools", test: (id) => tools.has(id) },
    ],
  },
});
await bundle.close();

/**
 * An import of a Node built-in makes Node load it, and everything that it can export, before anything of ours runs: of
 * `node:fs` that is streams, of `node:crypto` all of cryptography. So the default export becomes the built-in itself,
 * which Node has long loaded where a default is imported, and a function loads it when it is first called.
 */
function builtinsOnDemand() {
  const handled = ["crypto", "fs", "fs/promises", "path", "timers/promises", "url", "util"].map(
    (name) => `node:${name}`,
  );
  const prefix = "\0on demand ";
  return {
    name: "builtins on demand",
    resolveId: (id) => (handled.includes(id) ? { id: prefix + id, moduleSideEffects: false } : undefined),
    load: (id) => (id.startsWith(prefix) ? builtinSource(id.slice(prefix.length)) : undefined),
  };
}

function builtinSource(name) {
  const builtin = process.getBuiltinModule(name);
  const functions = Object.keys(builtin).filter((key) => /^[a-z]/.test(key) && typeof builtin[key] === "function");
  const get = `process.getBuiltinModule(${JSON.stringify(name)})`;
  return [
    `export default /* @__PURE__ */ ${get};`,
    "let loaded;",
    ...functions.map((key) => `export function ${key}(...args) { return (loaded ??= ${get}).${key}(...args); }`),
  ].join("\n");
}

/** Of fast-json-patch its one function that is called: the package's main file is all of it. */
function patchComparison() {
  const duplex = join(root, "node_modules", "fast-json-patch", "module", "duplex.mjs");
  const id = "\0fast-json-patch";
  return {
    name: "patch comparison",
    resolveId: (name) => (name === "fast-json-patch" ? id : undefined),
    load: (name) => (name === id ? `export * as default from ${JSON.stringify(duplex)};` : undefined),
    transform: (_, name) => (name.includes("fast-json-patch") ? { moduleSideEffects: false } : undefined),
  };
}

/** Name of the bundle → compiled module. */
function entries() {
  const found = { cli: inCompiled("cli/main.js") };
  for (const { types, default: target } of Object.values(manifest.exports)) {
    if (target !== undefined)
      found[target.replace(/^.*\/|\.js$/g, "")] = inCompiled(types.replace("./dist/", "").replace(/\.d\.ts$/, ".js"));
  }
  return found;
}

function modulesLoadedBy(...modules) {
  const chunks = new Map(plain.map((chunk) => [chunk.fileName, chunk]));
  const loaded = new Set();
  const visit = (chunk) => {
    if (chunk === undefined || loaded.has(chunk)) return;
    loaded.add(chunk);
    for (const name of chunk.imports) visit(chunks.get(name));
  };
  for (const module of modules.map(inCompiled)) visit(plain.find(({ moduleIds }) => moduleIds.includes(module)));
  return new Set([...loaded].flatMap(({ moduleIds }) => moduleIds));
}

function inCompiled(path) {
  return join(compiled, path);
}
