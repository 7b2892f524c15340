/** The table of features promises what the pages that it links to show. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const docs = resolve(import.meta.dirname, "../../docs");
const rows = readFileSync(join(docs, "features.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
const [head = [], ...features] = rows;

test("the products are compared in every row, in words that the page explains", () => {
  expect(head).toEqual(["here", "pi", "OpenClaw", "Claude Code", "LangGraph", "Letta", "server-memory", "Emmett"]);
  expect(features.length).toBeGreaterThan(25);
  for (const [feature, ...others] of features) {
    expect(others, feature).toHaveLength(head.length - 1);
    for (const other of others) expect(["yes", "in part", "no", "unknown"], feature).toContain(other);
  }
});

test.each(features.map(([feature = ""]) => feature))("%s: the page and its heading are there", (feature) => {
  const [, page = "", heading] = /^\[[^\]]+\]\(([\w-]+\.md)(?:#([\w-]+))?\)$/.exec(feature) ?? [];
  expect(page).not.toBe("");
  expect(existsSync(join(docs, page))).toBe(true);
  const headings = [...readFileSync(join(docs, page), "utf8").matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replace(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
  if (heading !== undefined) expect(headings).toContain(heading);
});
