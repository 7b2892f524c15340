import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isFull } from "../reliability/results.ts";
import { expectSuccess, root, run, runTool } from "./run.ts";

test("every file is formatted and free of lint", () => {
  expectSuccess(runTool("biome", "check", "--error-on-warnings"));
}, 120_000);

/** `tsc` takes five times as long as its successor, which checks much twice where it has several checkers. */
const compiler = isFull ? ["tsc"] : ["tsgo", "--checkers", "1"];
test.each([".", "src/audit/report/page"])(
  "every file of %s compiles",
  (project) => {
    const [name = "", ...options] = compiler;
    expect(runTool(name, "--noEmit", ...options, "-p", project)).toEqual({ status: 0, output: "" });
  },
  300_000,
);

test("docs/api.txt is what the declarations say", () => {
  expect(run(process.execPath, [join(".ci", "api.mjs"), "--check"], root)).toEqual({ status: 0, output: "" });
});

/** Making the site takes a minute. */
if (isFull) {
  test("no link of the reference site leads nowhere, in a page or in a docstring", () => {
    const site = mkdtempSync(join(tmpdir(), "session-journal-site-"));
    expectSuccess(run(process.execPath, [join(".ci", "docs.mjs"), site], root));
    expect(readFileSync(join(site, "documents", "docs_first-hour.html"), "utf8")).toContain("The first hour");
    rmSync(site, { recursive: true, force: true });
  }, 300_000);
}

test("no file, export or dependency is left unused", () => {
  expectSuccess(runTool("knip", ...(isFull ? [] : ["--cache"])));
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
