/** A safeguard that nothing misses would not be one: with each of them off at least one suite turns red. */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { minify, transform } from "rolldown/utils";
import { describe, expect, test } from "vitest";
import kept from "../../fixtures/reliability/mutants.json" with { type: "json" };
import mutants from "./mutants.json" with { type: "json" };
import { isFull } from "./results.ts";

interface Edit {
  readonly safeguard: string;
  readonly tag: string;
  readonly line: string;
  readonly replace: string;
  readonly digest: string;
  readonly suites: readonly string[];
  /** The whole file, as it is and with the edit. */
  readonly source: string;
  readonly after: string;
}

interface Result {
  readonly safeguard: string;
  readonly digest: string;
  readonly suite: string;
  readonly test: string;
}

const root = path.resolve(import.meta.dirname, "../..");
const script = path.join(import.meta.dirname, "mutants.mjs");
const listed = execFileSync(process.execPath, [script, "--list"], { encoding: "utf8", maxBuffer: 64 << 20 });
const { tags, edits } = JSON.parse(listed) as { tags: string[]; edits: Edit[] };
const results: readonly Result[] = kept as readonly Result[];
const page = fs.readFileSync(path.join(root, "docs", "reliability.md"), "utf8");

test("every tag in the sources is a safeguard that is taken away, and the other way round", () => {
  expect([...tags].sort()).toEqual(mutants.map(({ tag }) => tag).sort());
});

describe("without the safeguard", () => {
  test.each(edits)("$safeguard: the edit makes another program, and its suites are there", async (mutant) => {
    expect(mutant.replace).not.toBe(mutant.line);
    // What does not even parse would turn every suite red.
    const [before, after] = await Promise.all(
      [mutant.source, mutant.after].map(async (code) => {
        const { code: plain, errors } = await transform("mutant.ts", code);
        expect(errors).toEqual([]);
        return (await minify("mutant.js", plain)).code;
      }),
    );
    expect(after).not.toBe(before);
    for (const suite of mutant.suites) expect(fs.existsSync(path.join(root, "test", suite)), suite).toBe(true);
  });
});

describe("the results that docs/reliability.md shows", () => {
  test("are those of these mutants in this code, one each: else run test/reliability/mutants.mjs, then .ci/reliability.mjs keep", () => {
    const now = edits.map(({ safeguard, digest }) => [safeguard, digest]);
    expect(results.map(({ safeguard, digest }) => [safeguard, digest])).toEqual(now);
  });

  test.each(results)(
    "$safeguard: a suite turned red that the mutant names, with a test that is still there",
    (result) => {
      const mutant = mutants.find(({ safeguard }) => safeguard === result.safeguard);
      expect(mutant?.suites).toContain(result.suite);
      expect(result.test).not.toBe("survived");
      expect(page).toContain(`| ${result.safeguard} |`);
    },
  );

  test("have no other row than these", () => {
    const [, section = ""] = page.split("## With a safeguard removed");
    const rows = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("| "));
    expect(rows.slice(1)).toHaveLength(results.length);
  });
});

test("a word that names no safeguard is told, and does not run the whole suite without any", () => {
  const { status, stderr } = spawnSync(process.execPath, [script, "no such"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([1, expect.stringContaining('no safeguard has "no such" in its name')]);
});

if (isFull) {
  test("every one of them turns a suite red", () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout.split("\n").filter((line) => line.startsWith("SURVIVED"))).toEqual([]);
    expect(status).toBe(0);
  }, 900_000);
}
