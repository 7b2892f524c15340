import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/store/memory.ts";
import { scratchpadTool } from "../../src/tool/scratchpad.ts";
import { memoryJournal } from "./memory-journal.ts";

describe("the scratchpad tool", () => {
  test("is named as model providers allow, and takes the dotted name by option", async () => {
    const journal = await memoryJournal();
    const tool = scratchpadTool(journal);
    expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(tool).toMatchObject({ name: "session_scratchpad", aliases: ["session.scratchpad"] });
    expect(scratchpadTool(journal, { name: "session.scratchpad" })).toMatchObject({
      name: "session.scratchpad",
      aliases: ["session_scratchpad"],
    });
  });

  test("has a flat schema that requires the action alone", async () => {
    const { inputSchema } = scratchpadTool(await memoryJournal());
    expect(inputSchema.required).toEqual(["action"]);
    for (const property of Object.values(inputSchema.properties)) expect(property).not.toHaveProperty("properties");
    expect(inputSchema.properties["action"]).toMatchObject({
      enum: ["set_notes", "append_notes", "set_plan", "refs.add", "refs.remove", "refs.set", "read"],
    });
  });

  test("says the budgets in force", async () => {
    const tool = scratchpadTool(await memoryJournal({ limits: { notes: 123, plan: 45, refs: 6 } }));
    expect(tool.description).toContain("123 chars");
    expect(tool.description).toContain("45 chars");
    expect(tool.description).toContain("6 items");
  });

  test("does the six actions and answers each with use against budget", async () => {
    const journal = await memoryJournal();
    const tool = scratchpadTool(journal);
    const messages: string[] = [];
    for (const input of [
      { action: "set_notes", content: "0123456789" },
      { action: "append_notes", content: "x" },
      { action: "set_plan", content: "1. Fix auth bug\n2. Add test" },
      { action: "refs.add", ref: "src/auth/login.ts" },
      { action: "refs.remove", ref: "src/auth/login.ts" },
      { action: "refs.set", items: ["a", 1, "b"] },
    ]) {
      const answer = await tool.run(input);
      expect(answer).toMatchObject({ ok: true, version: messages.length + 1 });
      expect(answer.events).toHaveLength(1);
      messages.push(tool.text(answer));
    }
    expect(messages[0]).toBe("notes set: 10/4000 chars used");
    expect(messages[2]).toBe("plan set: 27/2000 chars used");
    expect(journal.state).toMatchObject({
      notes: "0123456789\nx",
      plan: "1. Fix auth bug\n2. Add test",
      refs: ["a", "b"],
    });
  });

  test("warns in the text when it cuts", async () => {
    const tool = scratchpadTool(await memoryJournal());
    const text = tool.text(await tool.run({ action: "set_notes", content: "x".repeat(5000) }));
    expect(text).toContain("truncated from 5000 to 4000");
    expect(text).toContain("\nwarning: ");
  });

  test("shows what is there, also what another handle wrote", async () => {
    const store = memoryStore();
    const [mine, other] = [await memoryJournal({ store }), await memoryJournal({ store })];
    const tool = scratchpadTool(mine);
    expect(tool.text(await tool.run({ action: "read" }))).toBe(
      "notes 0/4000 chars, plan 0/2000 chars, refs 0/50 items\n(empty)",
    );
    await other.notes.set("from elsewhere");
    const answer = await tool.run({ action: "read" });
    expect(answer).toMatchObject({ ok: true, version: 1, events: [] });
    expect(tool.text(answer)).toBe(
      "notes 14/4000 chars, plan 0/2000 chars, refs 0/50 items\n[Session Scratchpad]\nfrom elsewhere\n[End Scratchpad]",
    );
  });

  test.each<[unknown, string]>([
    [{ action: "entries.write", key: "k", content: "c" }, "unknown_action"],
    [{ action: "restore", to: 0 }, "unknown_action"],
    [{ action: "toString" }, "unknown_action"],
    [{}, "unknown_action"],
    [null, "unknown_action"],
    ["set_notes", "unknown_action"],
    [{ action: "set_notes" }, "invalid_argument"],
    [{ action: "refs.add", ref: "" }, "invalid_argument"],
    [{ action: "set_plan", content: "x".repeat(100_001) }, "too_large"],
  ])("refuses %j without writing", async (input, code) => {
    const journal = await memoryJournal();
    const answer = await scratchpadTool(journal).run(input);
    expect(answer).toMatchObject({ ok: false, code, version: 0, events: [] });
    expect(journal.version).toBe(0);
    if (code === "unknown_action") expect(answer.message).toMatch(/^unknown action.*refs\.set, read$/);
  });

  test("does a repeated call once, and signs with the tool's actor", async () => {
    const journal = await memoryJournal();
    const tool = scratchpadTool(journal, { actor: "planner" });
    const call = () => tool.run({ action: "refs.add", ref: "r" }, { command: "toolu_1" });
    expect(await call()).toEqual(await call());
    expect(journal.state.refs).toEqual(["r"]);
    const actors: unknown[] = [];
    for await (const { actor, command } of journal.history()) actors.push([actor, command]);
    expect(actors).toEqual([["planner", "toolu_1"]]);
  });
});
