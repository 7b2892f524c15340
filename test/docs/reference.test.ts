/** The reference names what exists, and all of it; README.md stays short. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { actionNames } from "../../src/action/actions.ts";
import { verbs } from "../../src/cli/verbs.ts";
import * as exported from "../../src/index.ts";
import { defaultLimits, memoryStore, openJournal } from "../../src/index.ts";
import { parseOpenOptions } from "../../src/open/open-options.ts";
import { root } from "./blocks.ts";

const pageOf = (name: string): string => fs.readFileSync(path.join(root, name), "utf8");
const library = pageOf("docs/library.md");
const commandLine = pageOf("docs/command-line.md");

/** The cells of the first column of the tables under a heading, up to the next heading. */
function firstColumn(page: string, heading: string): string[] {
  const section = page.split(`\n${heading}\n`)[1]?.split(/^#/m)[0] ?? "";
  return section.split("\n").flatMap((line) => /^\| (`.*?`[^|]*) \|/.exec(line)?.[1] ?? []);
}

/** The name at the beginning of each piece of code. */
function namesIn(cells: readonly string[]): string[] {
  return cells.flatMap((cell) => [...cell.matchAll(/`([\w.]+)[^`]*`/g)].map(([, name = ""]) => name));
}

test("every verb of the command line", () => {
  expect(new Set(namesIn(firstColumn(commandLine, "## Verbs")))).toEqual(new Set(Object.keys(verbs)));
});

test("every option of every verb, by one of its names", async () => {
  for (const [name, load] of Object.entries(verbs)) {
    const { options = {} } = await load();
    const missing = Object.entries(options).filter(
      ([long, { short }]) =>
        !new RegExp(`--${long}\\b${short === undefined ? "" : `|[\`[ ]-${short}\\b`}`).test(commandLine),
    );
    expect(missing.map(([long]) => `${name} --${long}`)).toEqual([]);
  }
});

test("every option of openJournal", () => {
  const names = namesIn(firstColumn(library, "## `openJournal(where, options?)`"));
  expect(() => parseOpenOptions({ "": 0 })).toThrow(allOf(names));
});

/** As the message lists them, in any order. */
function allOf(names: readonly string[]): RegExp {
  return new RegExp(`use (?:(?:${names.join("|")})(?:, |$)){${names.length}}$`);
}

test("no member that a journal does not have", async () => {
  const journal = await openJournal(memoryStore());
  const names = namesIn(firstColumn(library, "## The journal"));
  expect(names.filter((name) => !(name in journal))).toEqual([]);
  expect(names.length).toBeGreaterThan(20);
  await journal.close();
});

test("every action", () => {
  expect(namesIn(firstColumn(library, "## Actions"))).toEqual(expect.arrayContaining([...actionNames]));
});

test("every budget with its default", () => {
  for (const [name, limit] of Object.entries(defaultLimits)) expect(library).toContain(`| \`${name}\` | ${limit} |`);
});

test("every class of errors with its code", () => {
  const classes = Object.keys(exported).filter((name) => /^[A-Z]\w*Error$/.test(name) && name !== "JournalError");
  const rows = [...library.matchAll(/^\| `(\w+Error)` \| `(\w+)` \|/gm)].map(([, name, code]) => [name, code]);
  expect(rows.map(([name]) => name).sort()).toEqual(classes.sort());
  const source = fs.readFileSync(path.join(root, "src", "errors.ts"), "utf8");
  for (const [name, code] of rows) expect(source).toMatch(new RegExp(`class ${name}[^}]*code = "${code}"`));
});

test("README.md can be read in a minute", () => {
  expect(pageOf("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(90);
});

test("docs/README.md lists every page, each under one kind", () => {
  const [, ...kinds] = pageOf("docs/README.md").split(/^## /m);
  expect(kinds.map((kind) => kind.split("\n")[0])).toEqual(["Tutorial", "How to", "Reference", "Explanation"]);
  const listed = kinds.flatMap((kind) => [...kind.matchAll(/\]\(([^)]+)\)/g)].map(([, page = ""]) => page));
  const pages = fs
    .readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .map((page) => page.replaceAll("\\", "/"))
    .filter((page) => page !== "README.md" && !page.endsWith(".png") && /\.\w+$/.test(page));
  expect(listed.toSorted()).toEqual(pages.toSorted());
});

test("no page was left half merged", () => {
  const pages = fs.readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" });
  const merged = [
    "CHANGELOG.md",
    ...pages.filter((page) => page.endsWith(".md")).map((page) => path.join("docs", page)),
  ];
  expect(merged.filter((page) => /^(?:<{7} |={7}$|>{7} )/m.test(pageOf(page)))).toEqual([]);
});
