import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RecordedEvent } from "../../../src/event/event.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { postgresCatalog, postgresStore } from "../../../src/store/postgres/postgres-store.ts";
import type { StreamStore } from "../../../src/stream/stream-store.ts";
import { mark, marksOf, readAll, StoreReader } from "../../../src/testing/store-reader.ts";
import { program } from "../process/spawn.ts";
import { LossyPool } from "./lossy-pool.ts";
import { type PostgresServer, sql, startPostgres } from "./postgres-server.ts";

const isFull = process.env["SESSION_JOURNAL_FULL"] === "1";
const patienceMs = 120_000;

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server?.stop();
});

const open = (session: string): StreamStore => postgresStore({ database: server.address, session });

test("32 writers of one session all get on, none fails and none is left behind", async () => {
  const catalog = postgresCatalog({ database: server.address });
  const each = isFull ? 60 : 4;
  const finished: number[] = [];
  const writers = Array.from({ length: 32 }, () => new StoreReader(catalog.open("crowded")));
  // Who is connected later on a busy machine was not left behind by the others.
  await Promise.all(writers.map((writing, index) => writing.append(mark(`w${index}`, 0))));
  await Promise.all(
    writers.map(async (writing, index) => {
      for (let round = 1; round < each; round++) {
        await writing.append(mark(`w${index}`, round));
        finished.push(index);
      }
      await writing.store.close();
    }),
  );
  const marks = marksOf(await readAll(catalog.open("crowded")));
  expect([marks.length, new Set(marks).size]).toEqual([32 * each, 32 * each]);
  const half = finished.slice(0, finished.length / 2);
  const shares = Array.from({ length: 32 }, (_, index) => half.filter((who) => who === index).length);
  expect(Math.min(...shares)).toBeGreaterThan(0);
  await catalog.close();
});

test.each([
  ["was carried out", true],
  ["was not carried out", false],
])("an append whose answer was lost and %s is looked for, and stands there once", async (_, isDone) => {
  const pool = new LossyPool(server.address);
  const where = `lost answer ${isDone}`;
  const journal = await openJournal(postgresStore({ database: pool, session: where }));
  await journal.notes.set("before");
  pool.loss = { statement: /^WITH guard/, isDone, times: 1 };
  expect(await journal.apply({ action: "append_notes", content: "once" })).toMatchObject({ ok: true, version: 2 });
  expect(notesOf(await readAll(open(where)))).toEqual(["before", "once"]);
  await journal.close();
  await pool.end();
});

test.each([
  ["was carried out", true],
  ["was not carried out", false],
])(
  "a writer that never hears what became of it says so, where it %s, and its command tells the truth",
  async (_, isDone) => {
    const pool = new LossyPool(server.address);
    const session = `in doubt ${isDone}`;
    const store = postgresStore({ database: pool, session, waitMs: 100 });
    const journal = await openJournal(store);
    await journal.notes.set("before");
    pool.loss = { statement: /^WITH guard|^BEGIN/, isDone, times: Number.POSITIVE_INFINITY };
    const action = { action: "append_notes", content: "in doubt" } as const;
    await expect(journal.apply(action, { command: "c" })).rejects.toMatchObject({
      code: "storage",
      fate: "unknown",
      message: expect.stringContaining("try again with the same command"),
    });
    const other = await openJournal(`${server.address}#${session}`);
    expect(other.version).toBe(isDone ? 2 : 1);
    const answer = await other.apply(action, { command: "c" });
    expect(answer).toMatchObject({ ok: true, version: 2 });
    pool.loss = undefined;
    expect(await journal.apply(action, { command: "c" })).toEqual(answer);
    expect([journal.state.notes, journal.version]).toEqual(["before\nin doubt", 2]);
    await Promise.all([journal.close(), other.close()]);
    await store.close();
    await pool.end();
  },
);

test("a pooler that knows no named statements is noticed once, and nothing is lost or done twice", async () => {
  const pool = new LossyPool(server.address);
  const [one, two] = await Promise.all(
    [1, 2].map(() => openJournal(postgresStore({ database: pool, session: "pooled" }))),
  );
  await one?.notes.append("one");
  await one?.notes.append("two");
  pool.isForgetful = true;
  for (const journal of [two, one, two, one]) await journal?.notes.append("more");
  const known = pool.named;
  await one?.notes.append("last");
  await two?.refresh();
  expect([two?.state.notes, two?.version]).toEqual(["one\ntwo\nmore\nmore\nmore\nmore\nlast", 7]);
  expect([known > 4, pool.named - known]).toEqual([true, 0]);
  await Promise.all([one?.close(), two?.close()]);
  await pool.end();
});

test.each([
  ["short", "lost.ts"],
  ["long", "lost.ts".repeat(500)],
])(
  "a %s record that was acknowledged by a server whose follower took over without it is put back, behind what came instead",
  async (kind, lost) => {
    const session = `failed-over-${kind}`;
    const where = `${server.address}#${session}`;
    const journal = await openJournal(where);
    for (const ref of ["kept.ts", lost]) await journal.refs.add(ref);
    await sql(
      server.address,
      `DELETE FROM session_journal.records WHERE session = '${session}' AND place = 2;
    UPDATE session_journal.sessions SET place = 1, version = 1 WHERE session = '${session}'`,
    );
    const other = await openJournal(where);
    expect(other.state.refs).toEqual(["kept.ts"]);
    await other.refs.add("instead.ts");
    await journal.refs.add("next.ts");
    await other.refresh();
    expect(other.state.refs).toEqual(["kept.ts", "instead.ts", lost, "next.ts"]);
    expect(await other.verify()).toMatchObject({ ok: true });
    await Promise.all([journal.close(), other.close()]);
  },
);

test("a follower goes on when the connection that it listens on is ended", async () => {
  const catalog = postgresCatalog({ database: server.address });
  const writing = new StoreReader(open("followed"));
  let wakes = 0;
  const unwatch = await catalog.watch((session) => {
    if (session === "followed") wakes += 1;
  });
  await sql(server.address, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
  await writing.append(mark("w", 0));
  while (wakes === 0) await sleep(20);
  await unwatch();
  await writing.store.close();
  await catalog.close();
});

test("more journals are followed by a pool than it has connections, and one without a free connection says so", async () => {
  const pool = new pg.Pool({ connectionString: server.address, max: 2 });
  const stores = [1, 2, 3].map((each) => postgresStore({ database: pool, session: `shared ${each}`, waitMs: 1500 }));
  const journals = await Promise.all(stores.map((store) => openJournal(store, { follow: true })));
  const other = await openJournal(stores[0] as StreamStore);
  const taken = await pool.connect();
  await expect(other.notes.set("no way")).rejects.toMatchObject({
    code: "storage",
    fate: "not-written",
    message: expect.stringMatching(
      /no connection of the pool became free or could be made in \d+ ms\): give the pool more connections/,
    ),
  });
  taken.release();
  await other.notes.set("heard");
  await expect.poll(() => journals[0]?.state.notes, { timeout: patienceMs }).toBe("heard");
  for (const journal of [...journals, other]) await journal.close();
  for (const store of stores) await store.close();
  await pool.end();
});

test("by a pool whose server has gone silent, an append is told that its fate is unknown, and a follower can be closed", async () => {
  const pool = new LossyPool(server.address);
  const store = postgresStore({ database: pool, session: "silent", waitMs: 100 });
  const journal = await openJournal(store, { follow: true });
  await journal.notes.set("before");
  pool.isSilent = true;
  await expect(journal.notes.set("no answer")).rejects.toMatchObject({
    code: "storage",
    fate: "unknown",
    message: expect.stringContaining("the server gave no answer in"),
  });
  await journal.close();
  await store.close();
  await pool.end();
  const other = await openJournal(`${server.address}#silent`);
  expect(other.state.notes).toBe("before");
  await other.close();
});

test("a follower of a server that has gone silent is closed before the patience with its poll is over, and keeps no connection", async () => {
  const pool = new LossyPool(server.address);
  const store = postgresStore({ database: pool, session: "closing", waitMs: 3_600_000 });
  const journal = await openJournal(store, { follow: true });
  await journal.notes.set("before");
  pool.isSilent = true;
  await expect.poll(() => pool.unanswered, { timeout: patienceMs }).toBeGreaterThan(0);
  await journal.close();
  await store.close();
  await pool.end();
  expect(pool.unanswered).toBeLessThanOrEqual(2);
});

test("who holds a session's lock for too long is waited for, and then told; nothing is written", async () => {
  const store = postgresStore({ database: server.address, session: "held", waitMs: 1500 });
  const writing = new StoreReader(store);
  await writing.append(mark("w", 0));
  const client = new pg.Client({ connectionString: server.address });
  await client.connect();
  await client.query("BEGIN; SELECT FROM session_journal.sessions WHERE session = 'held' FOR UPDATE");
  await expect(writing.append(mark("w", 1))).rejects.toMatchObject({ code: "lock_timeout" });
  await client.query("ROLLBACK");
  await client.end();
  await writing.append(mark("w", 2));
  expect(marksOf(await readAll(store))).toEqual(["w 0", "w 2"]);
  await store.close();
});

test(
  "writers go on through a server that is killed: nothing acknowledged is lost, and nothing is there twice",
  async () => {
    const [writers, streams, rounds] = isFull ? [8, 6, 8] : [2, 3, 1];
    const many = await program("../postgres/write-many.ts");
    await open("raced 0").sessionId();
    const untilMs = isFull ? 20_000 : 1600;
    const running = Array.from({ length: writers }, (_, index) =>
      many.run(server.address, `w${index}`, String(streams), String(untilMs)),
    );
    for (let round = 0; round < rounds; round++) {
      await sleep(isFull ? 1500 : 800);
      await server.kill();
      await server.start();
    }
    const told = (await Promise.all(running)).map(
      (out) => JSON.parse(out) as Record<"acknowledged" | "unknown", string[]>,
    );
    many.remove();
    const acknowledged = told.flatMap((each) => each.acknowledged);
    const doubtful = new Set(told.flatMap((each) => each.unknown));
    expect(acknowledged.length).toBeGreaterThan(writers * streams);
    const found: string[] = [];
    for (let index = 0; index < streams; index++) {
      const journal = await openJournal(`${server.address}#raced ${index}`, { strict: true });
      expect(await journal.verify()).toMatchObject({ ok: true, findings: [] });
      await journal.close();
      const store = open(`raced ${index}`);
      found.push(...marksOf(await readAll(store)));
      await store.close();
    }
    expect(new Set(found).size).toBe(found.length);
    const there = new Set(found);
    expect(acknowledged.filter((text) => !there.has(text))).toEqual([]);
    const known = new Set(acknowledged);
    expect(found.filter((text) => !known.has(text) && !doubtful.has(text))).toEqual([]);
  },
  patienceMs,
);

function notesOf(events: readonly RecordedEvent[]): string[] {
  return events.flatMap(({ event }) => ("text" in event && event.text !== undefined ? [event.text] : []));
}
