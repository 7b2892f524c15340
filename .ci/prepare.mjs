// Installs and builds what is missing or out of date, and nothing else: `node .ci/prepare.mjs [hosts] [openclaw] [agents]`.
// npm scripts call it on a clone without node_modules, so it uses Node built-ins only.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const cache = join(root, "node_modules", ".cache", "session-journal");

// The real clients are for tests alone; their install scripts fetch binaries that no test needs.
const clients = {
  hosts: ["test/hosts", "test/hosts/newest-pi"],
  openclaw: ["test/hosts/openclaw"],
  agents: ["test/hosts/agents"],
};
const wanted = Object.keys(clients).filter((name) => process.argv.includes(name));
// An installation waits for the network most of its time.
await Promise.all([
  install(root).then(build),
  ...wanted.flatMap((name) => clients[name]).map((folder) => install(join(root, folder), "--ignore-scripts")),
]);

/**
 * npm keeps what it installed in node_modules/.package-lock.json: that file is the stamp. Not `npm ci`, which would take
 * everything away first, also what was only out of date; --no-save leaves the lockfile as it is.
 */
async function install(folder, ...options) {
  const wanted = readJson(join(folder, "package-lock.json")).packages;
  const hidden = join(folder, "node_modules", ".package-lock.json");
  const found = existsSync(hidden) ? readJson(hidden).packages : {};
  const isCurrent = Object.entries(wanted).every(
    ([path, entry]) => path === "" || (found[path] ? found[path].version === entry.version : entry.optional),
  );
  if (isCurrent) return;
  await run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", ...options], folder);
}

/** Compiles beside dist and swaps, so that a failed build leaves the last good one. */
async function build() {
  const dist = join(root, "dist");
  const stamp = join(cache, "built");
  const sources = sourceHash();
  if (existsSync(dist) && existsSync(stamp) && readFileSync(stamp, "utf8") === sources) return;
  const next = join(cache, `dist-${process.pid}`);
  mkdirSync(cache, { recursive: true });
  // A third of the processor time of `tsc`, and the same output but for the order of names in types.
  const compiler = join("node_modules", "@typescript", "native-preview", "bin", "tsgo");
  await run(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", next], root);
  await run(process.execPath, [join(root, ".ci", "bundle.mjs"), next], root);
  rmSync(dist, { recursive: true, force: true });
  renameSync(next, dist);
  writeFileSync(stamp, sources);
}

function sourceHash() {
  const sources = readdirSync(join(root, "src"), { recursive: true }).filter((file) => /\.(?:ts|json|md)$/.test(file));
  const files = [
    ".ci/bundle.mjs",
    "package-lock.json",
    "package.json",
    "tsconfig.json",
    "tsconfig.build.json",
    ...sources.map((file) => join("src", file)),
  ];
  const hash = createHash("sha256");
  for (const file of files.sort()) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

async function run(command, args, folder) {
  const shell = process.platform === "win32" && command === "npm";
  const child = spawn(command, args, { cwd: folder, stdio: "inherit", shell });
  const [status, error] = await once(child, "close").catch((thrown) => [undefined, thrown]);
  if (status === 0) return;
  console.error(`${command} ${args.join(" ")} failed in ${folder}${error ? `: ${error.message}` : ""}`);
  process.exit(status ?? 1);
}
