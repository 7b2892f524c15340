import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, runTool } from "./run.ts";

test("every file is formatted and free of lint", () => {
  expect(runTool("biome", "check", "--error-on-warnings")).toMatchObject({ status: 0 });
});

test("every file compiles", () => {
  expect(runTool("tsc", "--noEmit", "-p", ".")).toEqual({ status: 0, output: "" });
});

test("no file, export or dependency is left unused", () => {
  expect(runTool("knip")).toMatchObject({ status: 0 });
});

test.each(["package-lock.json", "test/hosts/package-lock.json"])("%s names no registry", (file) => {
  const lock: { packages: Record<string, { resolved?: string }> } = JSON.parse(readFileSync(join(root, file), "utf8"));
  expect(Object.entries(lock.packages).filter(([, entry]) => entry.resolved !== undefined)).toEqual([]);
});
