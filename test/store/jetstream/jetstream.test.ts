import { execFile } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { connect, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { commitDataOf } from "../../../src/line/encode.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { withCredentials } from "../../../src/store/jetstream/address.ts";
import { openBroker } from "../../../src/store/jetstream/jetstream-backend.ts";
import { jetStreamCatalog, jetStreamStore } from "../../../src/store/jetstream/jetstream-store.ts";
import { AppendCall } from "../../../src/store/records/append-call.ts";
import { RecordCursor } from "../../../src/store/records/record-cursor.ts";
import { nobody } from "../../../src/stream/delivery.ts";
import type { LogEntry } from "../../../src/stream/log.ts";
import type { JournalStore } from "../../../src/stream/stream-store.ts";
import { testStore } from "../../../src/testing/log-conformance.ts";
import { mark, marksOf, newDraft, readAll, StoreReader } from "../../../src/testing/store-reader.ts";
import { type Program, program } from "../process/spawn.ts";
import { testDueSnapshots } from "../records/due-snapshots.ts";
import { LossyConnection } from "./lossy-connection.ts";
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

testStore({
  test,
  logOf: (store) => store.log,
  createStore: () => open(`s ${++sessions}`),
  openAgain: (store) => open(sessionOf(store)),
  spawnWriter: async (store, name, count) => void (await writer.run(store.where, name, String(count))),
});

testDueSnapshots((session, readonly) => jetStreamStore({ servers: server.servers, session, readonly }));

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
  const journal = await openJournal(`nats://${server.servers[0]}/session-journal#forked`, { strict: true });
  expect(await journal.verify()).toMatchObject({ ok: true, findings: [{ kind: "fork", severity: "note" }] });
  await journal.close();
  await reader.store.close();
  await other.store.close();
});

test("a commit that was made here is not parsed again once the broker has it", async () => {
  const journal = await openJournal(open("made here"));
  const parse = vi.spyOn(JSON, "parse");
  await journal.notes.set("said once");
  const parsed = parse.mock.calls.filter(([text]) => text.includes("said once"));
  parse.mockRestore();
  expect(parsed).toEqual([]);
  expect(journal.state.notes).toBe("said once");
  await journal.close();
});

test("a record that is no record does not count, and strict refuses it by its place", async () => {
  const connection = await connect({ servers: [...server.servers] });
  await connection.request("session-journal.broken", "not JSON");
  await connection.close();
  const store = open("broken");
  expect(await readAll(store)).toEqual([]);
  const strict = jetStreamStore({ servers: server.servers, session: "broken", strict: true });
  await expect(new StoreReader(strict).catchUp()).rejects.toMatchObject({
    code: "corrupt_entry",
    message: expect.stringMatching(/record \d+/),
  });
  await store.close();
  await strict.close();
});

test("a value that another writer sent under the same id is told as it stands", async () => {
  const told = await Promise.all(
    ["theirs", "ours"].map(async (data) => {
      const backend = await openBroker({ servers: server.servers, prefix: "same-id" });
      const entries: LogEntry[] = [];
      const call = new AppendCall({ id: "s" }, new RecordCursor(0), (page) => {
        entries.push(...page.entries);
        const record = { kind: "value", key: "notes", data, id: "x", at: "", turn: 0, version: 1 } as const;
        return entries.length > 0 ? { type: "leave" } : { type: "append", records: [record] };
      });
      await backend.append("s", call);
      await backend.close();
      return entries.map((entry) => entry.kind === "value" && entry.data);
    }),
  );
  expect(told[0]).toEqual(told[1]);
});

/** A connection on which the broker answers what is sent to `subject` as is given, one after the other, and then itself. */
async function answering(subject: string, answers: ((send: () => Promise<Msg>) => Promise<unknown>)[]) {
  const connection = await connect({ servers: [...server.servers] });
  const request: NatsConnection["request"] = (to, data, options) => {
    const send = () => connection.request(to, data, options);
    const answer = to === subject ? answers.shift() : undefined;
    return answer === undefined ? send() : (answer(send) as Promise<Msg>);
  };
  return new Proxy(connection, {
    get(target, name) {
      if (name === "request") return request;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

const silently = () => Promise.reject(new Error("timeout"));
const refusing = (code: number, err_code: number) => async () => ({
  data: Buffer.from(JSON.stringify({ error: { code, err_code, description: "refused" } })),
});

test("what a cluster is still storing, or had too much to do to store, is looked for and not refused", async () => {
  let stored: Promise<Msg> | undefined;
  const inProcess = async (send: () => Promise<Msg>): Promise<unknown> => {
    stored = sleep(50).then(send);
    return refusing(409, 10158)();
  };
  const connection = await answering("slow.s", [refusing(429, 10167), silently, inProcess, refusing(409, 10158)]);
  const store = jetStreamStore({ connection, servers: [], prefix: "slow", session: "s" });
  await new StoreReader(store).append(mark("w", 0));
  await stored;
  expect(marksOf(await readAll(store))).toEqual(["w 0"]);
  await connection.close();
});

test.each<[string, ((close: () => Promise<void>) => Promise<unknown>)[], string]>([
  ["that had not answered before", [silently, refusing(400, 10054)], "unknown"],
  ["that refuses at once", [refusing(400, 10054)], "not-written"],
  ["whose connection is closed before it answers", [(close) => close().then(silently)], "unknown"],
])("of a broker %s, nobody is told more than is known", async (_, answers, fate) => {
  const close = (): Promise<void> => connection.close();
  const connection = await answering(
    "fates.s",
    answers.map((answer) => () => answer(close)),
  );
  const store = jetStreamStore({ connection, servers: [], prefix: "fates", session: "s", waitMs: 2000 });
  await expect(new StoreReader(store).append(mark("w", 0))).rejects.toMatchObject({ code: "storage", fate });
  await connection.close();
});

test("a checkpoint that somebody forged on the broker is found by verify", async () => {
  const store = open("forged");
  const journal = await openJournal(store);
  await journal.notes.set("true notes");
  await journal.snapshot();
  const { checkpoint } = store.log;
  const [body = ""] = (await checkpoint?.load())?.split("\n") ?? [];
  expect((await journal.verify()).findings).toEqual([]);
  await journal.close();
  const forged = body.replace("true notes", "forged");
  const other = open("forged");
  await other.log.checkpoint?.save(`${forged}\n${forged}\n`);
  const again = await openJournal(other);
  expect(again.state.notes).toBe("forged");
  expect(await again.verify()).toMatchObject({ ok: false, findings: [{ kind: "snapshot", severity: "damage" }] });
  await again.close();
});

test.each(["the same handle", "another handle", "a handle that goes on from a snapshot, after others wrote"])(
  "a record whose answer was lost with the connection stands there once, and %s answers its command with the truth",
  async (sender) => {
    const lossy = new LossyConnection(server.servers[0] as string);
    const session = `lost answer, ${sender}`;
    const store = jetStreamStore({ servers: [await lossy.listen()], session, waitMs: 5000 });
    const journal = await openJournal(store);
    await journal.notes.set("before");
    lossy.breaksAfter = "in doubt";
    const action = { action: "append_notes", content: "in doubt" } as const;
    const first = await journal.apply(action, { command: "c" }).catch((error: unknown) => error);
    lossy.breaksAfter = undefined;
    const other = await openJournal(open(session));
    if (sender.includes("snapshot")) {
      await other.plan.set("theirs");
      await other.snapshot();
    }
    const retrying = sender === "the same handle" ? journal : await openJournal(open(session));
    expect(await retrying.apply(action, { command: "c" })).toMatchObject({ ok: true, version: 2 });
    expect(first).toMatchObject(
      first instanceof Error ? { code: "storage", fate: "unknown" } : { ok: true, version: 2 },
    );
    expect([retrying.state.notes, (await retrying.verify()).findings]).toEqual(["before\nin doubt", []]);
    await Promise.all([retrying.close(), other.close(), journal.close()]);
    await lossy.stop();
  },
);

test("a newest record that is no record keeps no other session from being listed", async () => {
  const catalog = jetStreamCatalog({ servers: server.servers, prefix: "listed" });
  const writer = new StoreReader(catalog.open("whole"));
  await writer.append(mark("w", 0));
  const connection = await connect({ servers: [...server.servers] });
  await connection.request("listed.broken", "not JSON");
  await connection.close();
  const sessions: string[] = [];
  for await (const { session } of catalog.list()) sessions.push(session);
  expect(sessions).toEqual(["whole"]);
  await catalog.close();
});

test("a snapshot that is longer than what the broker takes is refused with its size, and the one that is there stays", async () => {
  const store = open("long snapshot");
  const { log } = store;
  await log.checkpoint?.save("short");
  await expect(log.checkpoint?.save("x".repeat(1 << 20))).rejects.toMatchObject({
    code: "storage",
    fate: "not-written",
    message:
      "the snapshot is 1048576 bytes, more than the 1047552 that this broker takes: raise its max_payload; the journal works without",
  });
  expect(await log.checkpoint?.load()).toBe("short");
  await store.close();
});

test("where old records are dropped, verification says which and what stands for them", async () => {
  const where = `nats://${server.servers[0]}/kept#s`;
  const retention = { maxMessagesPerSession: 2 };
  await jetStreamStore({ servers: server.servers, prefix: "kept", session: "s", retention }).catchUp(undefined, nobody);
  const journal = await openJournal(where, { strict: true });
  for (const text of ["one", "two", "three"]) await journal.refs.add(text);
  const early = journal.head;
  expect(await journal.verify()).toMatchObject({
    ok: false,
    findings: [{ kind: "gap", detail: expect.stringContaining("up to version 1") }],
  });
  await journal.snapshot();
  for (const text of ["four", "five"]) await journal.refs.add(text);
  const { head } = journal;
  const again = await openJournal(where, { strict: true });
  expect(again.state.refs).toEqual(["one", "two", "three", "four", "five"]);
  const looks = [() => again.at("v4"), () => again.at("t0"), () => again.diff("v4"), () => again.restore("v4")];
  for (const look of looks) {
    await expect(look()).rejects.toMatchObject({
      code: "bad_point",
      message: expect.stringContaining("version 3 are"),
    });
  }
  expect((await again.at("head")).state.refs).toEqual(again.state.refs);
  expect(await again.verify({ head })).toMatchObject({
    ok: true,
    findings: [{ kind: "inherited", severity: "note", detail: expect.stringMatching(/version 3, .*version 3 stands/) }],
    head,
  });
  expect((await again.verify({ head: early })).ok).toBe(true);
  await again.refs.add("six");
  const findings = [{ kind: "gap", detail: expect.stringContaining("does not reach so far") }];
  expect(await again.verify()).toMatchObject({ ok: false, findings });
  await journal.close();
  await again.close();
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

test("a server that never speaks is given up, and no socket to it is left open", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  const ended = new Promise<void>((resolve) => {
    silent.on("connection", (socket) =>
      socket
        .on("error", () => undefined)
        .on("close", () => resolve())
        .resume(),
    );
  });
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const store = jetStreamStore({ servers: `127.0.0.1:${port}`, session: "s", waitMs: 50 });
  await expect(readAll(store)).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  await ended;
  silent.close();
});

test("a password in front of a server is used as one, and stands in no message", async () => {
  const servers = ["nats://ann:p%40ss@127.0.0.1:1", "127.0.0.1:1"];
  expect(withCredentials({ servers })).toEqual({
    servers: ["nats://127.0.0.1:1", "127.0.0.1:1"],
    credentials: { user: "ann", password: "p@ss" },
  });
  expect(withCredentials({ servers: "tls://ann:p%40ss@127.0.0.1:1" }).servers).toEqual(["tls://127.0.0.1:1"]);
  const own = withCredentials({ servers, credentials: { token: "t" } });
  expect(own.credentials).toEqual({ token: "t" });
  const away = jetStreamStore({ servers, session: "s", waitMs: 200 });
  const error = await readAll(away).catch((thrown: unknown) => thrown as Error);
  expect(`${away.where} ${error}`).not.toContain("p%40ss");
});

test("reading makes no stream", async () => {
  const store = jetStreamStore({ servers: server.servers, prefix: "absent", session: "s", readonly: true });
  await expect(readAll(store)).rejects.toMatchObject({ code: "storage", message: expect.stringContaining("absent") });
  await store.close();
});

/** These are near the end, for they start the server anew. */
test("a writer whose broker has lost the newest records starts over, and appends again what was acknowledged", async () => {
  const store = jetStreamStore({ servers: server.servers, prefix: "crashed", session: "s", waitMs: 1500 });
  const writer = await openJournal(store);
  for (const ref of ["a", "b"]) await writer.refs.add(ref);
  const connection = await connect({ servers: [...server.servers] });
  await connection.request("$JS.API.STREAM.MSG.DELETE.crashed", JSON.stringify({ seq: 2 }));
  await connection.close();
  const [node] = server.nodes;
  await node?.kill();
  await node?.start();
  // What is sent before the connection is there again may have arrived: that is said to the caller.
  await writer.refresh();
  await writer.refs.add("c");
  const reader = await openJournal(`nats://${server.servers[0]}/crashed#s`, { readonly: true });
  const refs = ["a", "b", "c"];
  expect([writer.state.refs, reader.state.refs]).toEqual([refs, refs]);
  for (const each of [writer, reader, store]) await each.close();
});

/** As a power cut does: the server comes back as it was when it was `kept`. */
async function losing(kept: string): Promise<void> {
  const [node] = server.nodes;
  await node?.kill();
  fs.rmSync(node?.store ?? kept, { recursive: true });
  fs.renameSync(kept, node?.store ?? kept);
  await node?.start();
}

async function keptNow(): Promise<string> {
  const [node] = server.nodes;
  const kept = `${node?.store}.kept`;
  await node?.kill();
  fs.cpSync(node?.store ?? kept, kept, { recursive: true });
  await node?.start();
  return kept;
}

test.each([
  ["another in its place", ["other"]],
  ["more than were lost", ["other", "others"]],
])("a writer whose broker has lost the newest record, and has %s by now, decides on those", async (_, others) => {
  const servers = [...server.servers];
  const [connection, session] = [await connect({ servers, reconnectTimeWait: 50 }), `replaced by ${others.length}`];
  const store = jetStreamStore({ connection, servers, session, waitMs: 1500 });
  const writer = await openJournal(store);
  await writer.refs.add("a");
  const kept = await keptNow();
  await writer.refresh();
  await writer.refs.add("b");
  const reconnected = (async () => {
    for await (const { type } of connection.status()) if (type === "reconnect") return;
  })();
  await losing(kept);
  await reconnected;
  const where = `nats://${server.servers[0]}/session-journal#${session}`;
  const other = await openJournal(where);
  for (const ref of others) expect(await other.refs.add(ref)).toMatchObject({ ok: true });
  await writer.refs.add("c");
  const reader = await openJournal(where, { readonly: true });
  const refs = ["a", ...others, "b", "c"];
  expect([writer.state.refs, reader.state.refs]).toEqual([refs, refs]);
  expect(await reader.verify()).toMatchObject({ ok: true, findings: [] });
  for (const each of [writer, other, reader, store, connection]) await each.close();
});

test("the example of the documents runs", async () => {
  const example = path.resolve(import.meta.dirname, "../../../examples/jetstream.mjs");
  const env = { ...process.env, NATS_SERVERS: server.servers.join(",") };
  const { stdout } = await promisify(execFile)(process.execPath, [example], { env });
  expect(stdout).toBe("notes set: 14/4000 chars used\n");
});
