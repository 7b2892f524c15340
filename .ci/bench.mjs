// Runs bench/*.mjs one after the other, each in a process of its own: `node .ci/bench.mjs [name…]`.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const folder = resolve(import.meta.dirname, "..", "bench");
const asked = process.argv.slice(2);
const names = readdirSync(folder).filter((file) => file.endsWith(".mjs"));

for (const file of names.filter((name) => asked.length === 0 || asked.includes(name.replace(".mjs", "")))) {
  console.log(`\n${file}`);
  const { status } = spawnSync(process.execPath, ["--expose-gc", join(folder, file)], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
