import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { storeAt } from "../../../src/open/addresses.ts";
import { catalogAt } from "../../../src/open/catalog-at.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { openJournals } from "../../../src/open/open-journals.ts";
import { redactJournal } from "../../../src/open/redact-journal.ts";
import { postgresStore } from "../../../src/store/postgres/postgres-store.ts";
import { migrate, schemaVersion } from "../../../src/store/postgres/schema.ts";
import { searchServer } from "../../../src/store/postgres/search.ts";
import { openServer } from "../../../src/store/postgres/server.ts";
import type { JournalStore, StreamStore } from "../../../src/stream/stream-store.ts";
import { testStore } from "../../../src/testing/log-conformance.ts";
import { mark, marksOf, readAll, StoreReader } from "../../../src/testing/store-reader.ts";
import { cli, temporaryFolder } from "../../cli/cli.ts";
import { type Program, program } from "../process/spawn.ts";
import { testDueSnapshots } from "../records/due-snapshots.ts";
import { type PostgresServer, sql, startPostgres } from "./postgres-server.ts";

let server: PostgresServer;
let writer: Program;
beforeAll(async () => {
  [server, writer] = await Promise.all([startPostgres(), program("write-marks.ts")]);
});
afterAll(async () => {
  writer?.remove();
  await server?.stop();
});

let sessions = 0;
const sessionOf = (store: JournalStore): string => store.where.split("#")[1] as string;
const open = (session: string): StreamStore => postgresStore({ database: server.address, session });

testStore({
  test,
  logOf: (store) => store.log,
  createStore: () => open(`s ${++sessions}`),
  openAgain: (store) => open(sessionOf(store)),
  spawnWriter: async (store, name, count) => void (await writer.run(store.where, name, String(count))),
});

testDueSnapshots((session, readonly) => postgresStore({ database: server.address, session, readonly }));

test("sessions are listed with their newest change, and followed together", async () => {
  const journals = await openJournals(`${server.address}?schema=listed`, { actor: "ann" });
  const odd = `Zürich#1 ${"x".repeat(9000)}`;
  for (const session of ["b", "A", odd]) {
    const journal = await journals.open(session);
    await journal.notes.set("with a \0 in it");
    await journal.close();
  }
  const listed: string[] = [];
  for await (const { session, version, actor } of journals.list()) listed.push(`${session} v${version} ${actor}`);
  expect(listed).toEqual(["A v1 ann", `${odd} v1 ann`, "b v1 ann"]);
  const following = journals.follow();
  const first = following.next();
  const journal = await journals.open(odd);
  // What comes before it follows is not told.
  const isTold = first.then(() => true);
  for (let told = false; !told; told = await Promise.race([isTold, sleep(50).then(() => false)]))
    await journal.notes.append("more");
  expect((await first).value).toMatchObject({ type: "event", session: odd });
  await following.return?.();
  await journal.close();
  await journals.close();
});

test("an old journal is archived and removed with its texts and snapshot, a newer one and one that went on stay", async () => {
  const place = `${server.address}?schema=pruned`;
  const journals = await openJournals(place);
  onTestFinished(() => void vi.useRealTimers());
  for (const session of ["old", "went on", "damaged", "new"]) {
    vi.useFakeTimers({ toFake: ["Date"], now: session === "new" ? Date.now() : Date.parse("2020-01-01") });
    const journal = await journals.open(session);
    await journal.notes.set(`needle of ${session}`);
    await journal.plan.set("1. go");
    await journal.snapshot();
    await journal.close();
    vi.useRealTimers();
  }
  await journals.close();
  // What is damaged at its end is no damage of a copy, which leaves it out.
  await sql(server.address, "UPDATE pruned.records SET record = '{' WHERE session = 'damaged' AND place = 2");
  const archive = temporaryFolder();
  const catalog = await catalogAt(place);
  expect(await catalog.remove?.({ session: "went on", version: 7 })).toBe(false);
  await catalog.close();
  const hold = path.join(archive, "hold.txt");
  writeFileSync(hold, "went on\n");
  const { stdout, stderr, code } = await cli([
    "prune",
    place,
    "--older-than",
    "90d",
    "--archive",
    archive,
    "--hold",
    hold,
  ]);
  for (const said of [/^kept .* damaged$/m, /^removed .* old$/m, /^held .* went on$/m, /^removed 1 journal$/m])
    expect(stdout).toMatch(said);
  expect([code, stderr]).toEqual([1, expect.stringContaining("#damaged is damaged, and was not archived")]);
  expect(readdirSync(archive).sort()).toEqual(["hold.txt", "old.archive.gz"]);
  expect((await cli(["show", path.join(archive, "old.archive.gz")])).stdout).toContain("needle of old");
  for (const table of ["sessions", "records", "texts", "snapshots"])
    expect(await sql(server.address, `SELECT count(*)::int FROM pruned.${table} WHERE session = 'old'`), table).toEqual(
      [{ count: 0 }],
    );
  expect((await cli(["ls", place])).stdout.trim().split("\n")).toHaveLength(3);
});

test("nothing of a secret is left in the tables of a copy without it, and the rest proves what it proved", async () => {
  const secret = 'hunter2-quo"te-\u2028ü😀';
  const from = `${server.address}?schema=secretive#s`;
  const journal = await openJournal(from, { limits: { notes: 30 } });
  await journal.notes.set("harmless");
  const kept = journal.head;
  await journal.notes.append(secret);
  await journal.notes.set(`${"x".repeat(30)}${secret}`);
  await journal.plan.set(`1. use ${secret}`);
  await journal.restore("v2");
  await journal.snapshot();
  await journal.close();
  const to = `${server.address}?schema=clean#s`;
  const { texts } = await redactJournal(from, to, { text: secret, reason: "leaked" });
  expect(texts).toBeGreaterThan(3);
  const clean = await openJournal(to);
  await clean.snapshot();
  expect(await clean.verify({ head: kept })).toMatchObject({ ok: true });
  await clean.close();
  const tables = ["records", "sessions", "texts", "snapshots", "about"];
  const rows = await Promise.all(
    tables.map((table) => sql(server.address, `SELECT each::text FROM clean.${table} each`)),
  );
  const all = JSON.stringify(rows);
  expect(all).toContain("harmless");
  for (const part of ["hunter2", "quo", "te-"]) expect(all).not.toContain(part);
  expect(
    await sql(server.address, "SELECT count(*)::int FROM secretive.texts WHERE text LIKE '%hunter2%'"),
  ).not.toEqual([{ count: 0 }]);
});

test("every word of every session is found, the best first, and an odd query is no error", async () => {
  const database = `${server.address}?schema=searched`;
  for (const [session, text] of [
    ["a", "The root cause is the timezone of the timezone table"],
    ["b", "No cause is known; the timezone is UTC"],
  ] as const) {
    const journal = await openJournal(`${database}#${session}`);
    await journal.notes.set(text);
    await journal.notes.append("x".repeat(2000));
    await journal.close();
  }
  const options = { database: server.address, schema: "searched" };
  const found = async (query: string): Promise<string[]> => {
    const hits: string[] = [];
    for await (const { session, version, text } of searchServer(options, query))
      hits.push(`${session} v${version} ${text}`);
    return hits;
  };
  expect(await found('"root cause"')).toEqual(["a v1 The [root] [cause] is the timezone of the timezone table"]);
  expect((await found("timezone")).map((hit) => hit.slice(0, 4))).toEqual(["a v1", "b v1"]);
  expect(await found("cause -root")).toEqual(["b v1 No [cause] is known; the timezone is UTC"]);
  expect(await found('"( & !:*')).toEqual([]);
  const { stdout } = await cli(["grep", "utc", database, "--full-text"]);
  expect(stdout).toContain("[UTC]");
});

test("reading makes no tables, and a session that is not there is told beside those that are", async () => {
  const absent = postgresStore({ database: server.address, schema: "absent", session: "s", readonly: true });
  await expect(readAll(absent)).rejects.toMatchObject({
    code: "storage",
    fate: "not-written",
    message: expect.stringMatching(/schema=absent holds no journals/),
  });
  const [there] = await sql(server.address, "SELECT to_regnamespace('absent') IS NOT NULL AS there");
  expect(there).toEqual({ there: false });
  await new StoreReader(open("present")).append(mark("w"));
  const other = postgresStore({ database: server.address, session: "other", create: false, readonly: true });
  await expect(other.sessionId()).rejects.toMatchObject({
    code: "not_a_session",
    message: expect.stringContaining('"present"'),
  });
});

test("tables of a newer version are left alone, and older ones are brought up, however many open at once", async () => {
  const stores = Array.from({ length: 8 }, (_, index) =>
    postgresStore({ database: server.address, schema: "made", session: `s${index}` }),
  );
  await Promise.all(stores.map((store) => new StoreReader(store).append(mark("w"))));
  await Promise.all(stores.map((store) => store.close()));
  const known = Array.from({ length: schemaVersion }, () => () => "SELECT never()");
  const steps = [...known, (schema: string) => `ALTER TABLE "${schema}".sessions ADD COLUMN later text`];
  const opened = await openServer({ database: server.address, schema: "made" });
  const failing = [...steps, () => "SELECT never()"];
  await expect(opened.alone(1n, (query) => migrate(query, "made", "there", failing))).rejects.toThrow("never()");
  const columns = "SELECT 1 FROM information_schema.columns WHERE table_schema = 'made' AND column_name = 'later'";
  expect(await sql(server.address, columns)).toHaveLength(0);
  await opened.alone(1n, (query) => migrate(query, "made", "there", steps));
  expect(await sql(server.address, columns)).toHaveLength(1);
  await opened.close();
  const newer = postgresStore({ database: server.address, schema: "made", session: "s0" });
  await expect(readAll(newer)).rejects.toThrow(
    `schema=made has schema ${schemaVersion + 1}, this version knows ${schemaVersion}: update session-journal`,
  );
});

test("an append touches no index of the session's row, in new tables and in those of an earlier version", async () => {
  const indexed = (schema: string) =>
    sql(server.address, `SELECT indexdef FROM pg_indexes WHERE schemaname = '${schema}' AND tablename = 'sessions'`);
  const append = async (schema: string) => {
    const store = postgresStore({ database: server.address, schema, session: "s" });
    await new StoreReader(store).append(mark("w"));
    await store.close();
  };
  await append("hot");
  expect(await indexed("hot")).toEqual([{ indexdef: expect.stringMatching(/ \(session\)$/) }]);
  await sql(server.address, "CREATE INDEX sessions_by_change ON hot.sessions (change)");
  await sql(server.address, "UPDATE hot.about SET version = 1");
  const reader = postgresStore({ database: server.address, schema: "hot", session: "s", readonly: true });
  expect(marksOf(await readAll(reader))).toHaveLength(1);
  await reader.close();
  await append("hot");
  expect(await indexed("hot")).toHaveLength(1);
  expect(await sql(server.address, "SELECT version, (SELECT place FROM hot.sessions) FROM hot.about")).toEqual([
    { version: schemaVersion, place: "2" },
  ]);
});

test("a wait that is longer than a timer takes is no short one", async () => {
  const store = postgresStore({ database: server.address, schema: "patient", session: "s", waitMs: 2 ** 40 });
  expect(await new StoreReader(store).append(mark("w"))).toMatchObject({ version: 1 });
  await store.close();
});

test("a role that may not change the tables of an earlier version goes on writing to them as they are", async () => {
  const first = postgresStore({ database: server.address, schema: "older", session: "s" });
  await new StoreReader(first).append(mark("w", 0));
  await first.close();
  await sql(server.address, "UPDATE older.about SET version = 1");
  await sql(
    server.address,
    "CREATE ROLE agents LOGIN; GRANT USAGE ON SCHEMA older TO agents; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA older TO agents",
  );
  const database = server.address.replace("tester@", "agents@");
  const store = postgresStore({ database, schema: "older", session: "s" });
  await new StoreReader(store).append(mark("w", 1));
  expect(marksOf(await readAll(store))).toEqual(["w 0", "w 1"]);
  await store.close();
  expect(await sql(server.address, "SELECT version FROM older.about")).toEqual([{ version: 1 }]);
});

test("while somebody reads the tables of an earlier version for long, writers go on with them as they are", async () => {
  const append = async (index: number): Promise<void> => {
    const store = postgresStore({ database: server.address, schema: "dumped", session: "s" });
    await new StoreReader(store).append(mark("w", index));
    await store.close();
  };
  await append(0);
  await sql(server.address, "UPDATE dumped.about SET version = 1");
  const dump = new pg.Client(server.address);
  await dump.connect();
  await dump.query("BEGIN; LOCK TABLE dumped.sessions IN ACCESS SHARE MODE");
  await sql(server.address, "CREATE INDEX sessions_by_change ON dumped.sessions (change)");
  await append(1);
  const told = () => sql(server.address, "SELECT version, (SELECT place FROM dumped.sessions) FROM dumped.about");
  expect(await told()).toEqual([{ version: 1, place: "2" }]);
  await dump.end();
  await append(2);
  expect(await told()).toEqual([{ version: schemaVersion, place: "3" }]);
});

test("a server that is not there, a user without rights and a wrong database are told at once, without the password", async () => {
  await sql(server.address, "CREATE ROLE weak LOGIN PASSWORD 'secret'");
  const port = new URL(server.address).port;
  for (const [database, said] of [
    ["postgres://weak:secret@127.0.0.1:1/postgres", "ECONNREFUSED"],
    [`postgres://weak:secret@127.0.0.1:${port}/nowhere`, 'database "nowhere" does not exist'],
    [`postgres://weak:secret@127.0.0.1:${port}/postgres?schema=of_weak`, "permission denied"],
  ] as const) {
    const error: unknown = await readAll(await storeAt(`${database}#s`)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "storage", fate: "not-written", message: expect.stringContaining(said) });
    expect(String(error)).not.toContain("secret");
  }
});

test("no verb repeats the password of an address, nor does a report", async () => {
  const folder = temporaryFolder();
  const [file, report] = [path.join(folder, "s.jsonl"), path.join(folder, "report.html")];
  const place = server.address.replace("tester@", "tester:hunter2@").replace(/$/, "?schema=secretive");
  await cli(["apply", file, '{"action":"set_plan","content":"1. A"}']);
  const copied = await cli(["copy", file, place]);
  const where = copied.stdout.match(/#(\S+):/)?.[1] ?? "";
  const address = `${place}#${where}`;
  writeFileSync(path.join(folder, "tasks.md"), "- [ ] b\n");
  const said = [copied];
  for (const argv of [
    ["show", address],
    ["show", place],
    ["compare", file, address],
    ["compare", address, file],
    ["health", address, "--json"],
    ["import", "tasks", path.join(folder, "tasks.md"), address, "--replace"],
    ["report", address, "-o", report],
    ["copy", "--all", place, path.join(folder, "all")],
    ["ls", address],
    ["doctor", address],
  ])
    said.push(await cli(argv));
  expect(said.map(({ code }) => code)).toEqual([0, 0, 2, 0, 0, 0, 0, 0, 0, 2, 0]);
  expect(JSON.stringify(said) + readFileSync(report, "utf8")).not.toContain("hunter2");
  expect(readFileSync(report, "utf8")).toContain(`#${where}`);
});

test("a record that was changed does not count, strict refuses it, and what comes next stands behind it", async () => {
  const store = open("changed");
  const writing = new StoreReader(store);
  for (const index of [0, 1]) await writing.append(mark("w", index));
  await sql(
    server.address,
    "UPDATE session_journal.records SET record = replace(record, 'w 1', 'W 1') WHERE session = 'changed'",
  );
  const other = open("changed");
  expect(marksOf(await readAll(other))).toEqual(["w 0"]);
  const strict = postgresStore({ database: server.address, session: "changed", strict: true });
  await expect(new StoreReader(strict).catchUp()).rejects.toMatchObject({ code: "corrupt_entry" });
  await new StoreReader(other).append(mark("v"));
  expect(marksOf(await readAll(other))).toEqual(["w 0", "v 0"]);
  for (const each of [store, other, strict]) await each.close();
});

test("a sealed journal reads without its key and does not write", async () => {
  const sealed = postgresStore({ database: server.address, session: "sealed", seal: "key" });
  await new StoreReader(sealed).append(mark("w"));
  const plain = open("sealed");
  expect(marksOf(await readAll(plain))).toEqual(["w 0"]);
  await expect(new StoreReader(plain).append(mark("w"))).rejects.toMatchObject({ code: "readonly" });
  await sealed.close();
  await plain.close();
});

/** Last, for it ends the server. */

test("the example of the documents runs", async () => {
  const example = path.resolve(import.meta.dirname, "../../../examples/postgres.mjs");
  const env = { ...process.env, DATABASE_URL: server.address };
  const { stdout } = await promisify(execFile)(process.execPath, [example], { env });
  expect(stdout).toBe("notes set: 14/4000 chars used\n");
});
