/** Files with one id, and files that nobody may read, hide no other file. */
import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { claudeSession, Home } from "../find/home.ts";
import { cli, values } from "./cli.ts";

const id = "4f8c1176-7025-4530-a860-c6fc4c63a150";
const before = process.cwd();
afterEach(() => {
  vi.restoreAllMocks();
  process.chdir(before);
});

/** The process stands in a folder of its own, of which the sessions are. */
function started() {
  const home = new Home();
  const folder = path.join(fs.realpathSync(home.path), "project");
  fs.mkdirSync(folder);
  process.chdir(folder);
  const run = (...argv: string[]) => cli(argv, { env: { HOME: home.path } });
  const notes = (file: string, content: string) => run("apply", file, JSON.stringify({ action: "set_notes", content }));
  return { home, folder, run, notes };
}

/** Nobody but their owner may read these, by the end of their path. */
function locked(...ends: readonly string[]): void {
  const { openSync, opendirSync, lstatSync } = fs;
  const guard = (file: unknown): void => {
    if (ends.some((end) => `${file}`.replace(/\/$/, "").endsWith(end)))
      throw Object.assign(new Error(`EACCES: permission denied, '${file}'`), { code: "EACCES" });
  };
  vi.spyOn(fs, "openSync").mockImplementation((...words) => {
    guard(words[0]);
    return openSync(...words);
  });
  vi.spyOn(fs, "opendirSync").mockImplementation((...words) => {
    guard(words[0]);
    return opendirSync(...words);
  });
  vi.spyOn(fs, "lstatSync").mockImplementation(((file: string, options: object) => {
    guard(path.dirname(file));
    return lstatSync(file, options);
  }) as typeof fs.lstatSync);
}

test("a copy with the same id hides no journal: both are listed and searched", async () => {
  const { run, notes } = started();
  await notes("work.jsonl", "first");
  fs.copyFileSync("work.jsonl", "a-copy.jsonl");
  await notes("work.jsonl", "needle");
  const listed = values((await run("ls", "--json")).stdout) as { where: string }[];
  expect(listed.map(({ where }) => path.basename(where)).sort()).toEqual(["a-copy.jsonl", "work.jsonl"]);
  expect((await run("grep", "needle")).stdout).toContain("work.jsonl");
});

test("a diff of two copies says which side is which", async () => {
  const { run, notes } = started();
  await notes("work.jsonl", "first");
  fs.copyFileSync("work.jsonl", "a-copy.jsonl");
  await notes("work.jsonl", "second");
  const { stdout } = await run("compare", "a-copy.jsonl", "work.jsonl");
  expect(stdout).toContain("--- a notes\n+++ b notes\n@@ -1,1 +1,1 @@\n-first\n+second\n");
});

test("an id that two journals have names neither: the paths are told, and nothing is written", async () => {
  const { run, notes } = started();
  await notes("work.jsonl", "first");
  const session = JSON.parse(fs.readFileSync("work.jsonl", "utf8").split("\n")[0] ?? "").id as string;
  fs.copyFileSync("work.jsonl", "backup.jsonl");
  const texts = ["work.jsonl", "backup.jsonl"].map((file) => fs.readFileSync(file, "utf8"));
  for (const verb of [
    ["show", session],
    ["apply", session.slice(0, 8), '{"action":"clear_notes"}'],
  ]) {
    const { code, stderr } = await run(...verb);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      / is the id of the sessions in 2 files: .*\.jsonl \(.*, .*\.jsonl \(.*; name one by its path\n$/,
    );
  }
  expect(["work.jsonl", "backup.jsonl"].map((file) => fs.readFileSync(file, "utf8"))).toEqual(texts);
});

test("the id of a client's session is not that of a copy of it that was made here", async () => {
  const { home, folder, run } = started();
  const claude = `.claude/projects/${folder.replace(/[^A-Za-z0-9]/g, "-")}/${id}.jsonl`;
  home.putFixture(claude, "claude-code/2.1.39-tasks-compaction.jsonl");
  const own = values((await run("ls", "--json")).stdout) as { session: string; where: string }[];
  const [{ session, where } = { session: "", where: "" }] = own;
  await run("copy", session, "kept.jsonl");
  await run("apply", "kept.jsonl", '{"action":"set_notes","content":"of the copy"}');
  expect((await run("grep", "of the copy", session)).stdout).toBe("");
  expect((await run("compare", session, "kept.jsonl")).stdout).toContain("b was copied from a");
  expect((await run("verify", session)).stdout).toBe((await run("verify", where)).stdout);
});

test("a session in which nothing was written is not the newest", async () => {
  const { run, notes } = started();
  await notes("work.jsonl", "first");
  const { code } = await run("apply", "typo.jsonl", '{"action":"set_plann","content":"x"}');
  expect(code).toBe(1);
  fs.utimesSync("work.jsonl", new Date(2026, 0, 1), new Date(2026, 0, 1));
  expect((await run("show")).stderr).toContain("work.jsonl (session-journal, ");
  // What a crash tore was written.
  fs.writeFileSync("torn.jsonl", fs.readFileSync("work.jsonl").subarray(0, 300));
  expect((await run("show")).stderr).toContain("torn.jsonl (session-journal, ");
});

test("what cannot be read is told, the rest is listed, searched and copied, and the exit code is 1", async () => {
  const { run, notes } = started();
  for (const file of ["a", "b", "c", "shut/d"]) {
    fs.mkdirSync(path.dirname(`in/${file}`), { recursive: true });
    await notes(`in/${file}.jsonl`, `needle ${file}`);
  }
  locked("in/b.jsonl", "in/shut", "in/.session-journal");
  const faults = /cannot read .*b\.jsonl[^\n]*\n.*cannot read .*shut/s;
  const listed = await run("ls", "in");
  expect([listed.code, listed.stdout.match(/\w+\.jsonl/g)]).toEqual([1, ["a.jsonl", "c.jsonl"]]);
  expect(listed.stderr).toMatch(faults);
  const found = await run("grep", "needle", "in");
  expect([found.code, found.stdout.match(/needle \w/g)]).toEqual([1, ["needle a", "needle c"]]);
  expect(found.stderr).toMatch(faults);
  const copied = await run("copy", "--all", "in", "out");
  expect([copied.code, fs.readdirSync("out").filter((name) => name.endsWith(".jsonl"))]).toEqual([
    1,
    ["a.jsonl", "c.jsonl"],
  ]);
  expect(copied.stderr).toMatch(faults);
  const pruned = await run("prune", "in", "--older-than", "30d", "--dry-run");
  expect([pruned.code, pruned.stdout]).toEqual([
    1,
    "kept  v0  b.jsonl\nkept  v0  shut/\n0 journals would be removed\n",
  ]);
  expect(pruned.stderr).toMatch(faults);
});

test("a side folder that is somebody else's keeps nobody from the sessions of this folder", async () => {
  const { home, folder, run } = started();
  home.put(`.claude/projects/${folder.replace(/[^A-Za-z0-9]/g, "-")}/${id}.jsonl`, claudeSession(id, folder));
  locked("project/.session-journal");
  expect((await run("ls")).stdout).toContain(id);
  expect((await run("show", id.slice(0, 8))).code).toBe(0);
});
