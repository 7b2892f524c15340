/** What the model was shown, as it is recorded where that was asked for, and explained afterwards. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { shownIn } from "../../src/audit/shown.ts";
import { readableTypes } from "../../src/event/parse.ts";
import { piExtension } from "../../src/host/pi.ts";
import type { PiApi, PiContext, PiMessage } from "../../src/host/pi-api.ts";
import type { Journal } from "../../src/journal/public.ts";
import { allOf } from "../../src/journal/readings.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { composePrompt } from "../../src/prompt/compose.ts";
import { createNudges } from "../../src/prompt/nudges.ts";
import { applied, bytesOf, cli, json, newSession } from "../cli/cli.ts";
import { OpenClaw } from "../host/openclaw-api.ts";
import { memoryJournal } from "../tool/memory-journal.ts";

async function shownBy(journal: Journal): Promise<object[]> {
  return shownIn(await allOf(journal.history())).map(
    ({ version: _, turn: __, at: ___, actor: ____, ...shown }) => shown,
  );
}

test("nothing is recorded unless that is asked for: an older version could not write any more", async () => {
  const journal = await memoryJournal();
  await journal.plan.set("1. Look");
  await composePrompt({ journal, message: "Go on.", nudges: createNudges({ nudgeAfterTurns: 1 }) });
  expect(journal.version).toBe(1);
  expect(readableTypes()).toEqual(expect.arrayContaining(["prompt.shown", "nudge.shown"]));
});

test("a block is recorded by version, digest, size and place, in less than 100 bytes of its own, and not by its text", async () => {
  const file = newSession();
  await using journal = await openJournal(file);
  await journal.plan.set("1. Look\n2. Mend");
  await composePrompt({ journal, message: "Go on.", record: true });
  const [commit] = bytesOf(file).trimEnd().split("\n").slice(-1);
  const { data } = JSON.parse(commit ?? "") as { data: { events: object[] } };
  expect(data.events).toEqual([
    {
      type: "prompt.shown",
      shows: 1,
      digest: expect.stringMatching(/^[0-9a-f]{16}$/),
      chars: 59,
      place: "message",
    },
  ]);
  const own = JSON.stringify(data.events[0]).length;
  expect(own).toBeLessThan(100);
  // The line around it is the same for any event: no line can be shorter.
  expect((commit ?? "").length - own).toBeGreaterThan(300);
  expect((commit ?? "").length).toBeLessThan(500);
  expect(commit).not.toContain("Mend");
  expect(await allOf(journal.history())).toMatchObject([{}, { actor: "agent" }]);
});

test("a block that is recorded with the turn that it belongs to costs a hundred bytes, not a line", async () => {
  const file = newSession();
  await using journal = await openJournal(file);
  await journal.beginTurn({ id: "1" });
  const turn = bytesOf(file).trimEnd().split("\n").at(-1) ?? "";
  await Promise.all([
    journal.beginTurn({ id: "2" }),
    journal.recordShown([{ block: "Plan:\n1. Look", place: "message" }]),
  ]);
  const both = bytesOf(file).trimEnd().split("\n").at(-1) ?? "";
  expect(JSON.parse(both)).toMatchObject({
    data: { events: [{ type: "turn.began" }, { type: "prompt.shown", shows: 1 }] },
  });
  expect(both.length - turn.length).toBeLessThan(150);
});

test("whoever is not the default actor is named", async () => {
  const journal = await memoryJournal({ actor: "reviewer" });
  await journal.recordShown([{ block: "", place: "message" }]);
  expect(await allOf(journal.history())).toMatchObject([{ actor: "reviewer" }]);
});

test("hints stand in the commit of their block, with what followed each of them", async () => {
  const journal = await memoryJournal();
  const nudges = createNudges({ nudgeAfterTurns: 1, coolDownTurns: 0 });
  await composePrompt({ journal, message: "a", nudges, record: true });
  await composePrompt({ journal, message: "b", nudges, record: true });
  await journal.plan.set("1. Look");
  await journal.refs.remove("none");
  await composePrompt({ journal, message: "c", nudges, record: true });
  const events = await allOf(journal.history());
  expect(new Set(events.slice(0, 2).map(({ commit }) => commit)).size).toBe(1);
  expect((await shownBy(journal)).map((shown) => ({ ...shown, digest: undefined }))).toMatchObject([
    { kind: "prompt", shows: 0, chars: 0, next: [] },
    { kind: "nudgeAfterTurns", text: expect.stringContaining("still empty after 1 turn"), next: [] },
    { kind: "prompt", shows: 2, next: [5, 6] },
    { kind: "nudgeAfterTurns", next: [5, 6] },
    { kind: "prompt", shows: 6, next: [] },
  ]);
});

test("a block that was sent before and still stands is not said to be sent again", async () => {
  const journal = await memoryJournal();
  await journal.plan.set("1. Look");
  const options = { journal, message: "a", send: "on-change", record: true } as const;
  await composePrompt(options);
  await composePrompt(options);
  await composePrompt({ ...options, face: "notepad" });
  await composePrompt({ ...options, face: "pad" });
  expect((await shownBy(journal)).map((shown) => "place" in shown && shown.place)).toEqual([
    "message",
    "earlier",
    "system",
  ]);
});

test("a journal that cannot record is refused before anything is composed", async () => {
  const { recordShown: _, ...journal } = { ...(await memoryJournal()), recordShown: undefined };
  const view = { ...journal, refresh: async () => undefined } as unknown as Journal;
  await expect(composePrompt({ journal: view, message: "", record: true })).rejects.toThrow(/can record/);
  const other = await memoryJournal();
  await expect(other.recordShown([{ block: "x", place: "hat" as "system" }])).rejects.toThrow(/system, message/);
});

test("log --shown tells what the model knew and did next, and -p shows the block as it was", async () => {
  const file = await applied(newSession(), { action: "set_plan", content: "1. Look" });
  const journal = await openJournal(file);
  await composePrompt({ journal, message: "a", record: true, nudges: createNudges({ nudgeTurnsSinceLastUse: 1 }) });
  await journal.close();
  await applied(file, { action: "set_plan", content: "2. Mend" });
  const { stdout } = await cli(["log", file, "--shown"]);
  expect(stdout).toMatch(/^v2 .*v1, \d+ chars \(message\) +then v4 plan set/);
  expect(stdout).toMatch(/\nv3 .*nudgeTurnsSinceLastUse +then v4 plan set +The session scratchpad/);
  expect((await cli(["log", file, "--shown", "-p"])).stdout).toContain("  Plan:\n  1. Look\n");
  expect(await json("log", file, "--shown", "--turn", "0")).toMatchObject([{ shows: 1, next: [4] }, { next: [4] }]);
  expect((await cli(["log", file, "--shown", "--turn", "7"])).stdout).toBe("nothing that was shown is recorded\n");
  expect((await cli(["log", file])).stdout).toContain("hint shown: nudgeTurnsSinceLastUse");
  expect((await cli(["verify", file])).code).toBe(0);
  expect((await cli(["show", file])).stdout).toContain("2. Mend");
});

test("a hint that nobody follows comes less and less often, each kind at its own pace, until the scratchpad is used", async () => {
  const journal = await memoryJournal();
  const nudges = createNudges({ nudgeAfterTurns: 1, coolDownTurns: { nudgeAfterTurns: 2 }, backOff: 2 });
  const turns: number[] = [];
  for (let turn = 1; turn <= 16; turn += 1) if ((await nudges.hints(journal)).length > 0) turns.push(turn);
  expect(turns).toEqual([1, 3, 7, 15]);
  await journal.plan.set("x");
  await journal.plan.set("");
  const after: number[] = [];
  for (let turn = 1; turn <= 8; turn += 1) if ((await nudges.hints(journal)).length > 0) after.push(turn);
  expect(after).toEqual([1, 3, 7]);
  expect(() => createNudges({ backOff: 0 })).toThrow(/backOff/);
  expect(() => createNudges({ coolDownTurns: { nudgeAfterTurn: 1 } as object })).toThrow(/nudgeAfterTurn/);
});

test("a new process learns from the journal which hints were shown and not followed, where it is told to", async () => {
  const journal = await memoryJournal();
  const settings = { nudgeAfterTurns: 1, coolDownTurns: 3, backOff: 2 };
  /** The turns with a hint, each in a process of its own. */
  const hinted = async (turns: number, fromJournal: boolean): Promise<number[]> => {
    const found: number[] = [];
    for (let turn = 1; turn <= turns; turn += 1) {
      await journal.beginTurn();
      const before = journal.version;
      await composePrompt({ journal, message: "", record: true, nudges: createNudges({ ...settings, fromJournal }) });
      if (journal.version - before > 1) found.push(turn);
    }
    return found;
  };
  expect(await hinted(12, true)).toEqual([1, 4, 10]);
  expect(await hinted(3, false)).toEqual([1, 2, 3]);
});

test("OpenClaw's plugin records where it is configured to", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-shown-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const claw = new OpenClaw(folder, { record: true });
  await claw.prompt({ sessionId: "s", runId: "r", trigger: "user" });
  await claw.tell("gateway_stop", {}, {});
  const journal = await openJournal(path.join(folder, "session-journal", "s.jsonl"), { readonly: true });
  expect(await shownBy(journal)).toMatchObject([{ kind: "prompt", chars: 0, place: "message" }]);
  await journal.close();
});

test("pi's extension records each message of the user once, and the warning before a compaction", async () => {
  const journal = await memoryJournal();
  await journal.plan.set("1. Look");
  type Handler = (event: object, context: PiContext) => Promise<{ messages: PiMessage[] }>;
  const handlers = new Map<string, Handler>();
  const entries: { id: string; type: string; customType: string; timestamp: string }[] = [];
  const pi = {
    on: (event: string, handler: unknown) => handlers.set(event, handler as Handler),
    registerTool: () => undefined,
    registerCommand: () => undefined,
    appendEntry: (customType: string) =>
      entries.push({ id: String(entries.length), type: "custom", customType, timestamp: new Date(9e12).toISOString() }),
  } as unknown as PiApi;
  piExtension(async () => ({ journal }), { config: { record: true } })(pi);
  let tokens = 10;
  const context = {
    hasUI: false,
    sessionManager: { getSessionId: () => "s", getBranch: () => entries },
    getContextUsage: () => ({ tokens, contextWindow: 100_000 }),
  } as unknown as PiContext;
  const ask = (...times: number[]) => {
    const messages = times.map((timestamp): PiMessage => ({ role: "user", timestamp, content: "Go on." }));
    return handlers.get("context")?.({ messages }, context);
  };
  await ask(1);
  await ask(1);
  tokens = 90_000;
  await ask(1, 2);
  await ask(1, 2);
  expect(await shownBy(journal)).toMatchObject([
    { kind: "prompt", shows: 1, place: "message" },
    { kind: "prompt", shows: 2, place: "message" },
    { kind: "compactionWarning", text: expect.stringContaining("Then go on") },
  ]);
});
