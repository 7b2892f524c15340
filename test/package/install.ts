/** A user's project, with the package as it would be published. */
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectSuccess, root, run } from "./run.ts";

export interface Project {
  readonly folder: string;
  readonly tarball: string;
}

/** Packs what is built, and installs it in a new folder, with `others`, such as `fast-check@^4.0.0`. The caller removes it. */
export function installPackage(...others: readonly string[]): Project {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const folder = mkdtempSync(join(tmpdir(), "session-journal-user-"));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  expectSuccess(run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder, "--loglevel=error"], root));
  const tarball = join(folder, `session-journal-${version}.tgz`);
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  expectSuccess(run("npm", ["install", ...options, tarball, ...others], folder));
  return { folder, tarball };
}
