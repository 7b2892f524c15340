import { expect, test } from "vitest";
import { hostSessionStore } from "../../src/store/host/host-session-store.ts";
import { jetStreamStore } from "../../src/store/jetstream/jetstream-store.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { postgresStore } from "../../src/store/postgres/postgres-store.ts";
import { sessionFileStore } from "../../src/store/session-file/session-file-store.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";

const host = { append: () => undefined, entries: () => [], sessionId: "s" };
const noObject = "the options of a call must be an object";
const needsOfHost = "hostSessionStore takes a host: { append(customType, data), entries(), sessionId }";
const needsOfSqlite = "sqliteStore takes { database, session }: ";
const misspelt = 'unknown option "foo": use ';

/** As a caller without types may have it. */
const given = (value: unknown) => value as never;

test.each<[string, () => unknown, string]>([
  ["memoryStore(null)", () => memoryStore(given(null)), noObject],
  ["memoryStore({ foo })", () => memoryStore(given({ foo: 1 })), `${misspelt}sessionId`],
  ["sessionFileStore(null)", () => sessionFileStore(given(null)), "sessionFileStore takes the path of a session file"],
  ['sessionFileStore("")', () => sessionFileStore(""), "sessionFileStore takes the path of a session file"],
  ["sessionFileStore(path, null)", () => sessionFileStore("s.jsonl", given(null)), noObject],
  ["sessionFileStore(path, { foo })", () => sessionFileStore("s.jsonl", given({ foo: 1 })), `${misspelt}namespace, `],
  ["hostSessionStore(null)", () => hostSessionStore(given(null)), needsOfHost],
  ["hostSessionStore({})", () => hostSessionStore(given({})), needsOfHost],
  ["hostSessionStore(host, null)", () => hostSessionStore(host, given(null)), noObject],
  ["hostSessionStore(host, { foo })", () => hostSessionStore(host, given({ foo: 1 })), `${misspelt}namespace, `],
  ["sqliteStore(path)", () => sqliteStore(given("a.db")), needsOfSqlite],
  ["sqliteStore(null)", () => sqliteStore(given(null)), needsOfSqlite],
  ["sqliteStore without a session", () => sqliteStore(given({ database: "a.db" })), 'option "session" must be '],
  ["sqliteStore without a database", () => sqliteStore(given({ session: "s" })), 'option "database" must be '],
  [
    "sqliteStore({ foo })",
    () => sqliteStore(given({ database: "a.db", session: "s", foo: 1 })),
    `${misspelt}database, session, `,
  ],
  ["memoryStore(id)", () => memoryStore(given("id")), noObject],
  ["memoryStore({ sessionId: 5 })", () => memoryStore(given({ sessionId: 5 })), 'option "sessionId" must be '],
  [
    "sqliteStore on no database",
    () => sqliteStore(given({ database: {}, session: "s" })),
    'option "database" must be ',
  ],
  [
    "sqliteStore({ synchronous })",
    () => sqliteStore(given({ database: "a.db", session: "s", synchronous: "nope" })),
    'option "synchronous" must be one of "full", "normal"',
  ],
  [
    "postgresStore(address)",
    () => postgresStore(given("postgres://h/d")),
    "postgresStore takes { database, session }: ",
  ],
  [
    "postgresStore without a session",
    () => postgresStore(given({ database: "postgres://h/d" })),
    'option "session" must be ',
  ],
  [
    "postgresStore on another address",
    () => postgresStore(given({ database: "mysql://h/d", session: "s" })),
    'option "database" must be an address (postgres://user@host/database), or a Pool of the package pg',
  ],
  [
    "postgresStore({ schema })",
    () => postgresStore(given({ database: "postgres://h/d", session: "s", schema: 'a"b' })),
    'option "schema" must be a name',
  ],
  [
    "postgresStore({ foo })",
    () => postgresStore(given({ database: "postgres://h/d", session: "s", foo: 1 })),
    `${misspelt}database, session, `,
  ],
  ["jetStreamStore(address)", () => jetStreamStore(given("nats://a")), "jetStreamStore takes { servers, session }: "],
  ["jetStreamStore without servers", () => jetStreamStore(given({ session: "s" })), 'option "servers" must be '],
  ["jetStreamStore without a session", () => jetStreamStore(given({ servers: "a" })), 'option "session" must be '],
  [
    "jetStreamStore({ foo })",
    () => jetStreamStore(given({ servers: "a", session: "s", foo: 1 })),
    `${misspelt}servers, session, `,
  ],
  [
    "jetStreamStore({ retention })",
    () => jetStreamStore(given({ servers: "a", session: "s", retention: { maxAge: 1 } })),
    'unknown option "retention.maxAge": use retention.maxAgeMs, ',
  ],
])("%s is refused with what is wanted, not by what breaks in it", (_, call, reason) => {
  expect(call).toThrow(TypeError);
  expect(call).toThrow(reason);
});

test.each([
  [{ lock: 5 }, 'option "lock" must be an object'],
  [{ lock: { waitMS: 5 } }, 'unknown option "lock.waitMS": use lock.mode, lock.waitMs, lock.staleMs, lock.required'],
  [{ lock: { waitMs: -1 } }, 'option "lock.waitMs" must be a whole number of milliseconds'],
  [{ mirror: "none" }, 'option "mirror" must be one of true, false, "single-key"'],
  [{ fold: "brnch" }, 'option "fold" must be one of "file", "branch"'],
  [{ durability: "fync" }, 'option "durability" must be one of "fsync", "os"'],
  [{ seal: "" }, 'option "seal" must be a key: a text or bytes, not empty'],
  [{ clock: 5 }, 'option "clock" must be a function that gives a Date'],
])("%j is said when a store is made: nothing is kept in another way than was meant", (options, reason) => {
  expect(() => sessionFileStore("s.jsonl", given(options))).toThrow(new TypeError(reason));
  expect(() => hostSessionStore(host, given(options))).toThrow(new TypeError(reason));
});

test.each([
  [{ cwd: 5 }, 'option "cwd" must be a text'],
  [{ sessionId: 5 }, 'option "sessionId" must be the id of a session'],
])("%j does not get into a header", (options, reason) => {
  expect(() => sessionFileStore("s.jsonl", given(options))).toThrow(new TypeError(reason));
});

test("a database may be waited for without end, and an open connection needs no servers", () => {
  expect(() => sqliteStore({ database: "a.db", session: "s", waitMs: Number.POSITIVE_INFINITY })).not.toThrow();
  const connection = { isClosed: () => false, request: async () => undefined };
  for (const servers of ["", [], undefined]) {
    expect(() => jetStreamStore(given({ connection, session: "s", servers }))).not.toThrow();
  }
});
