import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { expect } from "vitest";

export const root = resolve(import.meta.dirname, "../..");

export const isWindows = process.platform === "win32";

export interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

/** Fails with what the program wrote. */
export function expectSuccess({ status, output }: Outcome): void {
  expect(status, output).toBe(0);
}

/** Runs a program to its end; `output` is what it wrote to both of its streams. */
export function run(program: string, args: readonly string[], folder: string): Outcome {
  const env = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0" };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8", env, shell: isWindows });
  return { status, output: `${stdout}${stderr}` };
}

/** A tool that the project has installed, run at its root. */
export function runTool(name: string, ...args: string[]): Outcome {
  return run(join(root, "node_modules", ".bin", name), args, root);
}
