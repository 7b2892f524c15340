import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { claudeScratchpad } from "../../src/entry/claude-agent-sdk.ts";
import { openJournal } from "../../src/open/open-journal.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "session-journal-claude-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("a compaction that could not be answered is made up for with the next prompt", async () => {
  const scratchpad = await claudeScratchpad({ folder, config: { send: "on-change" } });
  const { SessionStart, UserPromptSubmit } = scratchpad.options.hooks;
  const ask = async () => {
    const output = await UserPromptSubmit[0]?.hooks[0]?.({ session_id: "s" });
    return output?.hookSpecificOutput?.additionalContext ?? "";
  };
  await ask();
  const file = join(folder, "s.jsonl");
  const other = await openJournal(file);
  await other.notes.set("Port 8080 is taken");
  await other.close();
  expect(await ask()).toContain("Port 8080 is taken");
  expect(await ask()).toBe("");

  renameSync(file, `${file}.away`);
  mkdirSync(file);
  await expect(SessionStart[0]?.hooks[0]?.({ session_id: "s", source: "compact" })).rejects.toThrow();
  rmdirSync(file);
  renameSync(`${file}.away`, file);
  expect(await ask()).toContain("Port 8080 is taken");
  await scratchpad.close();
});
