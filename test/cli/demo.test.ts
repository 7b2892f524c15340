import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cli, root } from "./cli.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "session-journal-demo-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the examples lie where they were asked for, and each command that is named next runs", async () => {
  const target = join(folder, "new folder");
  const { code, stdout, stderr } = await cli(["demo", target]);
  expect([code, stderr]).toEqual([0, ""]);
  const original = readFileSync(join(root, "fixtures/sessions/pi-0.73.1.jsonl"));
  expect(readFileSync(join(target, "session.jsonl")).equals(original)).toBe(true);
  const next = [...stdout.matchAll(/^ {2}session-journal (\w+) '(.+)'$/gm)];
  expect(next.map(([, verb]) => verb)).toEqual(["log", "lost"]);
  for (const [, verb = "", file = ""] of next) expect(await cli([verb, file])).toMatchObject({ code: 0, stderr: "" });
  const [, page = ""] = /^Go on with (.+)$/m.exec(stdout) ?? [];
  expect(readFileSync(page, "utf8")).toContain("session-journal demo");
});

test("a file that is there already is not written over, and nothing is brought beside it", async () => {
  const target = mkdtempSync(join(folder, "taken-"));
  writeFileSync(join(target, "journal.jsonl"), "mine");
  const { code, stderr } = await cli(["demo", target]);
  expect(code).toBe(2);
  expect(stderr).toContain(`${join(target, "journal.jsonl")} exists already: name another folder`);
  expect(readdirSync(target)).toEqual(["journal.jsonl"]);
  expect(readFileSync(join(target, "journal.jsonl"), "utf8")).toBe("mine");
});

test("a file in the place of the folder is named with what to do", async () => {
  const target = join(folder, "file");
  writeFileSync(target, "");
  const { code, stderr } = await cli(["demo", target]);
  const message = `session-journal: cannot make the folder ${target} (EEXIST): check the path, its permissions and the space on the disk\n`;
  expect([code, stderr]).toEqual([2, message]);
});

test("with --json each example is a line", async () => {
  const { stdout } = await cli(["demo", join(folder, "json"), "--json"]);
  const files = stdout
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as { file: string }).file);
  expect(files.sort()).toEqual(
    readdirSync(join(folder, "json"))
      .map((name) => join(folder, "json", name))
      .sort(),
  );
});
