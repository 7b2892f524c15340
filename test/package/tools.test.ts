import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isFull } from "../reliability/results.ts";
import { expectSuccess, root, run, runTool } from "./run.ts";

test("every file is formatted and free of lint", () => {
  expectSuccess(runTool("biome", "check", "--error-on-warnings"));
}, 120_000);

/** The build has compiled the sources with `tsc` already, which takes five times as long as its successor. */
test.each([".", "src/audit/report/page"])(
  "every file of %s compiles",
  (folder) => {
    expect(runTool(isFull ? "tsc" : "tsgo", "--noEmit", "-p", folder)).toEqual({ status: 0, output: "" });
  },
  300_000,
);

test("docs/api.txt is what the declarations say", () => {
  expect(run(process.execPath, [join(".ci", "api.mjs"), "--check"], root)).toEqual({ status: 0, output: "" });
});

test("no file, export or dependency is left unused", () => {
  expectSuccess(runTool("knip"));
}, 120_000);

test.each(["package-lock.json", "test/hosts/package-lock.json"])("%s names no registry", (file) => {
  const lock: { packages: Record<string, { resolved?: string }> } = JSON.parse(readFileSync(join(root, file), "utf8"));
  expect(Object.entries(lock.packages).filter(([, entry]) => entry.resolved !== undefined)).toEqual([]);
});

test("what is installed and built already is not installed or built again", () => {
  const prepare = () => run(process.execPath, [join(".ci", "prepare.mjs"), "hosts"], root);
  expectSuccess(prepare());
  const { ino } = statSync(join(root, "dist"));
  expect(prepare()).toEqual({ status: 0, output: "" });
  expect(statSync(join(root, "dist")).ino).toBe(ino);
}, 120_000);
