// Bundles what package.json exports out of a compiled tree: `node .ci/bundle.mjs DIST`. Loading two hundred small modules
// took longer than everything else that a command does. What every use of the library needs is one file, what is loaded on
// demand stays in files of its own. Development dependencies that sources import are taken in, so nobody installs them; LICENSES.txt
// names them. The command takes in all that its MCP server needs, too: `npx session-journal mcp` names no second package, and its folder
// is the plugin of agents, which may copy it elsewhere.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = resolve(import.meta.dirname, "..");
const compiled = resolve(process.argv[2] ?? join(root, "dist"));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const libraries = { ...manifest.dependencies, ...manifest.peerDependencies };
const ofLibrary = outside(Object.keys(libraries));
const takenInByCommand = ["@modelcontextprotocol/sdk", "chokidar", "proper-lockfile"];
const ofCommand = outside(Object.keys(libraries).filter((name) => !takenInByCommand.includes(name)));

/** Matches the folder of the library that a module is of. The compiled tree may lie in a cache beside them. */
const isOfLibrary = /^(?!\0).*node_modules\/(?!\.)(?:@[^/]+\/)?[^/]+/;

const command = { cli: inCompiled("cli/main.js"), plugin: inCompiled("cli/plugin.js") };
const { output: plain } = await bundled({ ...library(), ...command }, ofLibrary, (bundle) =>
  bundle.generate({ format: "esm" }),
);
/** What every use of the library needs, in one file. */
const groupsOfLibrary = [{ name: "core", modules: modulesLoadedBy("index.js") }, groupOfWriting(), groupOfLenses()];
const groupsOfCommand = [
  // Both entry points open journals.
  { name: "core", modules: new Set([...modulesLoadedBy("open/open-journal.js"), ...alsoShown()]) },
  groupOfWriting(),
  // What every verb needs, and `show`, which is run most: each file more is resolved, opened and read by itself. Other
  // verbs import from that file, so no entry point is in a group.
  { name: "command", modules: modulesLoadedBy("cli/process.js") },
  // What both entry points need must be in neither: whoever imports from one runs it.
  { name: "plugin", modules: modulesLoadedBy("cli/plugin-roles.js") },
  // Beside the verb, nearly all of it is what every host is given.
  { name: "tools", modules: modulesLoadedBy("cli/verbs/mcp.js") },
  groupOfLenses(),
];
// Short names within functions are compiled sooner, too. Functions keep theirs, and lines, for the stack traces of whoever imports it.
await written("bundle", library(), ofLibrary, {
  ...outputIn("bundle", "esm", "js", groupsOfLibrary),
  minify: { compress: false, mangle: { toplevel: false, keepNames: true }, codegen: { removeWhitespace: false } },
});
// Of the pure part every copy stands alone: what it would share with the library needs Node.
await bundled({ core: inCompiled("entry/core.js") }, [], (bundle) =>
  bundle.write({
    dir: join(compiled, "bundle"),
    format: "esm",
    comments: { legal: true, annotation: true, jsdoc: false },
  }),
);
// Node starts a command sooner that it need not load as ES modules.
// Half as many characters are compiled a quarter sooner. Nobody imports these files, and the command shows no stack traces.
const short = { compress: false, mangle: true, codegen: { removeWhitespace: true } };
await written("command", command, ofCommand, {
  ...outputIn("command", "cjs", "cjs", groupsOfCommand),
  minify: short,
});
cpSync(join(root, "src", "host", "agent-plugin"), join(compiled, "command"), { recursive: true });

const { manualPage } = await import(pathToFileURL(inCompiled("cli/man.js")));
mkdirSync(join(compiled, "man"), { recursive: true });
writeFileSync(join(compiled, "man", "session-journal.1"), await manualPage(manifest.version));

const { jsonSchema } = await import(pathToFileURL(inCompiled("action/schemas.js")));
mkdirSync(join(compiled, "schemas"), { recursive: true });
for (const name of ["action", "answer", "event"]) {
  writeFileSync(join(compiled, "schemas", `${name}.json`), `${JSON.stringify(jsonSchema(name), undefined, 2)}\n`);
}

async function written(folder, input, external, output) {
  const { output: chunks } = await bundled(input, external, (bundle) => bundle.write(output));
  writeFileSync(join(compiled, folder, "LICENSES.txt"), licensesIn(chunks));
}

async function bundled(input, external, make) {
  const plugins = [builtinsOnDemand(), patchComparison(), asciiAlone()];
  // Without the paths of the folder in which it was built, of which there is a new one each time.
  const experimental = { attachDebugInfo: "none" };
  const bundle = await rolldown({ cwd: root, input, platform: "node", external, plugins, experimental });
  const made = await make(bundle);
  await bundle.close();
  return made;
}

/** Patterns of the imports that stay imports. */
function outside(names) {
  return names.map((name) => new RegExp(`^${name}(/|$)`));
}

/** Licenses ask to go with what they are of. */
function licensesIn(chunks) {
  const ids = chunks.flatMap(({ moduleIds = [] }) => moduleIds);
  const folders = new Set(ids.flatMap((id) => isOfLibrary.exec(id) ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined) throw new Error(`${name} has no license file to go with it`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

function outputIn(folder, format, extension, groups) {
  return {
    dir: join(compiled, folder),
    format,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `[name]-[hash].${extension}`,
    // Whoever reads the code has them in the repository; every start would read them.
    comments: { legal: true, annotation: true, jsdoc: false },
    codeSplitting: {
      groups: groups.map(({ name, modules }) => ({
        name,
        test: (id) => modules.has(id) && !Object.values(command).includes(id),
      })),
    },
  };
}

/**
 * An import of a Node built-in makes Node load it, and everything that it can export, before anything of ours runs: of
 * `node:fs` that is streams, of `node:crypto` all of cryptography. So the default export becomes the built-in itself,
 * which Node has long loaded where a default is imported, and a function loads it when it is first called.
 */
function builtinsOnDemand() {
  const handled = new Set(
    [
      ...["buffer", "crypto", "diagnostics_channel", "fs", "fs/promises", "module", "os", "path", "timers/promises"],
      ...["url", "util", "v8", "zlib"],
    ].map((name) => `node:${name}`),
  );
  const prefix = "\0on demand ";
  return {
    name: "builtins on demand",
    resolveId: (id, importer = "") => {
      // Of libraries we do not know what they take from it.
      if (!handled.has(id) || isOfLibrary.test(importer)) return undefined;
      return { id: prefix + id, moduleSideEffects: false };
    },
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

/** One character that is not ASCII makes the engine hold a whole file in two bytes a character, and compile it more slowly. */
function asciiAlone() {
  return {
    name: "ascii alone",
    generateBundle(_, chunks) {
      for (const chunk of Object.values(chunks)) {
        if (chunk.type !== "chunk") continue;
        if (/String\.raw`[^`]*[^\0-\x7f]/.test(chunk.code))
          throw new Error(`${chunk.fileName}: nothing is escaped in String.raw`);
        chunk.code = chunk.code.replace(
          /[^\0-\x7f]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
        );
      }
    },
  };
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
function library() {
  const found = {};
  for (const { types, default: target } of Object.values(manifest.exports)) {
    if (target !== undefined && !target.endsWith("/core.js"))
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

/** What opening the session of another client needs besides, in one file: it was ten, and each is resolved, opened and read by itself. */
function groupOfLenses() {
  return { name: "lens", modules: modulesLoadedBy("store/lens/foreign-file.js", "store/lens/lens-log.js") };
}

/** What only writing needs besides, in one file: programs that read are a good part of all that start. */
function groupOfWriting() {
  const parts = ["journal/writing.js", "stream/stream-writer.js", "store/session-file/session-appender.js"];
  return { name: "writing", modules: modulesLoadedBy(...parts) };
}

/** What a part of both reading and writing is: in the file of the latter, it would be loaded with all of that. */
function alsoShown() {
  const { modules } = groupOfWriting();
  return [...modulesLoadedBy("cli/process.js")].filter((id) => modules.has(id));
}

function inCompiled(path) {
  return join(compiled, path);
}
