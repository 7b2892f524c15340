/** What people read on the command line of a session of another client. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../src/index.ts";
import { cli, json, temporaryFolder } from "../cli/cli.ts";
import { MadeClaude } from "./claude-made.ts";
import { fixtures } from "./lens-run.ts";
import { MadePi } from "./pi-made.ts";

const claude = (name: string) => join(fixtures, "claude-code", name);

test("a row of log says what is new in a file that was known before, not how the file begins", async () => {
  const { stdout } = await cli(["log", claude("2.1.330-tasks-compaction-subagent.jsonl"), "--oneline", "-n", "3"]);
  expect(stdout.split("\n").slice(0, 2)).toEqual([
    expect.stringMatching(/^v19 +section CLAUDE.md written +\+ A person added this line\.$/),
    expect.stringMatching(/^v20 +section CLAUDE.md written +\+ Never compare passwords with one `=`; use `===`\.$/),
  ]);
});

test("a row of log says what a list held that was emptied", async () => {
  const file = claude("2.1.330-todowrite-compaction-subagent.jsonl");
  const { stdout } = await cli(["log", file, "--oneline", "--space", "plan"]);
  expect(stdout).toMatch(/^v9 +plan set +- - \[x\] Reproduce the login bug ↵ - \[x\] Fix the comparison/m);
});

test("a list that a compaction took away is told behind the compaction, in log, and in a copy", async () => {
  const file = claude("2.1.330-todowrite-compaction-subagent.jsonl");
  const copy = join(temporaryFolder(), "copy.jsonl");
  expect((await cli(["copy", file, copy])).code).toBe(0);
  for (const where of [file, copy]) {
    const { stdout } = await cli(["log", where, "--oneline"]);
    expect(stdout).toMatch(
      /3 done.*\n-? +context compacted.*\n(?:.*turn began.*\n)?v\d+ +plan set +- - \[x\] Reproduce/,
    );
  }
});

test("what a client's memory tool noted is shown beside the plan", async () => {
  const file = join(temporaryFolder(), "session.jsonl");
  const result = [{ functionResponse: { id: "c1", name: "save_memory", response: { output: "ok" } } }];
  const call = { id: "c1", name: "save_memory", args: { fact: "Use tabs." }, status: "success", result };
  const lines = [
    {
      sessionId: "g1",
      projectHash: "p",
      startTime: "2026-01-01T00:00:00.000Z",
      lastUpdated: "2026-01-01T00:00:00.000Z",
    },
    { id: "m1", timestamp: "2026-01-01T00:00:01.000Z", type: "user", content: [{ text: "go" }] },
    {
      id: "m2",
      timestamp: "2026-01-01T00:00:02.000Z",
      type: "gemini",
      content: "",
      model: "gemini-2.5-pro",
      toolCalls: [call],
    },
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect((await cli(["show", file])).stdout).toMatch(/\n\nplan\n.*\n\nnotes\n {2}Use tabs\.\n$/);
});

test("lost counts one character as one", async () => {
  const file = join(temporaryFolder(), "session.jsonl");
  await cli(["apply", file, JSON.stringify({ action: "set_plan", content: "- [ ] a" })]);
  expect((await cli(["lost", file])).stdout).toMatch(/unfinished +plan +1 char +a\n/);
});

test("a file with a slash behind its name is told to be a file", async () => {
  const { code, stderr } = await cli(["show", `${claude("1.0.111-todowrite.jsonl")}/`]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("1.0.111-todowrite.jsonl is a file and no folder: leave out the /"),
  ]);
});

test("a finding about the whole session names no line", async () => {
  const file = claude("2.1.39-tasks-compaction.jsonl");
  for (const verb of ["verify", "doctor"])
    expect((await cli([verb, file])).stdout).toMatch(/note +foreign +- +a file of Claude Code has no chain/);
});

test("a session in which every call for a checklist was refused is not said to have none", async () => {
  const { stdout } = await cli(["show", join(fixtures, "opencode/1.18.33-todowrite-compaction-subagent.json")]);
  expect(stdout).toContain("no checklist in this session: every call of todowrite was refused");
});

test("log with diffs leaves out budgets, which another client does not have", async () => {
  const file = claude("2.1.39-tasks-compaction.jsonl");
  const { stdout } = await cli(["log", file, "-p"]);
  expect(stdout).toContain("+- [>] #5 Run fmt, lint, and tests");
  expect(stdout).not.toContain("/2000");
  expect((await cli(["log", file, "-p", "--json"])).stdout).not.toContain('"use"');
});

test("log as a table leaves out budgets, which another client does not have", async () => {
  const file = claude("2.1.39-tasks-compaction.jsonl");
  const { stdout } = await cli(["log", file, "--format", "csv"]);
  expect(stdout).toContain(",plan,");
  expect(stdout).not.toContain(",2000,");
  expect((await cli(["log", file, "--format", "markdown"])).stdout).not.toContain("| 2000 |");
});

test("a head was kept of no session of another client: to ask for one is no damage", async () => {
  const file = claude("2.1.39-tasks-compaction.jsonl");
  const head = ["--head", "0123456789abcdef".repeat(2), "--at", "3"];
  expect(await cli(["verify", file, ...head])).toEqual({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining(`${file} has no chain of hashes, so this head is of another session`),
  });
});

test("ls lists the sessions in OpenCode's database, which is no place of ours to be opened", async () => {
  const file = join(fixtures, "opencode/1.18.33-todowrite-compaction.db");
  for (const where of [file, `sqlite:${file}`]) {
    const { code, stdout, stderr } = await cli(["ls", where]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^OpenCode 1\.18\.33 .* 3 turns +3 of 3 done +"Please fix the login bug: .*#ses_dfbe2db8fffe36CYiq0RLoPNN7\n {2}OpenCode/,
    );
  }
});

test("ls of a file, and of a folder, lists its subagents below it, though somebody gave the file another name", async () => {
  const file = claude("2.1.330-todowrite-compaction-subagent.jsonl");
  const { stdout } = await cli(["ls", file]);
  expect(stdout).toMatch(
    /^Claude Code 2\.1\.330 .* 3 of 3 done .*\n {2}Claude Code 2\.1\.330 .* 0 of 1 done .*agent-a96920db47abe00b0\.jsonl\n$/,
  );
  const folder = (await json("ls", join(fixtures, "claude-code"))) as { session: string; parent?: string }[];
  const index = folder.findIndex(({ session }) => session === "a96920db47abe00b0");
  expect(folder[index]?.parent).toBe("dc336c59-d549-449a-aee6-a5c27d5ca76d");
  expect(folder[index - 1]?.session).toBe(folder[index]?.parent);
});

test("ls names the session that an export of OpenCode is of, and no message of it as its parent", async () => {
  const name = (more: string) => join(fixtures, `opencode/1.18.33-todowrite-compaction${more}.json`);
  const session = "ses_dfbe2db8fffe36CYiq0RLoPNN7";
  const [own, agent] = (await json("ls", name(""))) as { session: string; parent?: string; cwd: string }[];
  expect([own?.session, own?.parent, own?.cwd]).toEqual([session, undefined, "/home/dev/project"]);
  expect([agent?.session, agent?.parent]).toEqual(["ses_dfbe2ca4cffeCwZebQPW8ZdhtM", session]);
});

test("grep in a folder searches what ls lists there, and no time of a change counts as its text", async () => {
  const folder = join(fixtures, "codex");
  const hits = (await json("grep", "Rename the login module", folder)) as { where: string; version: number }[];
  // `ls` puts the file first that changed last, which a checkout decides.
  expect(hits.map(({ where, version }) => [where, version]).sort()).toEqual(
    ["0.169.0-code-mode-compaction.jsonl", "0.169.0-update-plan-compaction.jsonl"].map((name) => [
      join(folder, name),
      1,
    ]),
  );
  expect(await json("grep", "T16:42:2", join(folder, "0.169.0-update-plan-compaction.jsonl"))).toEqual([]);
});

test("verify of a file without a chain says what it can show, and nothing of a seal", async () => {
  const { stdout } = await cli(["verify", claude("2.1.39-tasks-compaction.jsonl")]);
  expect(stdout).toMatch(
    /^OK: 14 events, no damage\. It has no chain: this shows that every line can be read, and no more\.\n/,
  );
  expect(stdout).not.toMatch(/sealed|\nhead/i);
});

test("show says of a list that was put away whether all of it was done", async () => {
  const file = join(temporaryFolder(), "session.jsonl");
  const pi = new MadePi();
  pi.said("go");
  const todos = (isDone: boolean) => [{ step: 1, text: "Fix", completed: isDone }];
  const shown = async () => {
    writeFileSync(file, pi.lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return (await cli(["show", file])).stdout.split("\n").slice(2);
  };
  pi.planMode({ enabled: true, todos: todos(false) });
  pi.planMode({ enabled: true, todos: [] });
  expect(await shown()).toEqual(["plan", "  empty", ""]);
  pi.planMode({ executing: true, todos: todos(true) });
  pi.planMode({ executing: false, todos: [] });
  expect(await shown()).toEqual(["plan", "  empty: the list was put away with 1 of 1 done", ""]);
});

test("each verb that reads says of a session of another client that it is damaged, as of one of ours, until it is no more", async () => {
  const made = new MadeClaude();
  made.prompt("Go");
  made.todos(["One", "pending"]);
  const lines = made.lines.map((line) => `${JSON.stringify(line)}\n`);
  const file = join(temporaryFolder(), "s.jsonl");
  writeFileSync(file, [...lines, "{broken\n"].join(""));
  for (const verb of ["show", "log", "lost", "diff", "blame", "render"]) {
    const { code, stdout, stderr } = await cli([verb, file]);
    expect([verb, code, stdout.includes("One")]).toEqual([verb, 0, true]);
    expect(stderr).toMatch(/^session-journal: .*s\.jsonl is damaged: .* session-journal verify .* lists it, .*\n$/);
  }
  await using journal = await openJournal(file, { readonly: true, strict: true });
  expect([journal.version, journal.isDamaged]).toEqual([1, true]);
  writeFileSync(file, [...lines, "{}\n"].join(""));
  await journal.refresh();
  expect(journal.isDamaged).toBe(false);
  expect((await cli(["show", file])).stderr).toBe("");
});
