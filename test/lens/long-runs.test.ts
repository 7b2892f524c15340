/** What a file has in a row may be as long as the file: it is read in a time that grows with the text, and fills no stack. */
import { expect, test } from "vitest";
import { ClaudeCalls } from "../../src/lens/claude-calls.ts";
import { ClaudeChecklist } from "../../src/lens/claude-checklist.ts";
import { codex } from "../../src/lens/codex.ts";
import { CodexCalls } from "../../src/lens/codex-calls.ts";
import { CodexFiles } from "../../src/lens/codex-patches.ts";
import { droid } from "../../src/lens/droid.ts";
import { folderIn } from "../../src/lens/gemini-lines.ts";
import { openCode } from "../../src/lens/opencode.ts";
import { Telling } from "../../src/lens/telling.ts";
import { TrackedFiles } from "../../src/lens/tracked-files.ts";
import { isFull } from "../reliability/results.ts";
import { summary, type Told, tell } from "./lens-run.ts";

const timestamp = "2026-01-01T00:00:00.000Z";
/** In the full run more than can be compared with one another; else it is seen that each is there once, in order. */
const agentsCount = isFull ? 400_000 : 2_000;
const telling = new Telling(() => undefined);

function message(role: string, ...content: readonly object[]): object {
  return { type: "message", id: "m", timestamp, message: { role, content } };
}

/** A session of Codex in which one call was answered. */
function codexCall(name: string, input: string, output: unknown): Told {
  const lines = [
    ["session_meta", { id: "s-1", cwd: "/home/dev/project", cli_version: "0.126.0" }],
    ["event_msg", { type: "task_started", turn_id: "t" }],
    ["response_item", { type: "custom_tool_call", name, input, call_id: "c" }],
    ["response_item", { type: "custom_tool_call_output", call_id: "c", output }],
  ] as const;
  return tell(
    codex,
    lines.map(([type, payload]) => ({ timestamp, type, payload })),
  );
}

const added = "*** Begin Patch\n*** Add File: PLAN.md\n+x\n";
const written = ["t1 codex section.written PLAN.md x | "];

test("codex: a patch names more files than a call may have arguments", () => {
  const patch = `*** Begin Patch\n${"*** Add File: a\n".repeat(130_000)}*** Add File: PLAN.md\n+x\n*** End Patch`;
  expect(summary(codexCall("apply_patch", patch, "Exit code: 0\n"))).toEqual(written);
});

test.each([
  ["carriage returns", "\r"],
  ["line separators", "\u2028"],
])("codex: a patch has a long run of %s", (_, space) => {
  const patch = `${added}${space.repeat(1_000_000)}\n*** End Patch`;
  expect(summary(codexCall("apply_patch", patch, "Exit code: 0\n"))).toEqual(written);
});

test("codex: a session has begun more subagents than can be compared with one another", () => {
  const ids = Array.from({ length: agentsCount }, (_, index) => `0199aaaa-${index}`);
  const item = { type: "CollabAgentToolCall", tool: "spawn_agent", sender_thread_id: "s-1" };
  const calls = new CodexCalls(telling, new CodexFiles(telling, new TrackedFiles(), () => undefined));
  calls.collaborated({ ...item, receiver_thread_ids: ids });
  calls.collaborated({ ...item, receiver_thread_ids: ids });
  expect(calls.agentsOf("s-1")).toEqual(ids);
});

test("claude code: a session has begun more subagents than can be compared with one another", () => {
  const agents: string[] = [];
  const nowhere = () => undefined;
  const files = new TrackedFiles();
  const checklist = new ClaudeChecklist(telling);
  const calls = new ClaudeCalls({ telling, checklist, files, cwd: nowhere, planFile: nowhere, agents });
  const ids = Array.from({ length: agentsCount }, (_, index) => `0199aaaa-${index}`);
  const place = { offset: 0, number: 1 };
  for (const agentId of [...ids, ...ids])
    calls.answer(
      { tool: "Agent", input: {}, place },
      { isError: false, said: "", data: { agentId } },
      { actor: "a", at: timestamp, entryId: undefined, place },
    );
  expect(agents).toEqual(ids);
});

test("opencode: a session has begun more subagents than can be compared with one another", () => {
  const ids = Array.from({ length: agentsCount }, (_, index) => `ses_0199aaaa_${index}`);
  const parts = ids.map((sessionId) => ({ type: "tool", tool: "task", state: { metadata: { sessionId } } }));
  const session = { id: "ses_1", directory: "/home/dev/project" };
  const { facts } = tell(openCode, [{ info: session }, { info: { id: "msg_1", role: "assistant" }, parts }]);
  expect(facts.agents).toEqual(ids);
});

test("gemini cli: the folder of a session is found by what its client says of a call", () => {
  expect(folderIn("/home/dev/docs/PLAN.md", "Writing to docs/PLAN.md")).toBe("/home/dev");
  expect(folderIn("/home/dev/docs/PLAN.md", "docs/PLAN.md: a: b => c")).toBe("/home/dev");
  expect(folderIn("/home/dev/a: b/PLAN.md", "a: b/PLAN.md: x => y")).toBe("/home/dev");
  expect(folderIn("/home/dev/PLAN.md", "ME.md: x => y")).toBeUndefined();
  expect(folderIn("/home/dev/PLAN.md", ": x => y")).toBeUndefined();
});

test("gemini cli: a path has a million folders, or colons", () => {
  expect(folderIn(`/${"a/".repeat(1_000_000)}PLAN.md`, "q".repeat(3_000_000))).toBeUndefined();
  expect(folderIn(`${"/: ".repeat(1_000_000)}PLAN.md`, ": /".repeat(1_000_000))).toBeUndefined();
});

test("droid: a line of a list begins with a long run of spaces", () => {
  const lines = [
    { type: "session_start", id: "s-1", title: "x", owner: "dev", cwd: "/home/dev/project" },
    message("assistant", {
      type: "tool_use",
      id: "c",
      name: "TodoWrite",
      input: { todos: `1. [pending] a\n${" ".repeat(1_000_000)}b\n  2. [completed] c\n-\t[pending] d\n [x] e` },
    }),
    message("user", { type: "tool_result", tool_use_id: "c", content: "ok" }),
  ];
  const { events } = tell(droid, lines);
  expect(events.map(({ event }) => event)).toEqual([
    { type: "plan.set", text: "- [ ] a b\n- [x] c\n- [ ] d\n- [x] e" },
  ]);
});
