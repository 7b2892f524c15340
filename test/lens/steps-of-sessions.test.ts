import { join } from "node:path";
import { expect, test } from "vitest";
import { openJournal, planSteps } from "../../src/index.ts";
import { fixtures, foreignFixtures } from "./lens-run.ts";

const search = "Search for `if (x = y)`";
const rename = "Rename the login module";

interface Expected {
  readonly dropped?: readonly string[];
  readonly doubtful?: readonly string[];
}

/** What was told of each session by hand; of those that are not here, nothing was dropped, and nothing is doubtful. */
const told: Readonly<Record<string, Expected>> = {
  "claude-code/1.0.111-todowrite.jsonl": {
    doubtful: ["left in progress: Update EvalBar.tsx to use new player colors"],
  },
  "claude-code/1.0.98-todowrite.jsonl": {
    doubtful: [
      "never begun: Identify build, test, and lint commands",
      "never begun: Understand high-level architecture",
      "never begun: Check for existing CLAUDE.md, README.md, or rule files",
    ],
  },
  "claude-code/2.1.199-tasks-reminders.jsonl": {
    doubtful: [
      "left in progress: Survey codebase for slop and simplification targets",
      "left in progress: Remove internalbridge pass-through layer",
    ],
  },
  "claude-code/2.1.239-every-line-type.jsonl": { dropped: ["#[trimmed for fixture] [trimmed for fixture]"] },
  "claude-code/2.1.330-tasks-compaction-subagent.jsonl": { dropped: [rename] },
  "claude-code/2.1.330-todowrite-compaction-subagent.jsonl": {
    // The second was lost with the list by the compaction.
    dropped: [rename, "Add a regression test"],
    doubtful: ["never begun: Fix the comparison in login.js"],
  },
  "claude-code/2.1.330-todowrite-compaction-subagent/subagents/agent-a96920db47abe00b0.jsonl": {
    doubtful: [`left in progress: ${search}`],
  },
  "claude-code/2.1.39-tasks-compaction.jsonl": { doubtful: ["left in progress: Run fmt, lint, and tests"] },
  "codex/0.118-subagent-compacted.jsonl": {
    dropped: [
      "Delegate focused review agents across architecture, protocol, tests, and redesign",
      "Collect agent findings and synthesize a repo overview plus review summary",
    ],
    doubtful: [
      "never begun: Commit annotated rewrite tracker and run focused review agent on tracker consistency",
      "never begun: Implement one still-open rewrite item with tests",
      "never begun: Commit implementation change and run focused review agent on that step",
      "left in progress: Summarize updated tracker, commits, and remaining gaps",
    ],
  },
  "codex/0.126-plans.jsonl": {
    doubtful: [
      "never begun: Shorten README to summaries and links",
      "never begun: Verify docs references and working tree diff",
    ],
  },
  "codex/0.169.0-agents-subagent.jsonl": { doubtful: [`no work: ${search}`] },
  "codex/0.169.0-fork-subagent.jsonl": { doubtful: [`no work: ${search}`] },
  "codex/0.169.0-code-mode-compaction.jsonl": { dropped: [rename] },
  "codex/0.169.0-update-plan-compaction.jsonl": { dropped: [rename] },
  "gemini-cli/0.61.0-todos-compressed/chats/5806d217-fc74-43f1-ab9b-a3e8d6cd3e7b/4c72c25b-935d-43a7-8ad9-320b3967e366.jsonl":
    { doubtful: [`left in progress: ${search}`] },
  "gemini-cli/0.61.0-tracker/chats/session-2026-11-22T16-37-0409a72e.jsonl": {
    doubtful: ["never begun: Fix the comparison in login.js", "left in progress: Add a regression test"],
  },
  "opencode/1.18.33-todowrite-compaction.json": { dropped: [rename] },
};

test.each(foreignFixtures)(
  "%s: lost tells the steps that were dropped or are open, doctor those that are doubtful",
  async (fixture) => {
    await using journal = await openJournal(join(fixtures, fixture), { readonly: true });
    const { dropped = [], doubtful = [] } = told[fixture.replaceAll("\\", "/")] ?? {};
    const losses = await journal.lost();
    const textsOf = (reason: string) => losses.filter((loss) => loss.reason === reason).map(({ text }) => text);
    expect(textsOf("dropped")).toEqual(dropped);
    const open = planSteps(journal.state.plan).filter(({ status }) => status !== "completed" && status !== "cancelled");
    expect(textsOf("unfinished")).toEqual(open.map(({ text }) => text));
    const diagnosis = await journal.diagnose();
    expect(diagnosis.doubtful?.map(({ doubt, text }) => `${doubt}: ${text}`)).toEqual(doubtful);
    expect(diagnosis.advice.filter((text) => text.startsWith("doubtful:"))).toHaveLength(doubtful.length);
  },
);
