/** `doctor --fix` appends what repairs a session file, and nothing else. */
import fs from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applied, bytesOf, cli, json, newSession, root } from "./cli.ts";

/** A host's torn line, and a value that no line repeats for older runtimes. */
async function broken(): Promise<{ readonly file: string; readonly before: string }> {
  const file = await applied(
    newSession(),
    { action: "set_notes", content: "a" },
    { action: "set_plan", content: "1. b" },
  );
  const lines = bytesOf(file).split("\n");
  const kept = lines.filter((line) => !line.includes('"customType":"openclaw:scratchpad:plan"'));
  fs.writeFileSync(file, `${kept.join("\n")}{"type":"message","id":"torn`);
  return { file, before: bytesOf(file) };
}

test("a dry run says what would be appended and changes nothing; --fix appends just that", async () => {
  const { file, before } = await broken();
  const tried = await cli(["doctor", file, "--fix", "--dry-run"]);
  expect(tried.stdout).toBe(
    "would append\n  a line feed, behind a torn last line\n  the value of openclaw:scratchpad:plan, for older runtimes\n",
  );
  expect(bytesOf(file)).toBe(before);
  const { stdout, code } = await cli(["doctor", file, "--fix"]);
  expect({ stdout, code }).toEqual({ stdout: tried.stdout.replace("would append", "appended"), code: 0 });
  expect(bytesOf(file).startsWith(`${before}\n{"type":"custom"`)).toBe(true);
  expect(bytesOf(file).endsWith("\n")).toBe(true);
  expect((await cli(["verify", file])).code).toBe(0);
  expect(await json("show", file)).toMatchObject([{ version: 2, state: { notes: "a", plan: "1. b" } }]);
  const healthy = bytesOf(file);
  expect(await json("doctor", file, "--fix")).toEqual([{ dryRun: false, appended: [] }]);
  expect(bytesOf(file)).toBe(healthy);
});

test("a torn last line alone is ended, so that the host's next line is not swallowed", async () => {
  const file = await applied(newSession(), { action: "set_notes", content: "a" });
  fs.appendFileSync(file, '{"type":"message","id":"torn');
  const before = bytesOf(file);
  expect(await json("doctor", file, "--fix")).toMatchObject([{ appended: ["a line feed, behind a torn last line"] }]);
  expect(bytesOf(file)).toBe(`${before}\n`);
});

test("doctor alone writes nothing, and --fix refuses what is no session file of ours", async () => {
  const { file, before } = await broken();
  await cli(["doctor", file]);
  expect(bytesOf(file)).toBe(before);
  expect((await cli(["doctor", file, "--dry-run"])).stderr).toContain("add --fix");
  const missing = await cli(["doctor", `${file}.none`, "--fix"]);
  expect(missing.code).toBe(2);
  expect(fs.existsSync(`${file}.none`)).toBe(false);
  const [foreign = ""] = fs
    .readdirSync(join(root, "fixtures/sessions/claude-code"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(root, "fixtures/sessions/claude-code", name));
  const { code, stderr } = await cli(["doctor", foreign, "--fix"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("session-journal: ")]);
});
