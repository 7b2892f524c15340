import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import type { ExtensionFactory as CurrentFactory } from "@earendil-works/pi-coding-agent";
import type { ExtensionFactory } from "@mariozechner/pi-coding-agent";
import { expect, test } from "vitest";
import { scratchpadExtension } from "../../src/entry/pi.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { sampledClients } from "./clients.ts";
import { newFolder } from "./driver.ts";

const run = promisify(execFile);
const script = resolve(import.meta.dirname, "pi-extension.mjs");
const extension = resolve(import.meta.dirname, "../../examples/pi.js");
const plan = "Plan:\n1. Find the cause\n2. Fix it";
const planned = `[Session Scratchpad]\n${plan}\n[End Scratchpad]`;
const noted = `[Session Scratchpad]\nTokens expire west of Greenwich.\n\n${plan}\n[End Scratchpad]`;

test.each(sampledClients)("$name shows an agent its scratchpad, through a compaction and a restart", async (client) => {
  const core = client.sessionManager;
  const [index, ai] = [new URL("../index.js", core).href, new URL("../../../pi-ai/dist/index.js", core).href];
  const { stdout } = await run(client.node, [script, index, ai, extension, newFolder()]);
  const told = JSON.parse(stdout);

  expect(told.tools).toEqual(["session_scratchpad"]);
  expect(told.guidance).toBe(true);
  // Each message has the block of its time, and keeps it.
  expect(told.users).toEqual(["Go.", "Go.", "Go.", `${planned}\n\nAnd hurry.`, `${planned}\n\nAnd hurry.`]);
  expect(told.earlier).toEqual(["Go.", `${planned}\n\nLook into it.`, `${planned}\n\nAnd hurry.`]);
  expect(told.results).toEqual([
    { role: "toolResult", text: "plan set: 27/2000 chars used", isError: false },
    { role: "toolResult", text: 'refs.remove rejected: ref "absent" not found (0/50 items used)', isError: true },
  ]);
  // An answer that fills the window is the last: the agent is asked nothing more.
  expect(told.atCompaction).toEqual([`${noted}\n\nRead the log.`]);
  expect(told.compactions).toBe(1);
  expect(told.afterCompaction).toMatch(
    /^\[Session Scratchpad\][\s\S]*\n\n\[Hint: The conversation was compacted\..*\]\n\nGo on\.$/,
  );
  expect(told.saved.block).toBe(false);
  expect(told.resumed).toBe(`${noted}\n\nWhere were we?`);

  const journal = await openJournal(told.saved.file, { readonly: true });
  const commands: [string, number, string][] = [];
  for await (const { event, turn, command } of journal.history()) commands.push([event.type, turn, typeof command]);
  expect(commands).toEqual([
    ["plan.set", 1, "string"],
    ["action.refused", 1, "string"],
    ["notes.appended", 3, "string"],
  ]);
  expect((await journal.verify()).findings).toEqual([]);
  await journal.close();
});

test("the extension is one for the types of both clients", () => {
  const extension = scratchpadExtension();
  const factories: [ExtensionFactory, CurrentFactory] = [extension, extension];
  expect(factories).toHaveLength(2);
});

test("a scratchpad that is switched off registers nothing, and a wrong setting is named", () => {
  const nothing = new Proxy({}, { get: (_target, name) => expect.fail(`used ${String(name)}`) });
  scratchpadExtension({ config: { enabled: false } })(nothing as Parameters<ReturnType<typeof scratchpadExtension>>[0]);
  expect(() => scratchpadExtension({ config: { face: "padd" } })).toThrow('did you mean "pad"');
});
