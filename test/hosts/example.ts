/** Runs an example as its reader would: in a folder of its own, with the packages that it names. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { newFolder } from "./driver.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

export interface ExampleRun {
  /** For example `ai-sdk`: `examples/ai-sdk.mjs`. */
  readonly name: string;
  /** The packages besides ours, out of test/hosts. */
  readonly packages: readonly string[];
  readonly node?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What it printed, what was said on standard error, and the folder that it worked in, which is removed after the test. */
export async function runExample({ name, packages, node = process.execPath, env = {} }: ExampleRun) {
  const folder = newFolder();
  for (const one of packages)
    link(resolve(import.meta.dirname, "node_modules", one), join(folder, "node_modules", one));
  link(root, join(folder, "node_modules", "session-journal"));
  copyFileSync(join(root, "examples", `${name}.mjs`), join(folder, `${name}.mjs`));
  const path = process.env["PATH"] ?? "";
  const { stdout, stderr } = await run(node, [`${name}.mjs`], {
    cwd: folder,
    env: { PATH: path, HOME: folder, ...env },
  });
  return { stdout, stderr, folder };
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, "dir");
}
