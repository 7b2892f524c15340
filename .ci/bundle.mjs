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

const bundle = await rolldown({ cwd: root, input: entries(), platform: "node", external });
const core = await modulesLoadedBy("index.js");
await bundle.write({
  dir: join(compiled, "bundle"),
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
  codeSplitting: { groups: [{ name: "core", test: (id) => core.has(id) }] },
});
await bundle.close();

/** Name of the bundle → compiled module. */
function entries() {
  const found = { cli: inCompiled("./dist/cli/main.js") };
  for (const { types, default: target } of Object.values(manifest.exports)) {
    if (target !== undefined) found[target.replace(/^.*\/|\.js$/g, "")] = inCompiled(types.replace(/\.d\.ts$/, ".js"));
  }
  return found;
}

async function modulesLoadedBy(entry) {
  const { output } = await bundle.generate({ format: "esm", entryFileNames: "[name].js" });
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const loaded = new Set();
  const visit = (name) => {
    const chunk = chunks.get(name);
    if (chunk === undefined || loaded.has(chunk)) return;
    loaded.add(chunk);
    chunk.imports.forEach(visit);
  };
  visit(entry);
  return new Set([...loaded].flatMap(({ moduleIds }) => moduleIds));
}

function inCompiled(path) {
  return join(compiled, path.replace(/^\.\/dist\//, ""));
}
