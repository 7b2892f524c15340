import { EventEmitter } from "node:events";
import { expect, test, vi } from "vitest";
import { Notices } from "../../../src/store/postgres/notices.ts";
import type { Connections, PostgresPool, Query } from "../../../src/store/postgres/pool.ts";
import { Watchers, watchersOf } from "../../../src/store/postgres/watchers.ts";

test("what grows right behind a notification is told with the next one, and nothing is left out", async () => {
  const told: unknown[] = [];
  const query: Query = async (_, values) => {
    told.push(values?.[1]);
    return { rows: [], rowCount: 0 };
  };
  const server = { schema: "journals", connected: (work: (query: Query) => unknown) => work(query) };
  const notices = new Notices(server as unknown as Connections, new Watchers(server as unknown as Connections));
  notices.announce("one");
  await Promise.resolve();
  expect(told).toEqual([["one"]]);
  for (const session of ["two", "one", "two"]) {
    notices.announce(session);
    await Promise.resolve();
  }
  await notices.close();
  expect(told).toEqual([["one"], ["two", "one"]]);
});

test("the poll looks at the sessions that are watched by their ids, and at all only for who watches all", async () => {
  const polled: unknown[] = [];
  const query: Query = async (text, values) => {
    if (text.startsWith("LISTEN")) throw new Error("a standby has no notifications");
    if (text.includes("pg_snapshot_xmin")) polled.push(values?.[1]);
    return { rows: [{ seen: "1", sessions: [] }], rowCount: 1 };
  };
  const connected = (work: (query: Query) => unknown) => work(query);
  const server = { schema: "journals", connected, patiently: (ask: () => unknown) => ask() } as unknown as Connections;
  for (const only of [["a"], ["a", "b", "a"], ["a", undefined]]) {
    const notices = new Notices(server, new Watchers(server));
    await Promise.all(only.map((session) => notices.watch(() => undefined, session)));
    await notices.close();
  }
  expect(polled).toEqual([["a"], ["a", "b"], null]);
});

test("who watches one session is not woken for another, and who watches all is woken for each", async () => {
  const woken: string[] = [];
  let isFirst = true;
  const query: Query = async (text) => {
    if (text.startsWith("LISTEN")) throw new Error("a standby has no notifications");
    const sessions = isFirst ? ["a", "b"] : [];
    isFirst = false;
    return { rows: [{ seen: "1", sessions }], rowCount: 1 };
  };
  const connected = (work: (query: Query) => unknown) => work(query);
  const server = { schema: "journals", connected, patiently: (ask: () => unknown) => ask() } as unknown as Connections;
  const notices = new Notices(server, new Watchers(server));
  const watch = (name: string, only?: string) =>
    notices.watch((session) => void woken.push(`${name} ${session}`), only);
  await Promise.all([watch("one", "b"), watch("all")]);
  await notices.close();
  expect(woken.sort()).toEqual(["all a", "all b", "one b"]);
});

test("who comes while the poll is asked for others hears of what was appended meanwhile", async () => {
  const woken: string[] = [];
  const asked: unknown[][] = [];
  const query: Query = async (text, values = []) => {
    if (text.startsWith("LISTEN")) throw new Error("a standby has no notifications");
    asked.push(values);
    if (asked.length === 2) await notices.watch((session) => void woken.push(session), "b");
    const sessions = asked.length > 2 && values[0] === "1" ? ["b"] : [];
    return { rows: [{ seen: String(asked.length), sessions }], rowCount: 1 };
  };
  const connected = (work: (query: Query) => unknown) => work(query);
  const server = { schema: "journals", connected, patiently: (ask: () => unknown) => ask() } as unknown as Connections;
  const notices = new Notices(server, new Watchers(server, 1));
  await notices.watch(() => undefined, "a");
  await vi.waitUntil(() => asked.length >= 4);
  await notices.close();
  expect(woken).toEqual(["b"]);
  expect(asked.slice(1, 4)).toEqual([
    ["1", ["a"]],
    ["1", ["a", "b"]],
    ["3", ["a", "b"]],
  ]);
});

test("all who follow by the same pool share one connection that listens, until the last of them has left", async () => {
  let listening = 0;
  const woken: string[] = [];
  const client = new EventEmitter();
  const query: Query = async (text) => {
    if (text.startsWith("LISTEN")) listening += 1;
    return { rows: [{ seen: "1", sessions: [] }], rowCount: 1 };
  };
  const connected = (work: (query: Query, client: unknown) => unknown) => work(query, client);
  const server = { schema: "journals", connected, patiently: (ask: () => unknown) => ask() } as unknown as Connections;
  const pool = {} as PostgresPool;
  const followers = [1, 2, 3].map(() => new Notices(server, watchersOf(pool, server)));
  await Promise.all(
    followers.map((notices, index) => notices.watch((session) => void woken.push(session), `s${index}`)),
  );
  expect(listening).toBe(1);
  await followers.shift()?.close();
  for (const payload of ["s0", "s1", "s2"]) client.emit("notification", { channel: "journals", payload });
  expect(woken).toEqual(["s1", "s2"]);
  await Promise.all(followers.map((notices) => notices.close()));
  expect(client.eventNames()).toEqual([]);
  const other = new Notices(server, watchersOf({} as PostgresPool, server));
  await other.watch(() => undefined);
  expect(listening).toBe(2);
  await other.close();
});

test("what was appended to a server that was put back to an older state is heard of, though its numbers were given before", async () => {
  const woken: string[] = [];
  let [newest, change, looks] = [1000, 990, 0];
  const query: Query = async (text, values = []) => {
    if (text.startsWith("LISTEN")) throw new Error("a standby has no notifications");
    looks += 1;
    const isNew = values[0] !== null && change >= Number(values[0]) && change < newest;
    return { rows: [{ seen: String(newest), sessions: isNew ? ["s"] : [] }], rowCount: 1 };
  };
  const connected = (work: (query: Query) => unknown) => work(query);
  const server = { schema: "journals", connected, patiently: (ask: () => unknown) => ask() } as unknown as Connections;
  const notices = new Notices(server, new Watchers(server, 1));
  await notices.watch((session) => void woken.push(session), "s");
  await vi.waitUntil(() => looks >= 2);
  expect(woken).toEqual([]);
  [newest, change] = [500, 490];
  const before = looks;
  await vi.waitUntil(() => looks >= before + 4);
  await notices.close();
  expect(woken).toEqual(["s"]);
});
