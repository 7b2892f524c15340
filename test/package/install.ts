/** A user's project, with the package as it would be published. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectSuccess, root, run } from "./run.ts";

export interface Project {
  readonly folder: string;
  readonly tarball: string;
}

interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
}

const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Packs what is built, and installs it in a new folder, with `others`, such as `fast-check@^4.0.0`. The caller removes it. */
export function installPackage(...others: readonly string[]): Project {
  const { folder, tarball } = packed();
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  expectSuccess(run("npm", ["install", ...options, tarball, ...others], folder));
  return { folder, tarball };
}

/** As `installPackage`, a third of the work: the packed package is unpacked, beside everything that is installed here. */
export function unpackPackage(): Project {
  const { folder, tarball } = packed();
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  expectSuccess(run("tar", ["-xzf", tarball], modules));
  renameSync(join(modules, "package"), join(modules, "session-journal"));
  for (const [name, file] of Object.entries(manifest.bin)) {
    chmodSync(join(modules, "session-journal", file), 0o755);
    symlinkSync(join("..", "session-journal", file), join(modules, ".bin", name));
  }
  for (const name of readdirSync(join(root, "node_modules")).filter((each) => !each.startsWith(".")))
    symlinkSync(join(root, "node_modules", name), join(modules, name), "dir");
  return { folder, tarball };
}

function packed(): Project {
  const folder = mkdtempSync(join(tmpdir(), "session-journal-user-"));
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  expectSuccess(run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder, "--loglevel=error"], root));
  return { folder, tarball: join(folder, `session-journal-${manifest.version}.tgz`) };
}
