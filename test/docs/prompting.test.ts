import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../package/run.ts";

const page = readFileSync(join(root, "docs", "prompting.md"), "utf8");
const examples = [...page.matchAll(/```js\n(.*?)```\n\n```text\n(.*?)```/gs)].map(([, code = "", output = ""]) => ({
  title: code.split("\n").find((line) => line.startsWith("const ")) ?? code,
  code,
  output,
}));

test("the page has an output for every example", () => {
  expect(examples).toHaveLength(page.match(/```js\n/g)?.length ?? 0);
});

test.each(examples)("what the page prints for `$title` is what it prints", ({ code, output }) => {
  expect(outputOf(code)).toBe(output);
});

test("the cost of fifty turns is as measured", () => {
  const output = outputOf(readFileSync(join(root, "examples", "fifty-turns.mjs"), "utf8"));
  expect(page).toContain(`\`\`\`text\n${output}\`\`\``);
});

/** Runs a module against the built package. */
function outputOf(code: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module"], {
    cwd: root,
    input: code,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout;
}
