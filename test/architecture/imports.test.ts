import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { complaints } from "./linter.ts";
import { mayImport } from "./rows.ts";

const folders = Object.keys(mayImport);
const pure = ["event", "state", "action", "line", "lens", "audit", "prompt"];
const targets = [...folders, "errors.ts", "options.ts", "channels.ts", "diagnostics.ts", "make-folders.ts", "index.ts"];

function isAllowed(folder: string, target: string): boolean {
  if (target === "index.ts") return false;
  if (["channels.ts", "diagnostics.ts", "make-folders.ts"].includes(target)) return !pure.includes(folder);
  if (target === "errors.ts" || target === "options.ts" || target === folder) return true;
  return mayImport[folder]?.includes("*") || (mayImport[folder]?.includes(target) ?? false);
}

function statement(from: string, target: string): string {
  return `export { something } from "${from}${target.endsWith(".ts") ? target : `${target}/something.ts`}";\n`;
}

describe("a folder imports only what its row allows", () => {
  const files: Record<string, string> = {};
  for (const folder of folders) {
    for (const target of targets) {
      files[canary(folder, target)] = statement("../", target);
      files[canary(`${folder}/part`, target)] = statement("../../", target);
    }
  }
  let found = new Set<string>();
  beforeAll(() => {
    found = complaints("style/noRestrictedImports", files);
  });

  test.each(folders)("%s", (folder) => {
    const forbidden = targets.filter((target) => !isAllowed(folder, target));
    expect(targets.filter((target) => found.has(canary(folder, target)))).toEqual(forbidden);
    expect(targets.filter((target) => found.has(canary(`${folder}/part`, target)))).toEqual(forbidden);
  });
});

test("errors.ts and options.ts import nothing, and nobody at the root imports index.ts", () => {
  const found = complaints("style/noRestrictedImports", {
    "src/errors.ts": statement("./", "event"),
    "src/options.ts": statement("./", "event"),
    "src/root.ts": statement("./", "index.ts"),
    "src/index.ts": statement("./", "open/open-journal.ts"),
  });
  expect(found).toEqual(new Set(["src/errors.ts", "src/options.ts", "src/root.ts"]));
});

test("a pure folder imports no Node built-in, but line/chain.ts node:crypto", () => {
  const files: Record<string, string> = {
    "src/line/chain.ts": 'import "node:crypto";\n',
    "src/line/other/chain.ts": 'import "node:crypto";\n',
    "src/store/a.ts": 'import "node:fs";\n',
  };
  for (const folder of pure) files[`src/${folder}/a.ts`] = 'import "node:crypto";\n';
  const forbidden = ["src/line/other/chain.ts", ...pure.map((folder) => `src/${folder}/a.ts`)];
  expect(complaints("style/noRestrictedImports", files)).toEqual(new Set(forbidden));

  const chain = { "src/line/chain.ts": 'import "node:fs";\n' };
  expect(complaints("style/noRestrictedImports", chain)).toEqual(new Set(["src/line/chain.ts"]));
});

test("two files do not import each other, types included", () => {
  const found = complaints("suspicious/noImportCycles", {
    "src/event/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;\n',
    "src/event/b.ts": 'import type { A } from "./a.ts";\nexport type B = A;\n',
    "src/event/c.ts": 'import type { A } from "./a.ts";\nexport type C = A;\n',
  });
  expect(found).toEqual(new Set(["src/event/a.ts", "src/event/b.ts"]));
});

test("every folder of src has its row", () => {
  const src = readdirSync(resolve(import.meta.dirname, "../../src"), { withFileTypes: true });
  const unknown = src.filter((entry) => entry.isDirectory() && !folders.includes(entry.name));
  expect(unknown.map((entry) => entry.name)).toEqual([]);
  const files = src.filter((entry) => entry.isFile()).map((entry) => entry.name);
  expect(files.filter((name) => !targets.includes(name))).toEqual([]);
});

function canary(folder: string, target: string): string {
  return `src/${folder}/imports-${target.replaceAll(/\W/g, "-")}.ts`;
}
