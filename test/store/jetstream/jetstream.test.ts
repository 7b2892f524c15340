import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commitDataOf } from "../../../src/line/encode.ts";
import { jetStreamStore } from "../../../src/store/jetstream/jetstream-store.ts";
import type { JournalStore } from "../../../src/store/store.ts";
import { testJournalStore } from "../../../src/testing/store-conformance.ts";
import { mark, marksOf, newDraft, readAll, StoreReader } from "../../../src/testing/store-reader.ts";
import { type Program, program } from "../process/spawn.ts";
import { type NatsCluster, startServer } from "./nats-server.ts";

let server: NatsCluster;
let writer: Program;
beforeAll(async () => {
  [server, writer] = await Promise.all([startServer(), program("write-marks.ts")]);
});
afterAll(async () => {
  writer?.remove();
  await server?.stop();
});

let sessions = 0;
const sessionOf = (store: JournalStore): string => store.where.split("#")[1] as string;
const open = (session: string): JournalStore => jetStreamStore({ servers: server.servers, session });

testJournalStore({
  test,
  createStore: () => open(`s ${++sessions}`),
  openAgain: (store) => open(sessionOf(store)),
  spawnWriter: async (store, name, count) => void (await writer.run(store.where, name, String(count))),
  supports: { shared: true, snapshots: true, lines: false },
});

test("of two records that name the same predecessor the first counts, for readers and for the writer of the second", async () => {
  const reader = new StoreReader(open("forked"));
  await reader.append(mark("w", 0));
  const end = await reader.catchUp();
  const connection = await connect({ servers: [...server.servers] });
  for (const writer of ["first", "second"]) {
    const data = commitDataOf(newDraft(mark(writer)), end, "file");
    await connection.request("session-journal.forked", JSON.stringify({ kind: "commit", turn: 0, data }));
  }
  await connection.close();
  const other = new StoreReader(open("forked"));
  await other.append(mark("w", 1));
  await reader.catchUp();
  expect(marksOf(reader.events)).toEqual(["w 0", "first 0", "w 1"]);
  expect(await readAll(other.store)).toEqual(reader.events);
  await reader.store.close();
  await other.store.close();
});

test("a record that is no record is refused by its place", async () => {
  const connection = await connect({ servers: [...server.servers] });
  await connection.request("session-journal.broken", "not JSON");
  await connection.close();
  const store = open("broken");
  await expect(readAll(store)).rejects.toMatchObject({
    code: "corrupt_entry",
    message: expect.stringMatching(/record \d+/),
  });
  await store.close();
});

test("where the owner wants old records dropped, a snapshot stands for them", async () => {
  const store = jetStreamStore({
    servers: server.servers,
    prefix: "kept.two",
    session: "s",
    retention: { maxAgeMs: 60_000, maxMessagesPerSession: 2 },
  });
  const writer = new StoreReader(store);
  for (let index = 0; index < 3; index++) await writer.append(mark("w", index));
  const snapshot = { end: await writer.catchUp(), state: writer.state };
  await store.saveSnapshot?.(snapshot);
  await writer.append(mark("w", 3));
  await writer.append(mark("w", 4));
  const again = jetStreamStore({ servers: server.servers, prefix: "kept.two", session: "s" });
  expect((await again.loadSnapshot?.())?.state).toEqual(snapshot.state);
  const rest = new StoreReader(again, snapshot.end);
  await rest.catchUp();
  expect([marksOf(rest.events), rest.resets]).toEqual([["w 3", "w 4"], 0]);
  await store.close();
  await again.close();
});

test("a broker that is not there, and a prefix that cannot be, are told apart", async () => {
  const away = jetStreamStore({ servers: "127.0.0.1:1", session: "s", waitMs: 200 });
  await expect(readAll(away)).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  const odd = jetStreamStore({ servers: server.servers, session: "s", prefix: "a b" });
  await expect(readAll(odd)).rejects.toBeInstanceOf(TypeError);
});

test("reading makes no stream", async () => {
  const store = jetStreamStore({ servers: server.servers, prefix: "absent", session: "s", readonly: true });
  await expect(readAll(store)).rejects.toMatchObject({ code: "storage", message: expect.stringContaining("absent") });
  await store.close();
});

test("the example of the documents runs", async () => {
  const example = path.resolve(import.meta.dirname, "../../../examples/jetstream.mjs");
  const env = { ...process.env, NATS_SERVERS: server.servers.join(",") };
  const { stdout } = await promisify(execFile)(process.execPath, [example], { env });
  expect(stdout).toBe("notes set: 14/4000 chars used\n");
});
