import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { claudeSession, codexSession, Home } from "../find/home.ts";
import { cli, fixture, values } from "./cli.ts";

const id = (number: number): string => `${String(number).padStart(8, "0")}-0000-4000-8000-000000000000`;
const before = process.cwd();
afterEach(() => process.chdir(before));

/** The process stands in a folder of its own, of which the sessions are. */
function started() {
  const home = new Home();
  const folder = path.join(fs.realpathSync(home.path), "project");
  fs.mkdirSync(folder);
  process.chdir(folder);
  const claude = `.claude/projects/${folder.replace(/[^A-Za-z0-9]/g, "-")}`;
  const run = (...argv: string[]) => cli(argv, { env: { HOME: home.path } });
  return { home, folder, claude, run };
}

test("ls without a place lists the sessions of this folder, and --all those of every folder", async () => {
  const { home, folder, claude, run } = started();
  home.putFixture(`${claude}/plan.jsonl`, "claude-code/2.1.39-tasks-compaction.jsonl");
  home.put(`.codex/sessions/rollout-2026-01-01T00-00-00-${id(2)}.jsonl`, codexSession(id(2), folder, {}, "Fix it"));
  home.put(`.claude/projects/-other/${id(3)}.jsonl`, claudeSession(id(3), "/other"));
  const { code, stdout, stderr } = await run("ls");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.split("\n")).toEqual([
    expect.stringMatching(
      /^Codex 0\.126\.0 +2026-01-01 00:02:00Z +1 turn +Fix it +~\/\.codex\/sessions\/rollout-2026-01-01T00-00-00-0{7}2-.*\.jsonl$/,
    ),
    expect.stringMatching(
      /^Claude Code 2\.1\.39 +2026-01-01 00:01:00Z +1 turn +4 of 5 done +.* ~\/\.claude\/.*\/plan\.jsonl$/,
    ),
    "",
  ]);
  expect(values((await run("ls", "--all", "--json")).stdout)).toHaveLength(3);
});

test("ls shows a path whole on every terminal, for somebody copies it", async () => {
  const { home, claude } = started();
  home.putFixture(`${claude}/plan.jsonl`, "claude-code/2.1.39-tasks-compaction.jsonl");
  for (const columns of [30, 80, 120]) {
    const { stdout } = await cli(["ls"], { columns, env: { HOME: home.path, NO_COLOR: "1" } });
    expect(stdout).toContain(`~/${claude}/plan.jsonl\n`);
  }
});

test("ls says of a database that cannot be read why, and takes it for no folder", async () => {
  const { home } = started();
  home.put("opencode.db", "no database".repeat(100));
  const { code, stderr } = await cli(["ls", path.join(home.path, "opencode.db")]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/opencode\.db cannot be read as a database: .+\n$/)]);
});

test("ls says that OpenCode's sessions are left out where their database cannot be read", async () => {
  const { home, run } = started();
  home.put(".local/share/opencode/opencode.db", "no database".repeat(100));
  const { code, stderr } = await run("ls");
  expect(code).toBe(0);
  expect(stderr).toContain(
    `session-journal: OpenCode's sessions in ${home.path}/.local/share/opencode/opencode.db are left out: `,
  );
});

const newerSession = '{"type":"session","version":5,"id":"a5","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}\n';

test("a session in a newer format of its host is not left out in silence, by ls and by grep", async () => {
  const { home, run } = started();
  const newer = [1, 2].map((number) => home.put(`.pi/agent/sessions/x/${number}_abcdef12.jsonl`, newerSession));
  home.put(`.claude/projects/-other/${id(3)}.jsonl`, claudeSession(id(3), "/other"));
  const said = `${newer[0]} and 1 other session could not be read: session-journal show ${newer[0]} says why\n`;
  const listed = await run("ls", "--all");
  expect([listed.code, listed.stderr]).toEqual([1, `session-journal: ${said}`]);
  expect(listed.stdout).toContain("Claude Code");
  const searched = await run("grep", "--all", "Hello");
  expect([searched.code, searched.stderr]).toEqual([1, expect.stringContaining(said)]);
  const shown = await run("show", newer[0] as string);
  expect(shown.stderr).toContain("has a header of version 5, newer than 4: update session-journal");
});

test("ls, grep and copy of a folder name a session in a newer format, and one of which nothing is readable", async () => {
  const { home, run } = started();
  const place = path.join(home.path, "kept");
  const newer = home.put("kept/newer.jsonl", newerSession);
  const damaged = path.join(place, "damaged.jsonl");
  await run("apply", damaged, JSON.stringify({ action: "set_notes", content: "Found" }));
  fs.writeFileSync(damaged, fs.readFileSync(damaged, "utf8").replace('"text":"Found"', '"text":"Faked"'));
  home.put("kept/other.jsonl", '{"type":"session","id":3}\n');
  for (const argv of [["ls"], ["grep", "Found"], ["copy", "--all"]]) {
    const target = argv[0] === "copy" ? [path.join(home.path, "copies")] : [];
    const { code, stderr } = await run(...argv, place, ...target);
    expect(code, argv[0]).toBe(1);
    expect(stderr, argv[0]).toContain(`${newer} has a header of version 5, newer than 4: update session-journal`);
    expect(stderr, argv[0]).toContain(`${damaged} is damaged`);
    expect(stderr, argv[0]).not.toContain("other.jsonl");
  }
  expect((await run("ls", place)).stdout).toMatch(/^v0 .*damaged\.jsonl\n$/);
});

test("grep names a session that cannot be read when its turn comes, and searches the others", async () => {
  const { home, run } = started();
  const place = path.join(home.path, "kept");
  fs.mkdirSync(place);
  for (const name of ["a", "b", "c"])
    await run("apply", path.join(place, `${name}.jsonl`), JSON.stringify({ action: "set_notes", content: "Found" }));
  home.put(".claude/projects/-other/d.jsonl", claudeSession(id(4), "/other"));
  home.put(".claude/projects/-other/e.jsonl", claudeSession(id(5), "/other"));
  const { openSync } = fs;
  // So often the list opens each.
  for (const [name, listed, argv, others] of [
    ["b.jsonl", 1, ["Found", place], /^a\.jsonl .*\nc\.jsonl .*\n$/],
    ["e.jsonl", 2, ["Found", "--all"], /^$/],
  ] as const) {
    let opened = 0;
    const failing = vi.spyOn(fs, "openSync").mockImplementation((where, ...rest) => {
      if (String(where).endsWith(name) && ++opened > listed) throw Object.assign(new Error("EIO"), { code: "EIO" });
      return openSync(where, ...rest);
    });
    onTestFinished(() => failing.mockRestore());
    const { code, stdout, stderr } = await run("grep", ...argv);
    failing.mockRestore();
    expect([code, stdout], stderr).toEqual([1, expect.stringMatching(others)]);
    expect(stderr).toContain(name);
  }
});

test("ls of a folder lists the sessions of other clients that lie in it, behind the journals", async () => {
  const { home, run } = started();
  const kept = path.join(home.path, "kept");
  home.putFixture("kept/plan.jsonl", "claude-code/2.1.39-tasks-compaction.jsonl");
  home.putFixture("kept/deep/codex.jsonl", "codex/0.126-plans.jsonl");
  home.put("kept/notes.jsonl", "nobody's\n");
  const ours = path.join(kept, "ours.jsonl");
  fs.copyFileSync(fixture, ours);
  await run("apply", ours, JSON.stringify({ action: "set_plan", content: "- [x] a" }));
  expect((await run("ls", kept)).stdout.split("\n")).toEqual([
    expect.stringMatching(/^v14 .*ours\.jsonl +1 of 1 done$/),
    expect.stringMatching(/^Codex .*codex\.jsonl$/),
    expect.stringMatching(/^Claude Code 2\.1\.39 .*4 of 5 done.*plan\.jsonl$/),
    "",
  ]);
  const found = values((await run("ls", kept, "--json")).stdout) as { where: string }[];
  expect(found.map(({ where }) => where)).toEqual([
    ours,
    path.join(kept, "deep/codex.jsonl"),
    path.join(kept, "plan.jsonl"),
  ]);
});

test("ls says where else to look when this folder has none, and names no folder twice", async () => {
  const { home, run } = started();
  expect(await run("ls")).toEqual({
    code: 0,
    stdout: "",
    stderr:
      "session-journal: no session of this folder was found: ls . also looks in the folders below it, ls --all looks in every folder\n",
  });
  expect((await run("ls", "--all")).stderr).toContain("no session of any client was found");
  expect((await run("ls", home.path, "--all")).code).toBe(2);
});

test("ls and grep say of a folder that there is no session in it", async () => {
  const { folder } = started();
  const stderr = `session-journal: no journal, and no session of a client that ls lists, was found in ${folder}: name a file itself, or look in every folder with session-journal ls --all\n`;
  expect(await cli(["ls", folder])).toEqual({ code: 0, stdout: "", stderr });
  expect(await cli(["grep", "x", folder])).toEqual({ code: 0, stdout: "", stderr });
});

test("a verb without a session reads the newest of this folder, and says which", async () => {
  const { home, claude, run } = started();
  home.put(`${claude}/${id(1)}.jsonl`, claudeSession(id(1), "/x"));
  const newest = home.putFixture(`${claude}/plan.jsonl`, "claude-code/2.1.39-tasks-compaction.jsonl");
  for (const verb of ["show", "log", "diff", "blame", "lost", "verify", "doctor", "render"]) {
    const { stdout, stderr } = await run(verb);
    expect(stdout).toEqual((await run(verb, newest)).stdout);
    expect(stderr).toMatch(
      /^session-journal: .*plan\.jsonl \(Claude Code, \d+ days ago\): the newest session of this folder\n$/,
    );
  }
  expect((await run("diff", "v3", "v5")).stdout).toEqual((await run("diff", newest, "v3", "v5")).stdout);
  expect((await run("diff", "v3..v5")).stdout).toEqual((await run("diff", newest, "v3", "v5")).stdout);
  fs.writeFileSync("v3", "");
  expect((await run("diff", "v3")).stderr).toContain("v3 is empty");
});

test("the scratchpad that the plugin keeps for a conversation is shown, not the client's own file", async () => {
  const { home, claude, run, folder } = started();
  const own = home.put(`${claude}/${id(1)}.jsonl`, claudeSession(id(1), folder));
  const scratchpad = path.join(home.path, ".session-journal/conversations", `${id(1)}.jsonl`);
  fs.mkdirSync(path.dirname(scratchpad), { recursive: true });
  fs.writeFileSync(scratchpad, '{"type":"session","version":3,"id":"pad-0001","cwd":"/elsewhere"}\n');
  expect((await run("show")).stderr).toContain(`${own} (Claude Code, `);
  await run("apply", scratchpad, '{"action":"set_plan","content":"Of the plugin"}');
  const { stdout, stderr } = await run("show", "--json");
  expect(values(stdout)).toMatchObject([{ state: { plan: "Of the plugin" } }]);
  expect(stderr).toMatch(
    new RegExp(`^session-journal: ${scratchpad}: the scratchpad of the newest session of this folder, ${own} \\(`),
  );
  const named = await run("show", id(1), "--json");
  expect(values(named.stdout)).toMatchObject([{ version: 0 }]);
  expect(named.stderr).toContain(`${own} is Claude Code's own file; its scratchpad is ${scratchpad}\n`);
});

test("the scratchpad of a project is listed, and shown for the newest conversation in it", async () => {
  const { home, claude, run, folder } = started();
  const scratchpad = path.join(folder, ".session-journal/scratchpad.jsonl");
  fs.mkdirSync(path.dirname(scratchpad));
  await run("apply", scratchpad, '{"action":"set_plan","content":"Shared"}');
  home.put(`${claude}/${id(1)}.jsonl`, claudeSession(id(1), folder));
  expect(values((await run("show", "--json")).stdout)).toMatchObject([{ state: { plan: "Shared" } }]);
  const listed = values((await run("ls", "--json")).stdout) as { where: string }[];
  expect(listed.map(({ where }) => path.basename(where)).sort()).toEqual([`${id(1)}.jsonl`, "scratchpad.jsonl"]);
});

test("a journal that lies in this folder is one of its sessions, whatever folder it was begun in", async () => {
  const { home, claude, run, folder } = started();
  home.put(`${claude}/${id(1)}.jsonl`, claudeSession(id(1), "/x"));
  fs.writeFileSync("table.jsonl", '{"row":1}\n');
  fs.mkdirSync("below");
  await run("apply", "below/other.jsonl", '{"action":"set_plan","content":"Below"}');
  fs.writeFileSync("mine.jsonl", '{"type":"session","version":3,"id":"mine-0001","cwd":"/elsewhere"}\n');
  await run("apply", "mine.jsonl", '{"action":"set_plan","content":"Mine"}');
  const { stdout, stderr } = await run("show", "--json");
  expect(values(stdout)).toMatchObject([{ state: { plan: "Mine" } }]);
  expect(stderr).toContain(`${path.join(folder, "mine.jsonl")} (session-journal, `);
  expect(values((await run("show", "mine-00", "--json")).stdout)).toMatchObject([{ state: { plan: "Mine" } }]);
  const listed = values((await run("ls", "--json")).stdout) as { where: string }[];
  expect(listed.map(({ where }) => path.basename(where))).toEqual(["mine.jsonl", `${id(1)}.jsonl`]);
});

test("a verb that writes takes no session by itself", async () => {
  const { home, claude, run } = started();
  home.put(`${claude}/${id(1)}.jsonl`, claudeSession(id(1), "/x"));
  for (const verb of ["apply", "restore", "fork", "spawn", "copy", "snapshot"]) {
    const { code, stderr } = await run(verb);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("name the session") });
  }
});

test("where this folder has no session, a verb without one says how to list the others", async () => {
  const { run } = started();
  const { code, stderr } = await run("show");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      "session-journal: name the session: session-journal show [<session>]; no session of this folder was found (session-journal ls --all lists all sessions, session-journal demo brings some to try)\n",
  });
});

test("a session may be named by the beginning of its id", async () => {
  const { home, run } = started();
  const one = home.put(`.claude/projects/-other/${id(11)}.jsonl`, claudeSession(id(11), "/other"));
  home.put(`.claude/projects/-other/${id(12)}.jsonl`, claudeSession(id(12), "/other"));
  expect((await run("log", "00000011", "--json")).code).toBe(0);
  expect(values((await run("show", "00000011", "--json")).stdout)).toEqual(
    values((await run("show", one, "--json")).stdout),
  );
  expect((await run("compare", "00000011", "00000012")).code).toBe(0);
  const { code, stderr } = await run("show", "0000001");
  expect(code).toBe(2);
  expect(stderr).toContain(`0000001 is the beginning of 2 ids: ${id(12)} (Claude Code, `);
  expect(stderr).toContain("write more characters of the id");
  expect((await run("show", "ffffffff")).stderr).toBe(
    "session-journal: ffffffff does not exist: check the path, or name a session by the beginning of its id (session-journal ls --all lists all sessions)\n",
  );
  expect((await run("apply", "00000011", '{"action":"set_plan","content":"x"}')).stderr).toContain(
    "is read and never written",
  );
});

test("fewer characters than begin an id are told to be too few, and name a new file all the same", async () => {
  const { run } = started();
  expect(await run("show", "ff1")).toMatchObject({
    code: 2,
    stderr:
      "session-journal: ff1 does not exist: check the path, or name a session by at least 4 characters of its id (session-journal ls --all lists all sessions)\n",
  });
  expect((await run("apply", "ff1", '{"action":"set_plan","content":"Mine"}')).code).toBe(0);
  expect((await run("show", "ff1")).code).toBe(0);
});

test("a file goes before a session whose id begins like its name, and a new one is made all the same", async () => {
  const { home, run } = started();
  home.put(`.claude/projects/-other/${id(11)}.jsonl`, claudeSession(id(11), "/other"));
  await run("apply", "notes", '{"action":"set_plan","content":"Mine"}');
  fs.renameSync("notes", "00000011");
  expect(values((await run("show", "00000011", "--json")).stdout)).toMatchObject([{ state: { plan: "Mine" } }]);
});

test("nothing in a session reaches the terminal but what can be seen", async () => {
  const { home, claude, run } = started();
  const hostile = "\u001b]0;owned\u0007\u001b[2J line one\nline two\r\u202egnp.exe";
  home.put(
    `${claude}/evil\u001b[31m\n.jsonl`,
    claudeSession("evil", "/x", hostile).replaceAll('"evil"', '"evil\\u001b[31m"'),
  );
  for (const verb of [["ls"], ["show"], ["show", "evil"]]) {
    const { stdout, stderr } = await run(...verb);
    expect(`${stdout}${stderr}`).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(stderr.split("\n").length).toBeLessThanOrEqual(2);
  }
  expect((await run("ls")).stdout.trimEnd().split("\n")).toHaveLength(1);
});
