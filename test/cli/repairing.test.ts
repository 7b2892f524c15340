/** `doctor --fix` appends what repairs a session file, and nothing else. */
import fs from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { StreamStore } from "../../src/stream/stream-store.ts";
import { applied, bytesOf, cli, json, newSession, root, temporaryFolder } from "./cli.ts";

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
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("does not exist: check the path")]);
  expect(fs.existsSync(`${file}.none`)).toBe(false);
  const [foreign = ""] = fs
    .readdirSync(join(root, "fixtures/sessions/claude-code"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(root, "fixtures/sessions/claude-code", name));
  const { code, stderr } = await cli(["doctor", foreign, "--fix"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("session-journal: ")]);
});

test("--fix repairs the session that the beginning of an id names, as doctor alone looks at it", async () => {
  const { file } = await broken();
  const [{ session }] = (await json("doctor", file)) as [{ session: { id: string } }];
  const home = join(file, "..", "home");
  fs.mkdirSync(join(home, ".pi/agent/sessions/--work--"), { recursive: true });
  const there = join(home, ".pi/agent/sessions/--work--", `2026-11-21T20-00-00-000Z_${session.id}.jsonl`);
  fs.renameSync(file, there);
  const beginning = session.id.slice(0, 8);
  expect(await cli(["doctor", beginning], { env: { HOME: home } })).toMatchObject({ code: 0 });
  const { stdout } = await cli(["doctor", beginning, "--fix"], { env: { HOME: home } });
  expect(stdout).toContain("appended\n  a line feed");
});

test("what others write meanwhile neither stops --fix nor is said to be a repair", async () => {
  const { file, before } = await broken();
  const others = join(temporaryFolder(), "other.jsonl");
  fs.copyFileSync(file, others);
  const theirs = bytesOf(await applied(others, { action: "set_notes", content: "b" })).slice(before.length);
  const { importRecords } = StreamStore.prototype;
  const spied = vi.spyOn(StreamStore.prototype, "importRecords").mockImplementation(function (
    this: StreamStore,
    ...what
  ) {
    fs.appendFileSync(file, theirs);
    return importRecords.apply(this, what);
  });
  onTestFinished(() => spied.mockRestore());
  expect(theirs).toContain('"customType":"openclaw:scratchpad:events"');
  const { code, stdout, stderr } = await cli(["doctor", file, "--fix"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).not.toMatch(/events|notes/);
  expect((await cli(["verify", file])).code).toBe(0);
});

test("what a dry run refuses names the file, and not the copy that it was tried on", async () => {
  const { file } = await broken();
  const key = join(file, "..", "key");
  fs.writeFileSync(key, "another seal");
  const { code, stderr } = await cli(["doctor", file, "--fix", "--dry-run", "--seal-file", key]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(`${file} was not written with this seal`)]);
});

test("a dry run that has no room for its copy says where it wants some", async () => {
  const { file } = await broken();
  const nowhere = join(temporaryFolder(), "none");
  vi.stubEnv("TMPDIR", nowhere);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { code, stderr } = await cli(["doctor", file, "--fix", "--dry-run"]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/a copy of .*session\.jsonl in .*none, and cannot \(ENOENT\)/),
  ]);
});

test("--fix does not write to the newest session of the folder unasked", async () => {
  const { code, stderr } = await cli(["doctor", "--fix"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("name the session: session-journal doctor <session>")]);
  expect((await cli(["doctor", "--help"])).stdout).toContain("With --fix, you name the session");
});
