import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, resolve } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** Each library is named in exactly one file; a new one gets a line here and one in docs/dependencies.md. */
const homes: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/sdk": "src/host/mcp-sdk.ts",
  "@nats-io/jetstream": "src/store/jetstream/nats-broker.ts",
  "@nats-io/kv": "src/store/jetstream/bucket.ts",
  "@nats-io/transport-node": "src/store/jetstream/connection.ts",
  "@opentelemetry/api": "src/telemetry/opentelemetry.ts",
  asn1js: "src/cli/timestamp-token.ts",
  chokidar: "src/store/session-file/watch.ts",
  "fast-check": "src/testing/fast-check.ts",
  libsql: "src/store/sqlite/drivers.ts",
  ndjson: "src/cli/ndjson.ts",
  pg: "src/store/postgres/connection.ts",
  pkijs: "src/cli/timestamp-token.ts",
  "proper-lockfile": "src/store/session-file/lock.ts",
};
/** The file of each library that is bundled into files of ours, so that nobody installs it. */
const bundled: Readonly<Record<string, string>> = {
  diff: "src/audit/lines.ts",
  "fast-json-patch": "src/audit/diff.ts",
  "get-east-asian-width": "src/audit/width.ts",
};

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
const manifest: Manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

test("a library is imported nowhere but in its one file", () => {
  const strays: string[] = [];
  for (const file of sourceFiles()) {
    for (const library of librariesOf(readFileSync(join(root, file), "utf8"))) {
      if ((homes[library] ?? bundled[library]) !== file) strays.push(`${file} imports ${library}`);
    }
  }
  expect(strays).toEqual([]);
});

test("every form of import is seen", () => {
  const source = `
    import a from "a"; import { type B } from "@b/b/deep.js"; import type { C } from "c/types";
    export { d } from "d"; import "e"; import fs from "node:fs"; import path from "path"; import own from "./own.ts";
    const f = () => import("f"); type G = import("g").G;`;
  expect(librariesOf(source)).toEqual(["a", "@b/b", "c", "d", "e", "f", "g"]);
});

test("every library that users install has its file, and every dependency its line", () => {
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  expect(Object.keys(homes).sort()).toEqual(installed.sort());

  expect(Object.keys(bundled).filter((name) => !(name in (manifest.devDependencies ?? {})))).toEqual([]);
  const page = readFileSync(join(root, "docs", "dependencies.md"), "utf8");
  const all = [...installed, ...Object.keys(manifest.devDependencies ?? {})];
  expect(all.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});

test("every dependency that we choose is pinned: nobody gets another version than the one that was tested", () => {
  const pinned = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(pinned.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
});

test("every dependency that users install is loaded from a file of the package", () => {
  const loaded = new Set(["bundle", "command"].flatMap((folder) => publishedIn(folder).flatMap(librariesOf)));
  expect(Object.keys(manifest.dependencies ?? {}).filter((name) => !loaded.has(name))).toEqual([]);
  expect(Object.keys(bundled).filter((name) => loaded.has(name))).toEqual([]);
});

/** The texts of the files that a build puts there. */
function publishedIn(folder: string): string[] {
  const place = join(root, "dist", folder);
  return readdirSync(place).flatMap((file) => (/\.c?js$/.test(file) ? [readFileSync(join(place, file), "utf8")] : []));
}

function sourceFiles(): string[] {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".ts")).map((file) => `src/${file.replaceAll("\\", "/")}`);
}

/** Names of the packages that a source imports: statically, dynamically or as a type. */
function librariesOf(source: string): string[] {
  const specifiers = ts.preProcessFile(source, true, true).importedFiles.map((imported) => imported.fileName);
  const bare = specifiers.filter((specifier) => !specifier.startsWith(".") && !isBuiltin(specifier));
  return [...new Set(bare.map((specifier) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier))];
}
