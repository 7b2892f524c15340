import { expect, test } from "vitest";
import { aiTools } from "../../src/host/ai-sdk.ts";
import { agentTools } from "../../src/host/openai-agents.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { parseConfig } from "../../src/prompt/config.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { notepad, notepadTools } from "../../src/tool/notepad.ts";
import { padTools } from "../../src/tool/pad.ts";
import { scratchpadTool } from "../../src/tool/scratchpad.ts";
import { singleKeyTool } from "../../src/tool/single-key.ts";
import type { ToolJournal } from "../../src/tool/tool.ts";
import { toolsFor } from "../../src/tool/tools.ts";
import { memoryJournal } from "./memory-journal.ts";

/** As a caller without types may have it. */
const given = (value: unknown) => value as never;

test.each<[string, (journal: never) => unknown]>([
  ["scratchpadTool", (journal) => scratchpadTool(journal)],
  ["singleKeyTool", (journal) => singleKeyTool(journal)],
  ["notepadTools", (journal) => notepadTools(journal)],
  ["notepad", (journal) => notepad(journal)],
  ["padTools", (journal) => padTools(journal)],
  ["aiTools", (journal) => aiTools(journal, given(undefined))],
  ["agentTools", (journal) => agentTools(journal, given(undefined))],
])("%s offers no tools that fail at their first call, for want of a journal", async (_, make) => {
  const promised = openJournal(memoryStore());
  for (const none of [null, undefined, "session.jsonl", promised]) {
    expect(() => make(given(none))).toThrow(
      new TypeError("tools take a journal first: await openJournal(path) gives one"),
    );
  }
  await (await promised).close();
});

test.each<[string, (journal: ToolJournal, options: never) => unknown]>([
  ["scratchpadTool", scratchpadTool],
  ["singleKeyTool", singleKeyTool],
  ["notepadTools", notepadTools],
  ["notepad", notepad],
  ["padTools", padTools],
])("%s says a wrong option at once, not at its first call", async (_, make) => {
  const journal = await memoryJournal();
  expect(() => make(journal, given({ acter: "x" }))).toThrow(/^unknown option "acter": use ([a-zA-Z]+, )?/);
  expect(() => make(journal, given({ acter: "x" }))).toThrow(/actor$/);
  expect(() => make(journal, given(null))).toThrow("the options of a call must be an object");
  expect(() => make(journal, given({ actor: "" }))).toThrow('option "actor" must be a text of 1 to 1024 characters');
  expect(() => make(journal, given({ source: "me" }))).toThrow('option "source" must be model, user, tool or imported');
});

test("a call that says nothing of who calls leaves it to the tool", async () => {
  const journal = await memoryJournal();
  const call = { actor: undefined, signal: undefined } as object;
  await scratchpadTool(journal, { actor: "ann" }).run({ action: "set_notes", content: "x" }, call);
  for await (const { actor } of journal.history()) expect(actor).toBe("ann");
  expect(journal.version).toBe(1);
});

test("the tools of an SDK say what they need of it", async () => {
  const journal = await memoryJournal();
  const noObject = "the options of a call must be an object";
  expect(() => aiTools(journal, given(null))).toThrow(noObject);
  expect(() => agentTools(journal, given(undefined))).toThrow(noObject);
  expect(() => aiTools(journal, given({}))).toThrow('option "jsonSchema" must be the function of that name in the SDK');
  expect(() => agentTools(journal, given({}))).toThrow('option "tool" must be the function of that name in the SDK');
  expect(() => agentTools(journal, given({ tools: () => ({}) }))).toThrow('unknown option "tools": use tool, ');
});

test.each(["scratchpad", "single-key"] as const)("the tool of face %s is offered under either name", async (face) => {
  const journal = await memoryJournal();
  const config = parseConfig({ face });
  for (const toolName of ["session.scratchpad", "session_scratchpad"] as const) {
    const [tool] = toolsFor(journal, config, { toolName });
    expect(new Set([tool?.name, ...(tool?.aliases ?? [])])).toEqual(
      new Set(["session.scratchpad", "session_scratchpad"]),
    );
    expect(tool?.name).toBe(toolName);
  }
  expect(toolsFor(journal, config)[0]?.name).toBe("session_scratchpad");
  const tools = aiTools(journal, { jsonSchema: (schema: object) => schema, config });
  expect(Object.keys(tools)).toEqual(["session_scratchpad"]);
  expect(tools["session.scratchpad"]).toBe(tools["session_scratchpad"]);
});

test("a part of a configuration offers the tools of its face, and a face that does not exist is said", async () => {
  const journal = await memoryJournal();
  const names = (config: object) => toolsFor(journal, config).map(({ name }) => name);
  expect(names({})).toEqual(["session_scratchpad"]);
  expect(names({ face: "notepad" })).toEqual(["read_notepad", "write_notepad", "update_notepad"]);
  expect(names({ face: "single-key" })).toEqual(["session_scratchpad"]);
  expect(names({ enabled: false })).toEqual([]);
  expect(() => names({ face: "notes" })).toThrow('option "face" must be one of "scratchpad"');
});
