import { describe, expect, test } from "vitest";
import { composePrompt } from "../../src/prompt/compose.ts";
import { notepad, notepadTools } from "../../src/tool/notepad.ts";
import { memoryJournal } from "./memory-journal.ts";

describe("the notepad tools", () => {
  test("are named and take what is documented", async () => {
    const [read, write, update] = notepadTools(await memoryJournal());
    expect([read.name, write.name, update.name]).toEqual(["read_notepad", "write_notepad", "update_notepad"]);
    expect([read.readsOnly, write.readsOnly, update.readsOnly]).toEqual([true, false, false]);
    expect(read.inputSchema).toEqual({ type: "object", properties: {}, required: [] });
    expect(write.inputSchema).toEqual({
      type: "object",
      properties: { content: { type: "string", description: "The new notepad content (replaces everything)" } },
      required: ["content"],
    });
    expect(update.inputSchema).toEqual({
      type: "object",
      properties: {
        operation: {
          type: "string",
          enum: ["find_replace", "append", "prepend", "delete"],
          description: "The type of edit to perform",
        },
        content: { type: "string", description: "For append/prepend: text to add. For delete: text to remove." },
        find: { type: "string", description: "For find_replace: exact substring to find" },
        replace: { type: "string", description: "For find_replace: replacement text" },
        replace_all: { type: "boolean", description: "For find_replace: replace all occurrences. Default: false." },
      },
      required: ["operation"],
    });
  });

  test("read, replace and edit", async () => {
    const [read, write, update] = notepadTools(await memoryJournal());
    expect(await read.run({})).toEqual({ content: "" });
    const steps: [object, string][] = [
      [{ operation: "append", content: "- [ ] Survey\n- [ ] Fix" }, "- [ ] Survey\n- [ ] Fix"],
      [{ operation: "find_replace", find: "[ ]", replace: "[x]" }, "- [x] Survey\n- [ ] Fix"],
      [{ operation: "prepend", content: "## Plan" }, "## Plan\n- [x] Survey\n- [ ] Fix"],
      [{ operation: "find_replace", find: "- ", replace: "* ", replace_all: true }, "## Plan\n* [x] Survey\n* [ ] Fix"],
      [{ operation: "find_replace", find: "[ ]", replace: "$&" }, "## Plan\n* [x] Survey\n* $& Fix"],
      [{ operation: "delete", content: "## Plan\n" }, "* [x] Survey\n* $& Fix"],
    ];
    for (const [input, content] of steps) {
      expect(await update.run(input)).toEqual({ ok: true });
      expect(await read.run({})).toEqual({ content });
    }
    expect(await write.run({ content: "" })).toEqual({ ok: true });
    expect(read.text(await read.run({}))).toBe("");
  });

  test("holds far more than the three spaces do", async () => {
    const [read, write] = notepadTools(await memoryJournal());
    const content = "x".repeat(100_000);
    expect(await write.run({ content })).toEqual({ ok: true });
    expect(await read.run({})).toEqual({ content });
  });

  test("keeps to a budget that is asked for", async () => {
    const [read, write, update] = notepadTools(await memoryJournal(), { charsMax: 10 });
    expect(await write.run({ content: "0123456789" })).toEqual({ ok: true });
    const outcome = await update.run({ operation: "append", content: "x" });
    expect(outcome).toEqual({ ok: false, error: expect.stringContaining("over budget") });
    expect(update.text(outcome)).toContain("write_notepad");
    expect(await write.run({ content: "0123456789x" })).toEqual({
      ok: false,
      error: "over budget: content is 11 chars long, the notepad holds 10",
    });
    expect(await read.run({})).toEqual({ content: "0123456789" });
  });

  test("take a long text out of a notepad that others left over its budget", async () => {
    const journal = await memoryJournal();
    await journal.notes.set("keep this, and not that");
    const [read, , update] = notepadTools(journal, { charsMax: 10 });
    expect(await update.run({ operation: "delete", content: ", and not that" })).toEqual({ ok: true });
    expect(await read.run({})).toEqual({ content: "keep this" });
  });

  test.each([-1, 1.5, Number.NaN, "10"])("takes no budget of %j", async (charsMax) => {
    const journal = await memoryJournal();
    expect(() => notepadTools(journal, { charsMax: charsMax as number })).toThrow("charsMax must be a whole number");
  });

  test.each<[unknown, string]>([
    [{ operation: "find_replace", find: "absent", replace: "x" }, "not found"],
    [{ operation: "find_replace", replace: "x" }, "not found"],
    [{ operation: "delete", content: "absent" }, "not found"],
    [{ operation: "rewrite", content: "x" }, "operation must be one of"],
    [{}, "operation must be one of"],
    [undefined, "operation must be one of"],
  ])("answer a failure to %j with its reason", async (input, error) => {
    const [, , update] = notepadTools(await memoryJournal());
    const outcome = await update.run(input);
    expect(outcome).toEqual({ ok: false, error: expect.stringContaining(error) });
    expect(update.text(outcome)).toMatch(/^update_notepad rejected: /);
  });

  test("answer a failure of the journal, too", async () => {
    const journal = await memoryJournal();
    const [, write] = notepadTools(journal);
    await journal.close();
    expect(await write.run({ content: "x" })).toEqual({ ok: false, error: expect.stringContaining("closed") });
  });

  test("cannot be talked into another action", async () => {
    const journal = await memoryJournal();
    const [, write] = notepadTools(journal);
    await write.run({ action: "refs.add", ref: "r", content: "n" });
    expect(journal.state).toMatchObject({ notes: "n", refs: [] });
  });
});

describe("session.notepad", () => {
  test("reads, writes and appends on a new line", async () => {
    const session = { notepad: notepad(await memoryJournal()) };
    expect(await session.notepad.read()).toBe("");
    await session.notepad.write("a");
    await session.notepad.append("b");
    expect(await session.notepad.read()).toBe("a\nb");
  });

  test("rejects where the tools would answer with an error", async () => {
    const pad = notepad(await memoryJournal(), { charsMax: 3 });
    await pad.write("abc");
    await expect(pad.append("d")).rejects.toThrow("over budget: the notepad holds 3 chars");
    await expect(pad.write(undefined as unknown as string)).rejects.toThrow("content must be a string");
    expect(await pad.read()).toBe("abc");
  });
});

test("the notepad stands in the system prompt, and says what it is for while it is empty", async () => {
  const journal = await memoryJournal();
  const compose = () => composePrompt({ journal, face: "notepad", message: "hi", send: "on-change", guidance: "G" });
  expect(await compose()).toEqual({
    system:
      "G\n\n## Session Notepad\n(empty — use write_notepad or update_notepad to save working notes, findings, and task progress; content here survives context compaction)",
    forModel: "hi",
    forHistory: "hi",
  });
  await notepad(journal).write("note");
  expect((await compose()).system).toBe("G\n\n## Session Notepad\nnote");
  expect((await compose()).system).toBe("G\n\n## Session Notepad\nnote");
});
