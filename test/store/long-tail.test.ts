/** What others append between two appends of a handle may be much: it is told in parts, and decided on as a whole. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { MemoryLog } from "../../src/store/memory.ts";
import { sessionFileStore } from "../../src/store/session-file/session-file-store.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Log, LogPage } from "../../src/stream/log.ts";
import { type StreamStore, streamStore } from "../../src/stream/stream-store.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-tail-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const partBytes = 1 << 20;
const partEntries = 256;

/** Notes what is told to an append. */
function noting(log: Log, pages: LogPage[]): Log {
  return new Proxy(log, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name === "append") {
        return (...[after, next]: Parameters<Log["append"]>) =>
          target.append(after, (page) => {
            pages.push(page);
            return next(page);
          });
      }
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function hostLine(index: number): string {
  const content = [{ type: "text", text: "x".repeat(50_000) }];
  const place = { id: `m${index}`, parentId: null, timestamp: "2026-11-21T20:00:00.000Z" };
  return `${JSON.stringify({ type: "message", ...place, message: { role: "user", content } })}\n`;
}

const kinds: Readonly<Record<string, { open(): StreamStore; grow(): Promise<number> }>> = {
  "a session file": (() => {
    const file = path.join(folder, "session.jsonl");
    return {
      open: () => sessionFileStore(file, { durability: "os" }),
      grow: async () => {
        for (let index = 0; index < 100; index++) fs.appendFileSync(file, hostLine(index));
        await using other = await openJournal(file, { actor: "bob" });
        await other.notes.set("behind much");
        fs.appendFileSync(file, hostLine(100));
        return other.version;
      },
    };
  })(),
  SQLite: (() => {
    const database = path.join(folder, "sessions.db");
    return {
      open: () => sqliteStore({ database, session: "s" }),
      grow: async () => {
        const source = streamStore(new MemoryLog("s"));
        const other = await openJournal(source, { actor: "bob" });
        for (let index = 0; index < 2 * partEntries + 10; index++) await other.notes.set(`${index}`);
        await copyJournal(source, sqliteStore({ database, session: "s" }));
        return other.version;
      },
    };
  })(),
};

describe.each(Object.entries(kinds))("%s", (_, { open, grow }) => {
  test("is told in parts, and the call is decided on all of it", async () => {
    const pages: LogPage[] = [];
    const store = open();
    await using journal = await openJournal(streamStore(noting(store.log, pages)), { actor: "ann" });
    await journal.refresh();
    const version = await grow();
    pages.length = 0;
    const answer = await journal.apply({ action: "append_notes", content: "mine" }, { expectedVersion: version });
    expect(answer).toMatchObject({ ok: true, version: version + 1 });
    expect(journal.state.notes.endsWith("\nmine")).toBe(true);
    expect(pages.length).toBeGreaterThan(2);
    expect(Math.max(...pages.map(({ bytes = 0 }) => bytes))).toBeLessThan(2 * partBytes);
    expect(Math.max(...pages.map(({ entries }) => entries.length))).toBeLessThanOrEqual(partEntries);
  });
});

test("a session file that is rewritten between two parts of a tail is read from its beginning", async () => {
  const file = path.join(folder, "rewritten.jsonl");
  await (await openJournal(file)).close();
  const header = fs.readFileSync(file, "utf8");
  const { log } = sessionFileStore(file, { durability: "os" });
  let cursor: unknown;
  for await (const page of log.read(undefined)) ({ cursor } = page);
  const tail = Array.from({ length: 60 }, (_, index) => hostLine(index)).join("");
  fs.appendFileSync(file, tail);
  const beginnings: boolean[] = [];
  for await (const { entries } of log.read(cursor)) {
    const [first] = entries;
    beginnings.push(first?.kind === "begin");
    const value = { type: "custom", customType: "openclaw:scratchpad:notes", data: "x", id: "v", parentId: null };
    if (beginnings.length === 1) fs.writeFileSync(file, `${header}${JSON.stringify(value)}\n${tail}`);
  }
  expect(beginnings.slice(0, 2)).toEqual([false, true]);
  await log.close();
});
