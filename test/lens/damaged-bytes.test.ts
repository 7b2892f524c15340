/** A byte of another client's file that is damaged: verify and doctor say so, and name the line. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { cli, temporaryFolder } from "../cli/cli.ts";
import { fixtures } from "./lens-run.ts";

/** A step of the plan stands there. */
const login = "Add a regression test";
const sessions = [
  ["claude-code/2.1.330-tasks-compaction-subagent.jsonl", login],
  ["claude-code/2.1.330-todowrite-compaction-subagent.jsonl", login],
  ["codex/0.169.0-update-plan-compaction.jsonl", login],
  ["gemini-cli/0.61.0-todos-compressed/chats/session-2026-11-22T16-50-5806d217.jsonl", login],
  ["gemini-cli/legacy-write-todos.json", "add another hello bob console log"],
  ["opencode/1.18.33-todowrite-compaction.json", login],
  ["droid/todo-text.jsonl", "Update first comment in index.ts"],
] as const;

test.each(sessions)("%s: a byte in a step that is no UTF-8 is damage", async (fixture, step) => {
  const bytes = readFileSync(path.join(fixtures, fixture));
  const at = bytes.lastIndexOf(step);
  expect(at).toBeGreaterThan(-1);
  bytes[at + 3] = 0xff;
  const session = path.join(temporaryFolder(), path.basename(fixture));
  writeFileSync(session, bytes);
  // In a document, it is the line on which its message begins.
  const line = fixture.endsWith(".json") ? "\\d+" : bytes.subarray(0, at).toString("latin1").split("\n").length;
  const { code, stdout } = await cli(["verify", session]);
  expect([code, stdout]).toEqual([1, expect.stringMatching(new RegExp(`damage +corrupt +.*line ${line}.* no UTF-8`))]);
  expect((await cli(["doctor", session])).stdout).toContain("no UTF-8");
});

test.each(sessions.filter(([fixture]) => fixture.endsWith(".jsonl")))(
  "%s: runs of NUL behind lines change nothing",
  async (fixture) => {
    const lines = readFileSync(path.join(fixtures, fixture), "latin1").split("\n");
    const toldOf = async (end: string) => {
      const session = path.join(temporaryFolder(), path.basename(fixture));
      writeFileSync(session, lines.map((line) => (line === "" ? line : `${line}${end}`)).join("\n"), "latin1");
      const { stdout } = await cli(["log", session, "--json"]);
      return stdout.replaceAll(/"offset":\d+,?/g, "");
    };
    const told = await toldOf("");
    expect(await toldOf("\0\0")).toBe(told);
    expect(await toldOf("\0\0\r")).toBe(told);
  },
);
