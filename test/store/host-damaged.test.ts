/** A live host whose session is damaged, or is cut while it is read. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { hostSessionStore } from "../../src/store/host/host-session-store.ts";
import { newSession } from "../cli/cli.ts";
import { ArrayHost } from "./array-host.ts";

const { readSync } = fs;

afterEach(() => {
  fs.readSync = readSync;
  syncBuiltinESMExports();
});

/** It has written what the agent said. */
function flushedHost(): { readonly host: ArrayHost; readonly file: string } {
  const file = newSession();
  const host = new ArrayHost("host", file);
  host.message("user", "Go.");
  host.message("assistant", "Going.");
  return { host, file };
}

test("entries of ours that hang on each other in a circle do not hold up a host that stands elsewhere", async () => {
  const { host, file } = flushedHost();
  const journal = await openJournal(hostSessionStore(host));
  const action = { action: "set_notes", content: "once" } as const;
  const answer = await journal.apply(action, { command: "first" });
  const mark = { type: "custom", customType: "openclaw:scratchpad:mark", mirror: "none", timestamp: "" };
  for (const [id, parentId] of [
    ["one", "other"],
    ["other", "one"],
  ] as const) {
    host.held.push({ ...mark, id, parentId });
    fs.appendFileSync(file, `${JSON.stringify(host.held.at(-1))}\n`);
  }
  host.navigate("e0000000");
  expect(await journal.apply(action, { command: "first" })).toEqual(answer);
  await journal.close();
});

test("what a host has yet to write is not read as the rest of a line that was cut in its file", async () => {
  const { host, file } = flushedHost();
  const whole = fs.readFileSync(file, "utf8");
  host.add({ type: "custom", customType: "openclaw:scratchpad:notes", data: "kept" });
  host.message("user", "And?");
  fs.writeFileSync(file, whole);
  for (let reads = 1; reads <= 8; reads++) {
    fs.writeFileSync(file, whole);
    let left = reads;
    fs.readSync = ((...given: Parameters<typeof readSync>) => {
      left -= 1;
      if (left === 0) fs.truncateSync(file, whole.length - 30);
      return readSync(...given);
    }) as typeof readSync;
    syncBuiltinESMExports();
    const journal = await openJournal(hostSessionStore(host));
    // Behind what was cut stands nothing.
    expect([
      [2, "kept"],
      [1, ""],
    ]).toContainEqual([journal.turn, journal.state.notes]);
    await journal.refresh();
    expect([journal.turn, journal.state.notes, reads]).toEqual([2, "kept", reads]);
    await journal.close();
  }
});
