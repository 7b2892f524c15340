import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Journal } from "../../src/journal/public.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { composePrompt } from "../../src/prompt/compose.ts";
import { createNudges, type NudgeOptions } from "../../src/prompt/nudges.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { assembleWorkingMemory } from "../../src/workspace/working-memory.ts";
import { memoryJournal } from "../tool/memory-journal.ts";

/** For each of `count` messages in turn: how many hints it came with. */
async function hintCounts(nudges: ReturnType<typeof createNudges>, journal: Journal, count: number): Promise<number[]> {
  const counts: number[] = [];
  for (let message = 0; message < count; message += 1) counts.push((await nudges.hints(journal)).length);
  return counts;
}

const plan = "1. read\n2. fix\n3. test";

describe("nudges", () => {
  test("are all off by default", async () => {
    const journal = await memoryJournal();
    const nudges = createNudges();
    expect(nudges.enabled).toBe(false);
    nudges.assistantSaid(plan);
    nudges.compacted();
    expect(await hintCounts(nudges, journal, 30)).toEqual(Array(30).fill(0));
  });

  test("come as lines of their own kind that name the tool", async () => {
    const journal = await memoryJournal();
    const nudges = createNudges({
      nudgeAfterTurns: 1,
      nudgeOnPlanDetected: 1,
      nudgeAfterCompaction: 1,
      toolName: "session.scratchpad",
    });
    nudges.assistantSaid(plan);
    nudges.compacted();
    const hints = await nudges.hints(journal);
    expect(hints).toHaveLength(3);
    expect(hints.join("\n")).toContain("still empty after 1 turn.");
    for (const hint of hints) expect(hint).toMatch(/^\[Hint: [^\n]*session\.scratchpad[^\n]*\]$/);
  });

  describe("nudgeAfterTurns", () => {
    test("comes with the Nth message to an empty scratchpad, and then once in five", async () => {
      const journal = await memoryJournal();
      const nudges = createNudges({ nudgeAfterTurns: 3 });
      expect(await hintCounts(nudges, journal, 13)).toEqual([0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    });

    test("repeats with every message for parity", async () => {
      const nudges = createNudges({ nudgeAfterTurns: 2, repeat: true });
      expect(await hintCounts(nudges, await memoryJournal(), 4)).toEqual([0, 1, 1, 1]);
    });

    test("stays away while there is content, and counts anew when it is cleared", async () => {
      const journal = await memoryJournal();
      const nudges = createNudges({ nudgeAfterTurns: 2, repeat: true });
      await journal.refs.add("r");
      expect(await hintCounts(nudges, journal, 3)).toEqual([0, 0, 0]);
      await journal.refs.set([]);
      expect(await hintCounts(nudges, journal, 3)).toEqual([0, 1, 1]);
    });

    test("comes with the Nth message also where each message has a process of its own", async () => {
      const store = memoryStore();
      const counts: number[] = [];
      for (let message = 0; message < 4; message += 1) {
        const journal = await memoryJournal({ store });
        await journal.beginTurn();
        counts.push(...(await hintCounts(createNudges({ nudgeAfterTurns: 3 }), journal, 1)));
        await journal.close();
      }
      expect(counts).toEqual([0, 0, 1, 1]);
    });

    test("begins again at 0 after a restart for parity", async () => {
      const journal = await memoryJournal();
      for (let turn = 0; turn < 5; turn += 1) await journal.beginTurn();
      expect(await hintCounts(createNudges({ nudgeAfterTurns: 3, resume: false }), journal, 3)).toEqual([0, 0, 1]);
    });

    test("takes a use that leaves nothing behind as a use, and a refusal as none", async () => {
      const journal = await memoryJournal();
      const nudges = createNudges({ nudgeAfterTurns: 2, repeat: true });
      expect(await hintCounts(nudges, journal, 1)).toEqual([0]);
      await journal.notes.set("");
      expect(await hintCounts(nudges, journal, 2)).toEqual([0, 1]);
      await journal.refs.remove("absent");
      await journal.beginTurn();
      expect(await hintCounts(nudges, journal, 1)).toEqual([1]);
    });
  });

  describe("nudgeOnPlanDetected", () => {
    test("comes with the message after a plan, while the scratchpad is empty", async () => {
      const journal = await memoryJournal();
      const nudges = createNudges({ nudgeOnPlanDetected: 1 });
      nudges.assistantSaid("Hello.");
      expect(await hintCounts(nudges, journal, 1)).toEqual([0]);
      nudges.assistantSaid(plan);
      nudges.assistantSaid("And one more thing.");
      expect(await hintCounts(nudges, journal, 2)).toEqual([1, 0]);
    });

    test("does not come once something is saved", async () => {
      const journal = await memoryJournal();
      const nudges = createNudges({ nudgeOnPlanDetected: 1 });
      nudges.assistantSaid(plan);
      await journal.plan.set(plan);
      expect(await hintCounts(nudges, journal, 1)).toEqual([0]);
    });
  });

  describe("nudgeAfterCompaction", () => {
    test("comes once after each compaction, whatever the scratchpad holds and however soon", async () => {
      const journal = await memoryJournal();
      await journal.notes.set("kept");
      const nudges = createNudges({ nudgeAfterCompaction: 1 });
      expect(await hintCounts(nudges, journal, 1)).toEqual([0]);
      nudges.compacted();
      expect(await hintCounts(nudges, journal, 2)).toEqual([1, 0]);
      nudges.compacted();
      expect(await hintCounts(nudges, journal, 2)).toEqual([1, 0]);
    });
  });

  describe("nudgeTurnsSinceLastUse", () => {
    const options: NudgeOptions = { nudgeTurnsSinceLastUse: 3, repeat: true };

    test("comes with the Nth message after the last use", async () => {
      const journal = await memoryJournal();
      const nudges = createNudges(options);
      expect(await hintCounts(nudges, journal, 5)).toEqual([0, 0, 0, 0, 0]);
      await journal.notes.set("n");
      expect(await hintCounts(nudges, journal, 4)).toEqual([0, 0, 1, 1]);
    });

    test.each<[string, (journal: Journal) => Promise<unknown>, number]>([
      ["the same notes again", (journal) => journal.notes.set("n"), 0],
      ["an entry", (journal) => journal.entries.write("k", "v"), 0],
      ["a refusal", (journal) => journal.refs.remove("absent"), 1],
      ["a turn", (journal) => journal.beginTurn(), 1],
      ["a restore by hand", (journal) => journal.restore(1), 1],
    ])("is answered by %s", async (_name, act, hints) => {
      const journal = await memoryJournal();
      const nudges = createNudges(options);
      await journal.notes.set("n");
      await hintCounts(nudges, journal, 3);
      await act(journal);
      expect(await hintCounts(nudges, journal, 1)).toEqual([hints]);
    });

    test("sees the use of another process", async () => {
      const store = memoryStore();
      const [mine, other] = [await memoryJournal({ store }), await memoryJournal({ store })];
      await mine.notes.set("n");
      const nudges = createNudges(options);
      await hintCounts(nudges, mine, 2);
      await other.plan.set("p");
      await mine.refresh();
      expect(await hintCounts(nudges, mine, 3)).toEqual([0, 0, 1]);
    });

    test.each([
      [1, [1, 1, 1, 1]],
      [2, [0, 1, 1, 1]],
      [3, [0, 0, 1, 1]],
    ])("of %i comes as late in one process as in a process for each message", async (turns, counts) => {
      const store = memoryStore();
      const first = await memoryJournal({ store });
      await first.beginTurn();
      await first.notes.set("n");
      const settings = { nudgeTurnsSinceLastUse: turns, repeat: true };
      const nudges = createNudges(settings);
      const [inOne, inMany]: [number[], number[]] = [[], []];
      for (let message = 0; message < counts.length; message += 1) {
        await first.beginTurn();
        inOne.push((await composePrompt({ journal: first, message: "m", nudges })).forModel.split("[Hint:").length - 1);
        const journal = await memoryJournal({ store });
        const { forModel } = await composePrompt({ journal, message: "m", nudges: createNudges(settings) });
        inMany.push(forModel.split("[Hint:").length - 1);
        await journal.close();
      }
      expect({ inOne, inMany }).toEqual({ inOne: counts, inMany: counts });
      await first.close();
    });

    test("is not put off by sections, which other parts of a host write", async () => {
      const journal = await memoryJournal();
      const nudges = createNudges(options);
      await journal.notes.set("n");
      await hintCounts(nudges, journal, 2);
      await assembleWorkingMemory({ journal });
      await journal.sections.write("Proactive Alerts", "disk full");
      expect(await hintCounts(nudges, journal, 1)).toEqual([1]);
      const later = createNudges({ nudgeTurnsSinceLastUse: 3 });
      for (let turn = 0; turn < 3; turn += 1) await journal.beginTurn();
      await assembleWorkingMemory({ journal });
      expect(await hintCounts(later, journal, 1)).toEqual([1]);
    });

    test("counts the messages of the host's own file, the newest of which is not in it yet", async () => {
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-nudges-"));
      const file = path.join(folder, "session.jsonl");
      const say = (id: string) =>
        fs.appendFileSync(
          file,
          `${JSON.stringify({ type: "message", id, parentId: null, timestamp: "2026-03-09T13:00:00.000Z", message: { role: "user", content: id } })}\n`,
        );
      const header = { type: "session", version: 3, id: "5f0c", timestamp: "2026-03-09T13:00:00.000Z", cwd: "/" };
      fs.writeFileSync(file, `${JSON.stringify(header)}\n`);
      say("m1");
      const before = await openJournal(file);
      await before.notes.set("n");
      await before.close();
      const counts: number[] = [];
      for (const message of ["m2", "m3", "m4"]) {
        const journal = await openJournal(file);
        counts.push(...(await hintCounts(createNudges({ nudgeTurnsSinceLastUse: 2 }), journal, 1)));
        await journal.close();
        say(message);
      }
      expect(counts).toEqual([0, 1, 1]);
      fs.rmSync(folder, { recursive: true });
    });

    test("knows the age of the last use after a restart, or begins again for parity", async () => {
      const store = memoryStore();
      const before = await memoryJournal({ store });
      await before.beginTurn();
      await before.notes.set("n");
      for (let turn = 0; turn < 5; turn += 1) await before.beginTurn();
      const journal = await memoryJournal({ store });
      const [hint] = await createNudges({ nudgeTurnsSinceLastUse: 5 }).hints(journal);
      expect(hint).toContain("5 turns");
      expect(await createNudges({ nudgeTurnsSinceLastUse: 6 }).hints(journal)).toEqual([]);
      expect(await hintCounts(createNudges({ ...options, resume: false }), journal, 3)).toEqual([0, 0, 1]);
    });
  });

  test.each([
    [{ nudgeAfterTurns: -1 }, "nudgeAfterTurns must be a whole number of at least 0, not -1"],
    [{ nudgeTurnsSinceLastUse: 1.5 }, "nudgeTurnsSinceLastUse must be a whole number of at least 0, not 1.5"],
    [{ repeat: "false" as unknown as boolean }, 'option "repeat" must be true or false'],
    [{ coolDownTurns: Number.NaN }, "coolDownTurns must be a whole number of at least 0, not NaN"],
  ])("refuses %j", (options, message) => expect(() => createNudges(options)).toThrow(new TypeError(message)));
});
