import { expect, test } from "vitest";
import { callTool } from "../../src/host/tool-call.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { scratchpadTool } from "../../src/tool/scratchpad.ts";

test("the long name of a parameter that is none is not cut within a character", async () => {
  const tool = scratchpadTool(await openJournal(memoryStore()));
  const { text, isError } = await callTool(tool, { action: "read", [`${"x".repeat(99)}😀`]: 1 });
  expect(isError).toBe(true);
  expect(text.isWellFormed()).toBe(true);
});
