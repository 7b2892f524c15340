/** Each run has a temporary folder of its own, and fails if a test leaves something in it. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/** Clients and Node keep what they compiled there, for all that come later. */
const caches = ["jiti", "node-compile-cache"];

export function setup(): () => void {
  const { TMPDIR: before } = process.env;
  // Paths of sockets are short: those of a server lie deeper in it.
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "sj-"));
  // PostgreSQL runs as a user of its own.
  fs.chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    const left = fs.readdirSync(folder).filter((name) => !caches.includes(name));
    fs.rmSync(folder, { recursive: true, force: true });
    if (left.length === 0) return;
    // The error alone would be printed, and the run would pass.
    process.exitCode = 1;
    throw new Error(`tests left these in the temporary folder: ${left.join(", ")}`);
  };
}
