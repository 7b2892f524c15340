/** The page of results is made of results, not typed. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import suites from "./suites.json" with { type: "json" };

const root = path.resolve(import.meta.dirname, "../..");

test("docs/reliability.md says what the results that are kept say", () => {
  const made = execFileSync(process.execPath, [path.join(root, ".ci", "reliability.mjs"), "--print"], {
    encoding: "utf8",
  });
  expect(fs.readFileSync(path.join(root, "docs", "reliability.md"), "utf8")).toBe(made);
});

test("every suite that the page names is there and records what it found", () => {
  const silent = Object.keys(suites).filter((suite) => {
    const text = fs.readFileSync(path.join(root, "test", suite), "utf8");
    return !/\brecord\w+\(/.test(text);
  });
  expect(silent).toEqual([]);
});
