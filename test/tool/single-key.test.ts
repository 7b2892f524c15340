import { describe, expect, test } from "vitest";
import { fourUnits } from "../../src/action/text.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { composePrompt } from "../../src/prompt/compose.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { singleKeyTool } from "../../src/tool/single-key.ts";
import type { ToolJournal } from "../../src/tool/tool.ts";
import { DroppingLog } from "../journal/dropping-log.ts";
import { memoryJournal } from "./memory-journal.ts";

const tokens = (count: number) => "abcd".repeat(count);

describe("the single-key tool", () => {
  test("is defined as older runtimes know it", async () => {
    const tool = singleKeyTool(await memoryJournal(), { name: "session.scratchpad" });
    expect(tool).toMatchObject({
      name: "session.scratchpad",
      description:
        "Persist important working state (plans, findings, decisions) that survives context compaction. Content is prepended to each message you receive.",
      inputSchema: {
        properties: {
          content: { type: "string", description: "The scratchpad content to save" },
          mode: {
            type: "string",
            enum: ["replace", "append"],
            default: "replace",
            description: "replace: overwrite entire scratchpad. append: add to existing content.",
          },
        },
      },
    });
  });

  test("cuts nothing by a counter that counts in no number, and goes on afterwards", async () => {
    const journal = await memoryJournal();
    const later = (async () => 1) as unknown as (text: string) => number;
    await expect(singleKeyTool(journal, { countTokens: later }).run({ content: "a" })).rejects.toThrow(
      "countTokens must give a number of at least 0, not [object Promise]",
    );
    expect(() => singleKeyTool(journal, { countTokens: 4 as unknown as typeof later })).toThrow(
      "countTokens must be a function",
    );
    expect((await singleKeyTool(journal).run({ content: "a" })).message).toBe(
      "Scratchpad updated (1 tokens / 2000 budget)",
    );
  });

  test("answers with tokens against budget", async () => {
    const journal = await memoryJournal();
    const tool = singleKeyTool(journal);
    expect(tool.text(await tool.run({ content: tokens(45) }))).toBe("Scratchpad updated (45 tokens / 2000 budget)");
    expect(tool.text(await tool.run({ content: "## Plan", mode: "replace" }))).toBe(
      "Scratchpad updated (2 tokens / 2000 budget)",
    );
    expect(tool.text(await tool.run({ content: "", mode: "replace" }))).toBe(
      "Scratchpad updated (0 tokens / 2000 budget)",
    );
  });

  test("cuts a replacement to the longest beginning within the budget, and says so", async () => {
    const journal = await memoryJournal();
    const answer = await singleKeyTool(journal).run({ content: tokens(3200), mode: "replace" });
    expect(answer.message).toBe("Scratchpad truncated to 2000 tokens (original: 3200). Consider summarizing.");
    expect(answer.ok).toBe(true);
    expect(journal.state.notes).toBe(tokens(2000));
    expect(answer.events).toEqual([{ type: "legacy.set", text: tokens(2000), dropped: tokens(1200) }]);
  });

  test("refuses an append that does not fit, and changes nothing", async () => {
    const journal = await memoryJournal();
    const tool = singleKeyTool(journal);
    await tool.run({ content: tokens(1800) });
    const answer = await tool.run({ content: tokens(500), mode: "append" });
    expect(answer).toMatchObject({ ok: false, code: "over_budget", version: 2 });
    expect(answer.message).toBe(
      "Append would exceed 2000 token budget (current: 1800, append: 500). Use mode 'replace' to rewrite, or reduce content.",
    );
    expect(journal.state.notes).toBe(tokens(1800));
  });

  test("measures the joined text, newline included", async () => {
    const journal = await memoryJournal();
    const tool = singleKeyTool(journal, { maxTokens: 2 });
    await tool.run({ content: "abcd" });
    expect((await tool.run({ content: "efgh", mode: "append" })).code).toBe("over_budget");
    expect(await tool.run({ content: "efg", mode: "append" })).toMatchObject({
      ok: true,
      message: "Scratchpad updated (2 tokens / 2 budget)",
    });
    expect(journal.state.notes).toBe("abcd\nefg");
  });

  test("takes another counter, and never cuts through a character", async () => {
    const journal = await memoryJournal();
    const tool = singleKeyTool(journal, { maxTokens: 3, countTokens: (text) => text.length });
    await tool.run({ content: "ab😀" });
    expect(journal.state.notes).toBe("ab");
    expect([fourUnits(""), fourUnits("a"), fourUnits("abcd"), fourUnits("abcde")]).toEqual([0, 1, 1, 2]);
  });

  test("answers a repeated append as the first time", async () => {
    const journal = await memoryJournal();
    const tool = singleKeyTool(journal);
    await tool.run({ content: "a" });
    const call = () => tool.run({ content: "b", mode: "append" }, { command: "c1" });
    expect(await call()).toEqual(await call());
    expect(journal.state.notes).toBe("a\nb");
    await expect(tool.run({ content: "z", mode: "append" }, { command: "c1" })).rejects.toThrow(TypeError);
  });

  test("writes values of the single key, and newer ones where a single key is not heard any more", async () => {
    const journal = await memoryJournal();
    const tool = singleKeyTool(journal);
    await tool.run({ content: "a" });
    await tool.run({ content: "b", mode: "append" });
    await journal.notes.append("c");
    await tool.run({ content: "d", mode: "append" });
    const types: string[] = [];
    for await (const { event } of journal.history()) types.push(event.type);
    expect(types).toEqual(["legacy.set", "legacy.set", "notes.appended", "notes.appended"]);
    expect(journal.state.notes).toBe("a\nb\nc\nd");
  });

  test("is heard where the beginning of the history was dropped, and with it how notes were written", async () => {
    const log = new DroppingLog();
    const before = await openJournal(log.store());
    await before.notes.set("a");
    await before.plan.set("1. Go");
    await before.snapshot();
    await before.close();
    log.keep(1);
    const journal = await openJournal(log.store());
    const tool = singleKeyTool(journal);
    expect(await tool.run({ content: "b", mode: "append" })).toMatchObject({ ok: true, used: 1 });
    expect(journal.state.notes).toBe("a\nb");
    await journal.close();
  });

  test("is heard where another writes in the newer format at the same time", async () => {
    const store = memoryStore();
    const [journal, other] = [await memoryJournal({ store }), await memoryJournal({ store })];
    const late: ToolJournal = {
      limits: journal.limits,
      refresh: () => journal.refresh(),
      apply: (...asked) => journal.apply(...asked),
      applyUnknown: (...asked) => journal.applyUnknown(...asked),
      get state() {
        return journal.state;
      },
      get version() {
        return journal.version;
      },
      history: (options) => journal.history(options),
      applyUnder: async (...asked) => {
        if (journal.version === 0) await other.notes.set("theirs");
        return journal.applyUnder(...asked);
      },
    };
    const tool = singleKeyTool(late);
    const append = () => tool.run({ content: "ours", mode: "append" }, { command: "toolu_1" });
    const first = await append();
    expect(first).toMatchObject({ ok: true, used: 3 });
    expect(await append()).toEqual(first);
    expect(journal.state.notes).toBe("theirs\nours");
    expect(journal.version).toBe(first.version);
  });

  test.each([
    [{ content: "x", mode: "prepend" }, "rejected: mode must be replace or append"],
    [{ content: 7 }, "rejected: content must be a string"],
    [undefined, "rejected: content must be a string"],
  ])("refuses %j", async (input, message) => {
    const journal = await memoryJournal();
    expect(await singleKeyTool(journal).run(input)).toMatchObject({ ok: false, code: "invalid_argument", message });
    expect(journal.version).toBe(0);
  });

  test("refuses a budget that is none", async () => {
    const journal = await memoryJournal();
    expect(() => singleKeyTool(journal, { maxTokens: -1 })).toThrow(
      "maxTokens must be a whole number of at least 0, not -1",
    );
  });

  test("is shown before the message", async () => {
    const journal = await memoryJournal();
    await singleKeyTool(journal).run({ content: "TEXT" });
    expect(await composePrompt({ journal, face: "single-key", message: "MESSAGE" })).toEqual({
      forModel: "[Session Scratchpad - your persistent working memory]\nTEXT\n[End Scratchpad]\n\nMESSAGE",
      forHistory: "MESSAGE",
    });
  });
});
