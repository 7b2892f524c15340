import { join } from "node:path";
import { expect, test } from "vitest";
import { handoffPage } from "../../src/audit/handoff.ts";
import type { RecordedEvent, ScratchpadEvent } from "../../src/event/event.ts";
import { applied, cli, newSession, root } from "../cli/cli.ts";

function pageOf(...events: ScratchpadEvent[]): string {
  const history = events.map(
    (event, index): RecordedEvent => ({
      version: index + 1,
      event,
      at: "2026-01-01T00:00:00.000Z",
      turn: 1,
      actor: "agent",
      origin: "host",
    }),
  );
  return handoffPage({ writtenBy: "Claude Code 2.1.330", session: "s1", version: events.length, turn: 1 }, history);
}

const plan = (text: string): ScratchpadEvent => ({ type: "plan.set", text });

test("open steps come first, then those that are done, refused and dropped, then the files", () => {
  const page = pageOf(
    { type: "section.written", name: "CLAUDE.md", text: "Use ```ts\ncode\n```", at: "2026-01-01T00:00:00.000Z" },
    plan("- [>] #1 One\n- [ ] #2 Two (after #1)\n- [ ] Three\n- [-] Four"),
    {
      type: "action.refused",
      action: "set_plan",
      code: "rejected",
      offered: { content: "Rewrite all", message: "No,\nkeep it" },
    },
    plan("- [x] #1 One\n- [ ] #2 Two (after #1)\n- [-] Four"),
  );
  expect(page).toBe(`# Handoff of session s1

Written by Claude Code 2.1.330, up to v4, turn 1. 1 of 2 steps are done.

## Open

- [ ] #2 Two (after #1)

## Done

- [x] #1 One

## Refused

- set_plan (turn 1, agent): No, keep it

\`\`\`
Rewrite all
\`\`\`


## Dropped

- [-] Four
- Three (turn 1, agent)

## CLAUDE.md

As of 2026-01-01T00:00:00.000Z:

\`\`\`\`
Use \`\`\`ts
code
\`\`\`
\`\`\`\`
`);
});

test("what was done stays on the page when the list is put away, and is not counted twice when it comes back", () => {
  expect(pageOf(plan("- [x] #1 One"), plan(""))).toContain(
    "## Open\n\nThere is no step in the plan.\n\n## Done\n\n- [x] #1 One\n",
  );
  expect(pageOf(plan("- [x] One"), plan(""), plan("- [x] One"))).toContain("1 of 1 steps");
  expect(pageOf(plan("- [x] One"), plan("- [ ] One"))).not.toContain("## Done");
});

test("a plan without steps is on the page as it stands", () => {
  expect(pageOf(plan("Look first.\nThen decide."))).toContain("## Plan\n\nLook first.\nThen decide.\n");
});

test("a step cannot break out of its line, nor a text out of its fence", () => {
  const page = pageOf({ type: "section.written", name: "a\n# b", text: "````\n# c", at: "" });
  expect(page).toContain("## a # b");
  expect(page).toContain("`````\n````\n# c\n`````");
});

test("on the command line, for the session of another client and for our own", async () => {
  const foreign = await cli([
    "render",
    join(root, "fixtures/sessions/claude-code/2.1.39-tasks-compaction.jsonl"),
    "--face",
    "handoff",
  ]);
  expect(foreign.stdout).toMatch(
    /^# Handoff of session [\w-]+\n\nWritten by Claude Code 2\.1\.39, in \S+, up to v14, turn 1, 2026-.*\. 4 of 5 steps are done\.\n\n## Open\n\n- \[>\] #5 Run fmt, lint, and tests\n\n## Done\n\n/,
  );
  const file = await applied(
    newSession(),
    { action: "set_plan", content: "1. One\n2. Two DONE" },
    { action: "set_notes", content: "Mind it" },
    { action: "set_plan", content: "Later" },
  );
  const whole = await cli(["render", file, "--face", "handoff"]);
  expect(whole.stdout).toContain("## Notes\n\n```\nMind it\n```\n");
  const before = await cli(["render", file, "--face", "handoff", "--at", "v1"]);
  expect(before.stdout).toContain("up to v1, turn 0");
  expect(before.stdout).toContain("## Open\n\n- [ ] One\n\n## Done\n\n- [x] Two\n");
  expect(JSON.parse((await cli(["render", file, "--face", "handoff", "--json"])).stdout)).toBe(whole.stdout);
});
