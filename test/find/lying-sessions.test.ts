/** What is said of a session whose file is named, wherever it lies. */
import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { finderBelow, sessionsAt } from "../../src/find/lying-sessions.ts";
import { cli, json } from "../cli/cli.ts";
import { MadeClaude } from "../lens/claude-made.ts";
import { claudeSession, fixtures, Home } from "./home.ts";

const textOf = ({ lines }: MadeClaude) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

/** A session that began a subagent of this id, whose lines are nowhere. */
function withAgent(id: string): string {
  const made = new MadeClaude();
  made.prompt("go");
  made.result(made.call("Task", { prompt: "look" }), { agentId: id });
  return textOf(made);
}

test.each(["..", "../outside", "../../outside"])(
  "a session whose id is %j leads to no folder but its own",
  async (id) => {
    const home = new Home();
    for (const name of ["outside/agent-b1", "folder/agent-b2", "folder/outside/agent-b3"])
      home.put(`${name}.jsonl`, claudeSession(id, "/home/dev", "Not asked for"));
    const file = home.put("folder/deep/session.jsonl", claudeSession(id, "/home/dev", "Asked for"));
    const found = (await sessionsAt(file)) ?? [];
    expect(found.map(({ firstMessage }) => firstMessage)).toEqual(["Asked for"]);
  },
);

test.each([["too long", "b".repeat(5000)], ...["a\0b", "a/b", "../a", "a#agent-b", ""].map((id) => [id, id])])(
  "a session is listed though the id of its subagent can be no name: %j",
  async (_, id = "") => {
    const file = new Home().put("session.jsonl", withAgent(id));
    expect(await json("ls", file)).toMatchObject([{ session: "session-1", turns: 1 }]);
  },
);

test("a first message is not cut in the middle of a character, whoever wrote the session", async () => {
  const home = new Home();
  const said = `${"a".repeat(199)}😀 and more`;
  const made = new MadeClaude();
  made.prompt(said);
  const foreign = home.put("claude.jsonl", textOf(made));
  const lines = [
    { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" },
    { type: "message", id: "m", parentId: null, message: { role: "user", content: said } },
  ];
  const own = home.put("own.jsonl", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  for (const file of [foreign, own]) {
    expect(await json("ls", file)).toMatchObject([{ firstMessage: "a".repeat(199) }]);
    const { stdout } = await cli(["report", file, "-o", "-"]);
    expect(stdout).not.toMatch(/\\ud83d/i);
  }
});

test("a subagent whose lines are not here is not listed, and cannot be shown", async () => {
  const file = new Home().put("session.jsonl", withAgent("b1"));
  expect(await json("ls", file)).toMatchObject([{ session: "session-1" }]);
  const { code, stderr } = await cli(["show", `${file}#agent-b1`]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('has no subagent "b1"')]);
});

test("a journal of ours and a session of pi are listed by their files, as those of other clients are", async () => {
  const home = new Home();
  const journal = home.put("journal.jsonl", "");
  fs.rmSync(journal);
  await cli(["apply", journal, '{"action":"set_plan","content":"- [x] a\\n- [ ] b"}']);
  expect(await json("ls", journal)).toMatchObject([{ where: journal, progress: { done: 1, total: 2 } }]);
  const pi = path.join(fixtures, "pi-0.73.1.jsonl");
  expect(await json("ls", pi)).toMatchObject([{ where: pi, turns: 9 }]);
});

test("of a file in which nobody said anything, and of one that is no session, each is told what it is", async () => {
  const home = new Home();
  const empty = home.put(
    "empty.jsonl",
    `${JSON.stringify({ type: "summary", summary: "x", leafUuid: "1", sessionId: "s-1" })}\n`,
  );
  expect(await cli(["ls", empty])).toMatchObject({
    code: 0,
    stderr: `session-journal: nobody has said anything in ${empty} yet\n`,
  });
  const other = home.put("other.txt", "no session\n");
  expect(await cli(["ls", other])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is a file: name a folder"),
  });
});

/** One of them is a session. */
function folderOfMany(): string {
  const home = new Home();
  for (let number = 0; number < 4000; number++) home.put(`folder/${number}.json`, "{}");
  return path.dirname(home.put("folder/session.jsonl", claudeSession("one", "/home/dev", "Go")));
}

test("a look through a folder of many files keeps others on the thread waiting for no longer than a look at a few", async () => {
  const folder = folderOfMany();
  let breaths = 0;
  let isLooking = true;
  const breathe = (): void => {
    breaths += 1;
    if (isLooking) setImmediate(breathe);
  };
  setImmediate(breathe);
  const found = await finderBelow(folder)();
  isLooking = false;
  expect(found.map(({ firstMessage }) => firstMessage)).toEqual(["Go"]);
  expect(breaths).toBeGreaterThan(3);
});

test("a second look through a folder reads only the files that are new or were changed", async () => {
  const home = new Home();
  for (let number = 0; number < 20; number++) home.put(`folder/${number}.json`, "{}");
  const file = home.put("folder/session.jsonl", claudeSession("one", "/home/dev", "Go"));
  const look = finderBelow(path.dirname(file));
  await look();
  const opened = vi.spyOn(fs, "openSync");
  onTestFinished(() => opened.mockRestore());
  expect(await look()).toMatchObject([{ session: "one" }]);
  expect(opened.mock.calls).toEqual([]);
  const other = home.put("folder/3.json", claudeSession("two", "/home/dev", "Stay"));
  expect(await look()).toMatchObject([{ session: "two" }, { session: "one" }]);
  expect(new Set(opened.mock.calls.map(([name]) => name))).toEqual(new Set([other]));
});

test("a look through a folder of many files does not go on once nobody waits for it", async () => {
  const leaving = new AbortController();
  const look = finderBelow(folderOfMany())(undefined, leaving.signal);
  leaving.abort();
  await expect(look).rejects.toMatchObject({ name: "AbortError" });
});
