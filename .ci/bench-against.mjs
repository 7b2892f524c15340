// Another revision's build, beside this one's.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** Builds `revision` in a worktree that is gone afterwards, with the libraries of this one, and hands over its dist. */
export function withBuildOf(revision, work) {
  const folder = mkdtempSync(join(tmpdir(), "session-journal-against-"));
  const tree = join(folder, "tree");
  try {
    run("git", ["worktree", "add", "--quiet", "--detach", tree, revision], root);
    symlinkSync(join(root, "node_modules"), join(tree, "node_modules"), "junction");
    run(process.execPath, [join("node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.build.json"], tree);
    const bundling = join(tree, ".ci", "bundle.mjs");
    if (existsSync(bundling)) run(process.execPath, [bundling, join(tree, "dist")], tree);
    work(join(tree, "dist"));
  } finally {
    spawnSync("git", ["worktree", "remove", "--force", tree], { cwd: root });
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command, words, cwd) {
  const { status, error } = spawnSync(command, words, { cwd, stdio: "inherit" });
  if (status !== 0) throw new Error(`${command} ${words.join(" ")} failed${error ? `: ${error.message}` : ""}`);
}
