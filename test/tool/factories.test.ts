import { expect, test } from "vitest";
import { aiTools } from "../../src/host/ai-sdk.ts";
import { agentTools } from "../../src/host/openai-agents.ts";
import { openJournal } from "../../src/open.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { notepad, notepadTools } from "../../src/tool/notepad.ts";
import { padTools } from "../../src/tool/pad.ts";
import { scratchpadTool } from "../../src/tool/scratchpad.ts";
import { singleKeyTool } from "../../src/tool/single-key.ts";
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

test("the tools of an SDK say what they need of it", async () => {
  const journal = await memoryJournal();
  const noObject = "the options of a call must be an object";
  expect(() => aiTools(journal, given(null))).toThrow(noObject);
  expect(() => agentTools(journal, given(undefined))).toThrow(noObject);
  expect(() => aiTools(journal, given({}))).toThrow('option "jsonSchema" must be the function of that name in the SDK');
  expect(() => agentTools(journal, given({}))).toThrow('option "tool" must be the function of that name in the SDK');
  expect(() => agentTools(journal, given({ tools: () => ({}) }))).toThrow('unknown option "tools": use tool, ');
});
