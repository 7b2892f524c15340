/** A safeguard that nothing misses would not be one: with each of them off at least one suite turns red. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import mutants from "./mutants.json" with { type: "json" };
import { isFull } from "./results.ts";

const root = path.resolve(import.meta.dirname, "../..");

describe("without the safeguard", () => {
  test.each(mutants)("$safeguard: the edit still fits its source, and its suites are there", (mutant) => {
    const source = fs.readFileSync(path.join(root, mutant.file), "utf8");
    expect(source.split(mutant.find)).toHaveLength(2);
    expect(mutant.replace).not.toBe(mutant.find);
    for (const suite of mutant.suites) expect(fs.existsSync(path.join(root, "test", suite)), suite).toBe(true);
  });
});

if (isFull) {
  test("every one of them turns a suite red", () => {
    const script = path.join(import.meta.dirname, "mutants.mjs");
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout.split("\n").filter((line) => line.startsWith("SURVIVED"))).toEqual([]);
    expect(status).toBe(0);
  }, 900_000);
}
