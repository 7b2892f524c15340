/** Runs a TypeScript file of the tests in a process of its own, bundled with the sources as they are now. */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { bundled } from "../../package/bundled.ts";

const root = path.resolve(import.meta.dirname, "../../..");

export interface Program {
  /** Resolves with what it printed when it has ended well; rejects with what it said when it has not. */
  run(...args: readonly string[]): Promise<string>;
  /** The same in another Node. */
  runIn(node: string, ...args: readonly string[]): Promise<string>;
  readonly file: string;
  remove(): void;
}

/** `file`: relative to this folder. Under node_modules, so that the libraries are found. */
export async function program(file: string): Promise<Program> {
  const outfile = path.join(root, "node_modules", ".cache", "session-journal", `${randomUUID()}.mjs`);
  // Whatever is imported by its name is a library.
  const { code } = await bundled(path.join(import.meta.dirname, file), { input: { external: /^[^./]/ } });
  mkdirSync(path.dirname(outfile), { recursive: true });
  writeFileSync(outfile, code);
  const runIn: Program["runIn"] = async (node, ...args) => (await promisify(execFile)(node, [outfile, ...args])).stdout;
  return {
    file: outfile,
    run: (...args) => runIn(process.execPath, ...args),
    runIn,
    remove: () => rmSync(outfile, { force: true }),
  };
}
