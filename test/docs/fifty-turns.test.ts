import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, run } from "../package/run.ts";

test("fifty turns cost what the page on prompting says", () => {
  const { status, output } = run(process.execPath, [join("examples", "fifty-turns.mjs")], root);
  expect(status, output).toBe(0);
  expect(readFileSync(join(root, "docs", "prompting.md"), "utf8")).toContain(`\`\`\`text\n${output}\`\`\``);
});
