import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { memoryHandlers } from "../../src/entry/anthropic-memory.ts";
import { claudeScratchpad } from "../../src/entry/claude-agent-sdk.ts";
import { serveMcp, serveMcpHttp } from "../../src/entry/mcp.ts";
import { scratchpadExtension } from "../../src/entry/pi.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { temporaryFolder } from "../cli/cli.ts";

const noJournals: readonly unknown[] = [undefined, null, {}, openJournal(memoryStore())];

test.each(noJournals)("a host that is handed no journal (%s) is told so before a model calls", async (value) => {
  const noJournal = value as Awaited<ReturnType<typeof openJournal>>;
  expect(() => memoryHandlers(noJournal)).toThrow("takes a journal: await openJournal(path) gives one");
  await expect(serveMcp(noJournal)).rejects.toThrow("await openJournal(path) gives one");
  await expect(serveMcpHttp(noJournal)).rejects.toThrow("await openJournal(path) gives one");
});

test.each([
  [{ warnAt: 85 }, 'option "warnAt" must be a number above 0 and at most 1'],
  [{ warnAt: "0.8" }, 'option "warnAt" must be a number above 0 and at most 1'],
  [{ reserveTokens: -1 }, 'option "reserveTokens" must be a whole number from 0'],
  [{ actor: 5 }, 'option "actor" must be'],
])("pi's extension is not made with %j", (options, message) => {
  expect(() => scratchpadExtension(options as Parameters<typeof scratchpadExtension>[0])).toThrow(message);
});

test("an MCP server with an actor that is none does not start", async () => {
  const journal = await openJournal(memoryStore());
  await expect(serveMcp(journal, { actor: "" })).rejects.toThrow('option "actor" must be');
  await journal.close();
});

test.each([
  [undefined, "must be an object"],
  [{}, 'option "folder" must be the path of a folder'],
  [{ folder: ".", actor: 5 }, 'option "actor" must be'],
])("a scratchpad of the Claude Agent SDK is not made with %j", async (options, message) => {
  await expect(claudeScratchpad(options as Parameters<typeof claudeScratchpad>[0])).rejects.toThrow(message);
});

test("a hook that names no session, or whose folder cannot be made, says so, and leaves nothing behind", async () => {
  const folder = temporaryFolder();
  const start = async (where: string, session: unknown) => {
    const scratchpad = await claudeScratchpad({ folder: where });
    const [
      {
        hooks: [hook],
      } = { hooks: [] },
    ] = scratchpad.options.hooks.UserPromptSubmit;
    return hook?.({ session_id: session } as Parameters<typeof hook>[0]);
  };
  await expect(start(folder, undefined)).rejects.toThrow("session id undefined cannot name a file");
  expect(fs.readdirSync(folder)).toEqual([]);
  const file = path.join(folder, "file");
  fs.writeFileSync(file, "");
  await expect(start(path.join(file, "a"), "s")).rejects.toMatchObject({
    code: "storage",
    message: expect.stringMatching(/^cannot make the folder .*file.a \(\w+\): check the path/),
  });
});
