import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../package/run.ts";

const page = readFileSync(join(root, "docs", "tamper-evidence.md"), "utf8");

test("what the page does to a session is found as the page says", () => {
  const [, code = "", output = ""] = /```js\n(.*?)```\n\n```text\n(.*?)```/s.exec(page) ?? [];
  const options = { cwd: root, input: code, encoding: "utf8" } as const;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module"], options);
  expect(stderr).toBe("");
  expect(stdout).toBe(output);
});
