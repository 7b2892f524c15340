import { expect, test } from "vitest";
import { hostSessionStore } from "../../src/store/host-session.ts";
import { memoryStore } from "../../src/store/memory.ts";
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
])("%s is refused with what is wanted, not by what breaks in it", (_, call, reason) => {
  expect(call).toThrow(TypeError);
  expect(call).toThrow(reason);
});
