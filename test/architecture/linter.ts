import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const biome = createRequire(import.meta.url).resolve("@biomejs/biome/bin/biome");

/**
 * Lints files that exist only for this call, with the project's own rules.
 *
 * @param rule `group/name` of the only rule that runs
 * @param files path from the root of the project, and content
 * @returns the paths that the rule complained about
 */
export function complaints(rule: string, files: Readonly<Record<string, string>>): Set<string> {
  const folder = mkdtempSync(join(tmpdir(), "session-journal-lint-"));
  try {
    cpSync(join(root, "biome.json"), join(folder, "biome.json"));
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const args = [biome, "lint", `--only=${rule}`, "--reporter=json", "--max-diagnostics=none", "."];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    if (!stdout.startsWith("{")) throw new Error(`Biome did not report: ${stderr}`);
    const report: { diagnostics: { location: { path: string } }[] } = JSON.parse(stdout);
    return new Set(report.diagnostics.map((diagnostic) => diagnostic.location.path));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
