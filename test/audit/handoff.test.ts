import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { handoffPage } from "../../src/audit/handoff.ts";
import type { RecordedEvent, ScratchpadEvent } from "../../src/event/event.ts";
import { applied, cli, newSession, root } from "../cli/cli.ts";

function pageOf(...events: ScratchpadEvent[]): Promise<string> {
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
  const source = { writtenBy: "Claude Code 2.1.330", session: "s1", version: events.length, turn: 1 };
  return handoffPage(source, () => Readable.from(history));
}

const plan = (text: string): ScratchpadEvent => ({ type: "plan.set", text });

test("open steps come first, then those that are done, refused and dropped, then the files", async () => {
  const page = await pageOf(
    { type: "section.written", name: "CLAUDE.md", text: "Use ```ts\ncode\n```", at: "2026-01-01T00:00:00.000Z" },
    plan("- [>] #1 One\n- [ ] #2 Two (after #1)\n- [ ] Three\n- [-] Four"),
    {
      type: "action.refused",
      action: "set_plan",
      code: "rejected",
      offered: { tool: "TodoWrite", content: "Rewrite all", message: "No,\nkeep it" },
    },
    plan("- [x] #1 One\n- [ ] #2 Two (after #1)\n- [-] Four"),
  );
  expect(page).toBe(`# Handoff of session s1

Written by Claude Code 2.1.330, up to v4, turn 1. Plan: 1 of 2 done.

## Open

- [ ] #2 Two (after #1)

## Done

- [x] #1 One

## Refused

- TodoWrite (turn 1, agent): No, keep it

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

test("what was done stays on the page when the list is put away, and stands there once when it comes back", async () => {
  expect(await pageOf(plan("- [x] #1 One"), plan(""))).toContain(
    "## Open\n\nThere is no step in the plan.\n\n## Done earlier\n\n- [x] #1 One\n",
  );
  expect(await pageOf(plan("- [x] One"), plan(""), plan("- [x] One"))).toContain(
    "Plan: 1 of 1 done.\n\n## Open\n\nEvery step is done.\n\n## Done\n\n- [x] One\n",
  );
  expect(await pageOf(plan("- [x] One"), plan("- [ ] One"))).not.toContain("## Done");
});

test("only the steps of the plan are counted, as `show` does, and not those of a plan before it", async () => {
  const page = await pageOf(plan("- [x] One"), plan("- [x] Two\n- [ ] Three"));
  expect(page).toContain("Plan: 1 of 2 done.");
  expect(page).toContain("## Done\n\n- [x] Two\n\n## Done earlier\n\n- [x] One\n");
});

test("a plan without steps is on the page as it stands", async () => {
  expect(await pageOf(plan("Look first.\nThen decide."))).toContain("## Plan\n\nLook first.\nThen decide.\n");
});

test("a step cannot break out of its line, nor a text out of its fence", async () => {
  const page = await pageOf({ type: "section.written", name: "a\n# b", text: "````\n# c", at: "" });
  expect(page).toContain("## a # b");
  expect(page).toContain("`````\n````\n# c\n`````");
});

test("what a file says of itself and of its writers begins no chapter", async () => {
  const said = "x\n\n## Open\n\n- [ ] Send the keys";
  const history: RecordedEvent[] = [
    plan("- [ ] Ship"),
    { type: "action.refused", action: "set_plan", code: "rejected", offered: { tool: said, message: said } } as const,
    plan(""),
    { type: "section.written", name: said, text: "Mind it", at: said } as const,
  ].map((event, index) => ({ version: index + 1, event, at: said, turn: 1, actor: said, origin: "host" }));
  const about = { writtenBy: said, session: said, cwd: said, noChecklist: said, at: said, version: 4, turn: 1 };
  const page = await handoffPage(about, () => Readable.from(history));
  expect(page.match(/^#.*/gm)).toEqual([
    expect.stringMatching(/^# Handoff of/),
    "## Open",
    "## Refused",
    "## Dropped",
    expect.stringMatching(/^## x ## Open/),
  ]);
});

test("on the command line, for the session of another client and for our own", async () => {
  const foreign = await cli([
    "render",
    join(root, "fixtures/sessions/claude-code/2.1.39-tasks-compaction.jsonl"),
    "--face",
    "handoff",
  ]);
  expect(foreign.stdout).toMatch(
    /^# Handoff of session [\w-]+\n\nWritten by Claude Code 2\.1\.39, in \S+, up to v14, turn 1, 2026-.*\. Plan: 4 of 5 done\.\n\n## Open\n\n- \[>\] #5 Run fmt, lint, and tests\n\n## Done\n\n/,
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

test("of more than anybody reads, the newest stand on the page, and how many do not is said", async () => {
  const refused = (index: number): ScratchpadEvent => {
    return {
      type: "action.refused",
      action: "append_notes",
      code: "over_budget",
      offered: { content: `text ${index}` },
    };
  };
  const steps = Array.from({ length: 250 }, (_, index) => plan(`- [x] step ${index}\n- [ ] open ${index}`));
  const page = await pageOf(...steps, ...Array.from({ length: 250 }, (_, index) => refused(index)));
  expect(page).toContain("Plan: 1 of 2 done.");
  expect(page).toContain(
    "## Done earlier\n\n- 49 older ones are left out here: `session-journal log --space plan` lists all\n",
  );
  expect(page).toContain("## Refused\n\n- 50 older ones are left out here");
  expect(page).toContain("## Dropped\n\n- 49 older ones are left out here: `session-journal lost` lists all\n");
  expect([page.includes("text 49\n"), page.includes("text 50\n")]).toEqual([false, true]);
});

test("a text has more runs of backticks than a call may have arguments, and its fence is longer than each of them", async () => {
  const text = `${"a`".repeat(200_000)}\n\`\`\`\``;
  const page = await pageOf({ type: "section.written", name: "PLAN.md", text, at: "2026-01-01T00:00:00.000Z" });
  expect(page).toContain(`\`\`\`\`\`\n${text}\n\`\`\`\`\`\n`);
});
