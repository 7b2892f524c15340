import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openBroker } from "../../../src/store/jetstream/jetstream-backend.ts";
import { jetStreamStore } from "../../../src/store/jetstream/jetstream-store.ts";
import { brokerNames } from "../../../src/store/jetstream/names.ts";
import { pullFrom, SubjectReader } from "../../../src/store/jetstream/subject-reader.ts";
import { TurnMessages, type TurnOptions } from "../../../src/store/jetstream/turn-messages.ts";
import { Turns } from "../../../src/store/jetstream/turns.ts";
import { AppendCall } from "../../../src/store/records/append-call.ts";
import { type KeptRecord, RecordCursor } from "../../../src/store/records/record-cursor.ts";
import { mark, marksOf, readAll, StoreReader } from "../../../src/testing/store-reader.ts";
import { type NatsCluster, startServer } from "./nats-server.ts";

const waitMs = 4000;

function messagesOf(connection: NatsConnection, prefix: string, options?: TurnOptions): TurnMessages {
  return new TurnMessages({ connection, manager: jetstreamManager(connection), names: brokerNames(prefix) }, options);
}

let server: NatsCluster;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server?.stop());

test("the broker hands the turn to whoever asked first, and to one at a time", async () => {
  const connections = await Promise.all([1, 2, 3].map(() => connect({ servers: [...server.servers] })));
  const [first, second, third] = connections.map((each) => messagesOf(each, "turns"));
  const reply = await first?.take("turns.s", waitMs);
  const order: string[] = [];
  const waiting: Promise<unknown>[] = [];
  for (const [name, messages] of Object.entries({ second, third })) {
    const others = (await messages?.users("turns.s").catch(() => 0)) ?? 0;
    waiting.push(
      (messages as TurnMessages).take("turns.s", waitMs).then((given) => {
        order.push(name);
        return messages?.giveBack(given ?? "");
      }),
    );
    while ((await first?.users("turns.s")) === others);
  }
  expect(order).toEqual([]);
  await first?.giveBack(reply ?? "");
  await Promise.all(waiting);
  expect(order).toEqual(["second", "third"]);
  await Promise.all(connections.map((each) => each.close()));
});

test("no turn is waited for longer than was asked, and whoever is gone loses it", async () => {
  const connection = await connect({ servers: [...server.servers] });
  const held = messagesOf(connection, "held", { lostMs: 60_000 });
  expect(await held.take("held.s", waitMs)).toBeTypeOf("string");
  expect(await held.take("held.s", 20)).toBeUndefined();
  const messages = messagesOf(connection, "lost", { lostMs: 50 });
  expect(await messages.take("lost.s", waitMs)).toBeTypeOf("string");
  expect(await messages.take("lost.s", waitMs)).toBeTypeOf("string");
  const careful = messagesOf(connection, "unmade", { create: false });
  await expect(careful.take("unmade.s", waitMs)).rejects.toThrow("stream not found");
  await connection.close();
});

test.each([false, true])("writers lose and repeat nothing, with turns and without (%s)", async (isRefused) => {
  const prefix = `crowd-${isRefused}`;
  const connection = await connect({ servers: [...server.servers] });
  const config = { name: `${prefix}_turns`, subjects: ["other.>"], storage: "memory" };
  if (isRefused) await connection.request(`$JS.API.STREAM.CREATE.${prefix}_turns`, JSON.stringify(config));
  const stores = ["a", "b", "c"].map((name) => ({
    name,
    store: jetStreamStore({ servers: server.servers, prefix, session: "s" }),
  }));
  const marks = await Promise.all(
    stores.map(async ({ name, store }) => {
      const writer = new StoreReader(store);
      const written = Array.from({ length: 24 }, (_, index) => mark(name, index));
      for (const each of written) await writer.append(each);
      return written.map((_, index) => `${name} ${index}`);
    }),
  );
  const [reader] = stores;
  const found = marksOf(await readAll((reader as (typeof stores)[0]).store));
  expect(found.toSorted()).toEqual(marks.flat().toSorted());
  await Promise.all(stores.map(({ store }) => store.close()));
  await connection.close();
});

test("an append that fails in its turn lets the next one have it", async () => {
  const options = { servers: server.servers, prefix: "failing" };
  const connection = await connect({ servers: [...server.servers] });
  const messages = messagesOf(connection, "failing");
  const store = jetStreamStore({ ...options, session: "s" });
  await new StoreReader(store).append(mark("a", 0));
  const subject = "failing.s";
  const reply = await messages.take(subject, waitMs);
  const backend = await openBroker(options);
  let pages = 0;
  const call = new AppendCall({ id: "s" }, new RecordCursor(0), ({ entries }) => {
    pages += entries.length;
    if (pages > 0) throw new Error("refused");
    return {
      type: "append",
      records: [{ kind: "value", key: "notes", data: "x", id: "x", at: "", turn: 0, version: 1 }],
    };
  });
  const failing = expect(backend.append("s", call)).rejects.toThrow("refused");
  while ((await messages.users(subject)) < 2);
  await messages.giveBack(reply ?? "");
  await failing;
  // The broker would take it back only after a second.
  expect(await messages.take(subject, 500)).toBeTypeOf("string");
  await backend.close();
  await store.close();
  await connection.close();
});

/** Turns over a broker that has one at once, and remembers what came back. */
function turnsOf(take: () => Promise<string | undefined>) {
  const taken: string[] = [];
  const messages = {
    take: async () => {
      const reply = await take();
      if (reply !== undefined) taken.push("taken");
      return reply;
    },
    giveBack: async () => void taken.push("given back"),
    users: async () => 1,
    forget: () => undefined,
  };
  return { turns: new Turns(messages as unknown as TurnMessages), taken };
}

const appendIn = async (turns: Turns): Promise<number | undefined> => {
  const turn = await turns.begin("s", waitMs);
  if (turn !== undefined) turns.end("s", turn);
  return turn?.appends;
};

test("a turn takes a few appends, and ends", async () => {
  const { turns, taken } = turnsOf(async () => "reply");
  let appends = 0;
  for (; !taken.includes("given back"); appends++) expect(await appendIn(turns)).toBe(appends);
  expect(appends).toBeLessThanOrEqual(32);
  expect(await appendIn(turns)).toBe(0);
  await turns.close();
  expect(taken).toEqual(["taken", "given back", "taken", "given back"]);
});

test("whoever waited long for its turn, since many wait, has a shorter one", async () => {
  const appendsAfter = async (waitedMs: number): Promise<number> => {
    let nowMs = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    const { turns, taken } = turnsOf(async () => {
      nowMs += waitedMs;
      return "reply";
    });
    let appends = 0;
    for (; !taken.includes("given back"); appends++) await appendIn(turns);
    clock.mockRestore();
    return appends;
  };
  expect([await appendsAfter(100), await appendsAfter(1000)]).toEqual([32, 8]);
});

test("of two handles of a process each has a turn of its own, and both are given back", async () => {
  const { turns, taken } = turnsOf(async () => "reply");
  const both = [await turns.begin("s", waitMs), await turns.begin("s", waitMs)];
  for (const turn of both) turns.end("s", turn as NonNullable<typeof turn>);
  await turns.close();
  expect(taken).toEqual(["taken", "taken", "given back", "given back"]);
});

test("a turn that nobody uses is given back, and where there is none it is not asked for again at once", async () => {
  const { turns, taken } = turnsOf(async () => "reply");
  await appendIn(turns);
  while (taken.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(taken).toEqual(["taken", "given back"]);
  let asked = 0;
  const none = turnsOf(async () => {
    asked += 1;
    throw new Error("no rights");
  });
  expect(await none.turns.begin("s", waitMs)).toBeUndefined();
  expect(await none.turns.begin("s", waitMs)).toBeUndefined();
  expect(asked).toBe(1);
});

test("a writer without a pause notices that others wait for their turn", async () => {
  const { turns } = turnsOf(async () => "reply");
  let appends = 0;
  while (!(await turns.areTaken("s"))) appends += 1;
  expect(appends).toBeGreaterThan(0);
  expect(appends).toBeLessThanOrEqual(16);
  turns.areOver("s");
  expect(await turns.areTaken("s")).toBe(false);
});

const records = (...places: number[]): KeptRecord[] => places.map((place) => ({ place, json: `${place}` }));

function readerOf(batches: readonly (readonly KeptRecord[])[]): SubjectReader {
  const left = [...batches];
  return new SubjectReader(async () => left.shift() ?? [], 4, 60_000);
}

test("what was missed is told up to the newest, without what is known", async () => {
  const reader = readerOf([records(5, 7), [], records(9), records(12)]);
  expect(await reader.read(5, 9, 10)).toEqual(records(7, 9));
  expect(await reader.read(9, 12, 10)).toEqual(records(12));
});

test("a broker that says that there is more, and sends nothing, is not waited for without end", async () => {
  const reader = new SubjectReader(async () => [], 4, 20);
  await expect(reader.read(4, 7, 10)).rejects.toThrow("no record came after place 4");
});

test("who does not know how many there are takes all that is there, and waits for no more", async () => {
  const many = records(...Array.from({ length: 8 }, (_, index) => 5 + index));
  expect(await readerOf([many, records(13)]).read(4, 0, 10)).toEqual([...many, ...records(13)]);
  const reader = readerOf([records(5, 7), [], records(9)]);
  expect(await reader.read(5, 0, 10)).toEqual(records(7));
  expect(await reader.read(7, 0, 10)).toEqual([]);
  expect(await reader.read(7, 9, 10)).toEqual(records(9));
});

test("a record that was lost on its way is not passed over", async () => {
  const connection = await connect({ servers: [...server.servers] });
  const manager = jetstreamManager(connection);
  const names = brokerNames("pulled");
  await (await manager).streams.add({ name: names.stream, subjects: [names.subjects] });
  for (const text of ["a", "b", "c", "d"]) await connection.request("pulled.s", text);
  const config = { ack_policy: "none", name: "c" } as const;
  await (await manager).consumers.add(names.stream, config);
  const pull = pullFrom(connection, names.stream, "c");
  expect(await pull(1)).toMatchObject([{ place: 1, json: "a" }]);
  const asked = { timeout: waitMs, noMux: true };
  await connection.request(`$JS.API.CONSUMER.MSG.NEXT.${names.stream}.c`, "1", asked);
  await expect(pull(9)).rejects.toThrow("record 2 of those behind the place did not come");
  await (await manager).consumers.add(names.stream, { ...config, name: "d" });
  const again = pullFrom(connection, names.stream, "d");
  expect((await again(9)).map(({ place }) => place)).toEqual([1, 2, 3, 4]);
  expect(await again(9)).toEqual([]);
  await connection.close();
});

test("no more is told than was asked for, and what is left comes the next time", async () => {
  const reader = readerOf([records(5, 7), records(8, 9), records(12)]);
  expect(await reader.read(4, 12, 2)).toEqual(records(5, 7));
  expect(await reader.read(7, 12, 10)).toEqual(records(8, 9, 12));
});

/** Near the end, for it starts the server anew, which then has neither turns nor consumers. */
test("nobody waits for what a server has forgotten when it was started anew", async () => {
  const connection = await connect({ servers: [...server.servers], reconnectTimeWait: 50, maxReconnectAttempts: -1 });
  const messages = messagesOf(connection, "anew");
  expect(await messages.take("anew.s", waitMs)).toBeTypeOf("string");
  const store = jetStreamStore({ servers: server.servers, prefix: "anew", session: "s" });
  const writer = new StoreReader(store);
  for (const index of [0, 1, 2]) await writer.append(mark("a", index));
  const backend = await openBroker({ servers: [], connection, prefix: "anew" });
  const pulled = vi.spyOn(connection, "requestMany");
  const [last] = ((await backend.after("s", new RecordCursor(0), 10)) ?? []).slice(-1);
  const id = connection.info?.server_id;
  await server.nodes[0]?.kill();
  await server.nodes[0]?.start();
  while (connection.info?.server_id === id) await new Promise((resolve) => setTimeout(resolve, 10));
  // It may not answer at once.
  const again = (): Promise<string | undefined> =>
    messages.take("anew.s", 600_000).catch(() => {
      messages.forget();
      return again();
    });
  expect(await again()).toBeTypeOf("string");
  for (const index of [3, 4]) await writer.append(mark("a", index));
  expect(await backend.after("s", new RecordCursor(last?.place ?? 0, last?.json), 10)).toHaveLength(2);
  const consumers = new Set(pulled.mock.calls.map(([subject]) => subject));
  expect(pulled.mock.calls.filter(([subject]) => subject === [...consumers][0])).toHaveLength(1);
  expect(consumers.size).toBe(2);
  for (const each of [backend, store, connection]) await each.close();
});
