/** The page of results is made of results, not typed. */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import results from "../../fixtures/reliability/results.json" with { type: "json" };
import { isFull } from "./results.ts";
import suites from "./suites.json" with { type: "json" };

const root = path.resolve(import.meta.dirname, "../..");

/** What says less is no claim: it might be said of anything. */
const wordsMin = 12;
const sourceOf = (suite: string): string => fs.readFileSync(path.join(root, "test", suite), "utf8");

test("docs/reliability.md says what the results that are kept say", () => {
  const made = execFileSync(process.execPath, [path.join(root, ".ci", "reliability.mjs"), "--print"], {
    encoding: "utf8",
  });
  expect(fs.readFileSync(path.join(root, "docs", "reliability.md"), "utf8")).toBe(made);
});

test("every suite that the page names is there and records what it found", () => {
  const silent = Object.keys(suites).filter((suite) => {
    const text = sourceOf(suite);
    return !/\brecord\w+\(/.test(text);
  });
  expect(silent).toEqual([]);
});

test("the page says of no suite that it is run with every other one, if it is left out of them", async () => {
  const { longOnes } = (await import("../../vitest.config.ts")) as { readonly longOnes: readonly string[] };
  const isLong = Object.entries(suites).filter(([, suite]) => "isLong" in suite);
  const left = Object.keys(suites).filter((suite) => longOnes.includes(`test/${suite}`));
  expect(isLong.map(([suite]) => suite)).toEqual(left);
});

test("every row was made by a suite that still makes its claim, of a commit: else run it, then .ci/reliability.mjs keep", () => {
  const stale = results.filter(({ suite, claim, code }) => {
    if (!(suite in suites) || !/^[0-9a-f]{8,}\+?$/.test(code)) return true;
    // What is put into a claim may be anything.
    return !textsIn(sourceOf(suite)).some((text) => new RegExp(`^${text.map(escaped).join(".+")}$`).test(claim));
  });
  expect(stale.map(({ suite, claim, code }) => [suite, claim, code])).toEqual([]);
});

if (isFull) {
  test("every row was made of a commit that there is", () => {
    const isThere = (code: string): boolean =>
      spawnSync("git", ["cat-file", "-e", `${code.replace("+", "")}^{commit}`], { cwd: root }).status === 0;
    expect([...new Set(results.map(({ code }) => code))].filter((code) => !isThere(code))).toEqual([]);
  });
}

/** What stands between quotes in a source, and what does not, each without the values that are put into it. */
function textsIn(source: string): string[][] {
  const lines = ['"', "`"].flatMap((quote) => source.split(quote)).filter((text) => !text.includes("\n"));
  return lines.map((text) => text.split(/\$\{[^}]*\}/)).filter((parts) => parts.join("").length >= wordsMin);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
