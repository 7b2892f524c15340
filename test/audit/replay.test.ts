import { expect, test } from "vitest";
import { replay } from "../../src/audit/replay.ts";
import type { RecordedEvent } from "../../src/event/event.ts";
import { memoryStore, openJournal } from "../../src/index.ts";
import { allOf } from "../../src/journal/readings.ts";
import { cli, fixture, newSession } from "../cli/cli.ts";

async function historyOf(actions: readonly object[], limits = { notes: 20 }): Promise<RecordedEvent[]> {
  await using journal = await openJournal(memoryStore(), { limits });
  for (const action of actions) await journal.applyUnknown(action);
  return await allOf(journal.history());
}

const story = [
  { action: "set_notes", content: "fifteen letters" },
  { action: "append_notes", content: "too long by far" },
  { action: "set_plan", content: "1. Ship" },
];

test("a history that is decided again as it was comes to the same", async () => {
  const events = await historyOf(story);
  expect(replay(events, { limits: { notes: 20 } })).toMatchObject({
    decided: 3,
    differences: [],
    state: { notes: "fifteen letters", plan: "1. Ship" },
  });
});

test("without other budgets, an action is decided under those that were recorded with it", async () => {
  const events = await historyOf(story);
  expect(replay(events)).toMatchObject({ differences: [], state: { notes: "fifteen letters" } });
  expect(replay(events, { limits: { plan: 3 } }).differences).toMatchObject([{ version: 3, now: "cut" }]);
  expect(replay(events, { limits: { notes: 4000 } }).differences).toMatchObject([{ version: 2, now: "accepted" }]);
});

test("without an event, what was refused because of it is accepted", async () => {
  const events = await historyOf(story);
  const { state, differences } = replay(events, { skip: [1], limits: { notes: 20 } });
  expect(state.notes).toBe("too long by far");
  expect(differences).toMatchObject([
    {
      version: 2,
      action: "append_notes",
      was: "refused",
      now: "accepted",
      message: expect.stringMatching(/^notes appended/),
    },
  ]);
});

test("a larger budget gives back what was cut and what was refused; a smaller one takes", async () => {
  const events = await historyOf([{ action: "set_notes", content: "x".repeat(30) }, ...story.slice(1)]);
  const wide = replay(events, { limits: { notes: 4000 } });
  expect(wide.state.notes).toBe(`${"x".repeat(30)}\ntoo long by far`);
  expect(wide.differences.map(({ was, now }) => [was, now])).toEqual([
    ["cut", "accepted"],
    ["refused", "accepted"],
  ]);
  const narrow = replay(events, { limits: { notes: 20, plan: 3 } });
  expect(narrow.state.plan).toBe("1. ");
  expect(narrow.differences).toMatchObject([{ version: 3, was: "accepted", now: "cut" }]);
});

test("a restored state is the one that would have been there", async () => {
  await using journal = await openJournal(memoryStore());
  await journal.plan.set("one");
  await journal.plan.set("two");
  await journal.restore("v1");
  const events = await allOf(journal.history());
  expect(replay(events).state.plan).toBe("one");
  expect(replay(events, { skip: [1] }).state.plan).toBe("");
});

test("values of other runtimes stay as they were, whatever the budget", async () => {
  const before = JSON.parse((await cli(["show", fixture, "--json"])).stdout) as { state: unknown };
  const { stdout } = await cli(["replay", fixture, "--limits", '{"notes":1}', "--json"]);
  expect(JSON.parse(stdout)).toEqual({ state: before.state, decided: 0, differences: [] });
});

test("on the command line it says what would differ, and what it cannot skip", async () => {
  const file = newSession();
  for (const action of story) await cli(["apply", file, JSON.stringify(action), "--limits", '{"notes":20}']);
  const { stdout } = await cli(["replay", file, "--skip", "v1", "--limits", '{"notes":20}']);
  expect(stdout).toMatch(
    /^2 actions decided again, 1 with a different outcome\nv2 .* refused → accepted {2}notes appended/,
  );
  expect(stdout).toContain("--- recorded notes\n+++ replayed notes\n");
  expect((await cli(["replay", file, "--skip", "v9"])).stderr).toContain("there is no v9: the newest version is 3");
  expect((await cli(["replay", file, "--skip", "3..1"])).code).toBe(2);
});
