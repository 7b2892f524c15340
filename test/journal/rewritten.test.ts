/** What a handle has looked up in a history says nothing of the one that a host's rewrite puts in its place. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { sessionFileStore } from "../../src/store/session-file/session-file-store.ts";
import { newSession } from "../cli/cli.ts";

test("a turn is taken for begun that a host's rewrite has put another one in the place of", async () => {
  const file = newSession();
  const journal = await openJournal(file, { durability: "os" });
  await journal.notes.set("before the host loaded it");
  const stale = readFileSync(file, "utf8");
  const other = await openJournal(file, { durability: "os" });
  expect(await other.beginTurn({ id: "x" })).toBe(1);
  await other.close();
  expect(await journal.beginTurn({ id: "x" })).toBe(1);
  const message = { type: "message", id: "a1b2c3d4", parentId: null, message: { role: "user", content: "hello" } };
  writeFileSync(file, `${stale}${JSON.stringify(message)}\n`);
  expect(await journal.beginTurn({ id: "x" })).toBe(2);
  expect(await journal.beginTurn({ id: "x" })).toBe(2);
  await journal.close();
});

test("a point is restored from a history that a host's rewrite has put another one in the place of", async () => {
  const file = newSession();
  const header = `${JSON.stringify({ type: "session", version: 3, id: "s-1", timestamp: "2026-11-21T20:00:00.000Z", cwd: "/" })}\n`;
  const write = async (...texts: readonly string[]) => {
    writeFileSync(file, header);
    const writer = await openJournal(file, { durability: "os" });
    for (const text of texts) await writer.notes.set(text);
    await writer.close();
    return readFileSync(file, "utf8");
  };
  const other = await write("their first", "their second");
  await write("our first", "our second");
  let isRewritten = false;
  const clock = () => {
    // Between the look at the history and the commit.
    if (!isRewritten) writeFileSync(file, other);
    isRewritten = true;
    return new Date();
  };
  const journal = await openJournal(sessionFileStore(file, { durability: "os", clock }));
  expect(await journal.restore("v1")).toMatchObject({ ok: true, version: 3 });
  expect([isRewritten, journal.state.notes]).toEqual([true, "their first"]);
  await journal.close();
});
