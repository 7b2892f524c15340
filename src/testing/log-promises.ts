/** A log promises these things besides what shows in the store over it. */
import assert from "node:assert/strict";
import type { Cursor, Log, LogEntry, LogPage } from "../stream/log.ts";
import type { StorePromise } from "./store-promise.ts";
import { mark, StoreReader } from "./store-reader.ts";

export const logPromises: readonly StorePromise[] = [
  {
    name: "a log says whose it is, and of every handle the same",
    async check({ store, log, openAgain }) {
      assert.equal(typeof log?.where, "string");
      const session = await log?.session();
      assert.ok(session !== undefined && session.id !== "");
      assert.equal(await (await openAgain()).sessionId(), session.id);
      assert.equal(await store.sessionId(), session.id);
    },
  },
  {
    name: "reading on from any cursor tells what stands behind it, and reading changes nothing",
    async check({ store, log }) {
      if (log === undefined) return;
      const writer = new StoreReader(store);
      const cursors: Cursor[] = [];
      for (let index = 0; index < 4; index++) {
        await writer.append(mark("w", index));
        cursors.push((await all(log, undefined)).cursor);
      }
      const [first, , , last] = cursors;
      const count = commits((await all(log, undefined)).entries).length;
      assert.equal(count, 4, `reading from the beginning tells ${count} of 4 commits that were acknowledged`);
      assert.deepEqual(
        commits((await all(log, last)).entries),
        [],
        "the last cursor stands before what was told with it",
      );
      const behind = commits((await all(log, first)).entries);
      assert.deepEqual(behind, commits((await all(log, undefined)).entries).slice(-behind.length));
    },
  },
  {
    name: "appending begins with what the caller was not told, and ends when nothing more is asked for",
    async check({ store, log, openAgain }) {
      if (log === undefined) return;
      await new StoreReader(await openAgain()).append(mark("other"));
      await new StoreReader(store).catchUp();
      const told: LogEntry[] = [];
      await log.append(undefined, ({ entries }) => {
        told.push(...entries);
        return { type: "leave" };
      });
      assert.ok(commits(told).length <= 1, "one commit was told more than once");
      const count = commits((await all(log, undefined)).entries).length;
      assert.equal(count, 1, `reading from the beginning tells ${count} commits where 1 was acknowledged`);
    },
  },
  {
    name: "what the next step throws comes out of appending, and leaves the log as it was",
    async check({ store, log }) {
      if (log === undefined) return;
      await new StoreReader(store).append(mark("w"));
      const { cursor } = await all(log, undefined);
      const failure = new Error("made to fail");
      await assert.rejects(
        async () =>
          log.append(cursor, () => {
            throw failure;
          }),
        failure,
      );
      assert.equal((await new StoreReader(store).append(mark("w", 1))).version, 2);
    },
  },
];

async function all(log: Log, after: Cursor): Promise<LogPage> {
  let page: LogPage = { entries: [], cursor: after };
  for await (const { entries, cursor } of log.read(after)) page = { entries: [...page.entries, ...entries], cursor };
  return page;
}

function commits(entries: readonly LogEntry[]): string[] {
  return entries.flatMap((entry) => (entry.kind === "commit" ? entry.data.id : []));
}
