/** What the stream of a broker is set to, and what a writer makes of it: what is dropped, what is full, and whose it is. */
import { jetstreamManager, type StreamConfig } from "@nats-io/jetstream";
import { connect, errors, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { followAll } from "../../../src/journal/follow-all.ts";
import { copyJournal } from "../../../src/open/copy-journal.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { openBroker } from "../../../src/store/jetstream/jetstream-backend.ts";
import { jetStreamCatalog, jetStreamStore } from "../../../src/store/jetstream/jetstream-store.ts";
import { connectBroker } from "../../../src/store/jetstream/nats-broker.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import { type NatsCluster, startServer } from "./nats-server.ts";

let server: NatsCluster;
let connection: NatsConnection;
beforeAll(async () => {
  server = await startServer();
  connection = await connect({ servers: [...server.servers] });
});
afterAll(async () => {
  await connection?.close();
  await server?.stop();
});

let streams = 0;
/** The result is the name of a new stream of somebody else's, which is its prefix, too. */
async function streamOf(config: Partial<StreamConfig>): Promise<string> {
  const name = `made-${++streams}`;
  await (await jetstreamManager(connection)).streams.add({ name, subjects: [`${name}.*`], ...config });
  return name;
}

const hour = 3600e9;

test.each<[string, Partial<StreamConfig>, boolean]>([
  ["has no limit", {}, false],
  ["is full after some bytes, and refuses then", { max_bytes: 1e6, discard: "new" }, false],
  ["is full after some messages, and refuses then", { max_msgs: 100, discard: "new" }, false],
  ["drops old bytes", { max_bytes: 1e6, discard: "old" }, true],
  ["drops old messages", { max_msgs: 100, discard: "old" }, true],
  ["drops what is too old, though it refuses what is too much", { max_age: hour, discard: "new" }, true],
  ["drops the old messages of each session", { max_msgs_per_subject: 100, discard: "new" }, true],
  [
    "refuses the new messages of each session",
    { max_msgs_per_subject: 100, discard: "new", discard_new_per_subject: true },
    false,
  ],
])("a stream that %s", async (_, config, drops) => {
  const prefix = await streamOf(config);
  const backend = await openBroker({ servers: server.servers, prefix });
  expect(backend.drops).toBe(drops);
  await backend.close();
});

test("a stream that is full refuses at once, and says what to do", async () => {
  const prefix = await streamOf({ max_msgs: 1, discard: "new" });
  const store = jetStreamStore({ servers: server.servers, prefix, session: "s", waitMs: hour / 1e6 });
  const journal = await openJournal(store);
  await journal.refs.add("a");
  await expect(journal.refs.add("b")).rejects.toMatchObject({
    code: "storage",
    fate: "not-written",
    message: `the stream ${prefix} is full (maximum messages exceeded): raise its limits, or take old sessions away, then try again`,
  });
  await journal.close();
  await store.close();
});

test.each<[string[], boolean]>([
  [["own.x.*"], true],
  [["other", "own.x.one", "own.x.two"], true],
  [["own.>"], true],
  [["*.x.*"], true],
  [["own.*"], false],
  [["own_x.*"], false],
  [["own.x.*.*"], false],
])("a stream for the subjects %j may be that of the prefix own.x: %j", async (subjects, isOwn) => {
  const { streams } = await jetstreamManager(connection);
  await streams.add({ name: "own_x", subjects });
  const opening = openBroker({ servers: server.servers, prefix: "own.x" }).then((backend) => backend.close());
  if (isOwn) await opening;
  else {
    await expect(opening).rejects.toMatchObject({
      code: "storage",
      fate: "not-written",
      message: `the stream own_x is for ${subjects}, and not for own.x.*: choose another prefix than own.x, or add the subject to the stream`,
    });
  }
  await streams.delete("own_x");
});

test.each(["interest", "workqueue"] as const)(
  "a stream that removes what nobody waits for (%s) acknowledges no commit that it then loses",
  async (retention) => {
    const prefix = await streamOf({ retention });
    await expect(openBroker({ servers: server.servers, prefix })).rejects.toMatchObject({
      code: "storage",
      fate: "not-written",
      message: `the stream ${prefix} has retention policy "${retention}", which removes what nobody waits for: make it anew with policy "limits", or choose another prefix`,
    });
  },
);

test("servers without JetStream are not said to be away", async () => {
  const cause = new errors.NoRespondersError("x");
  const request = () => Promise.reject(new errors.RequestError("", { cause }));
  const without = new Proxy(connection, {
    get: (target, name) => (name === "request" ? request : Reflect.get(target, name)),
  });
  const opening = openBroker({ connection: without, servers: [], prefix: "x", waitMs: 50 });
  await expect(opening).rejects.toMatchObject({ message: expect.stringContaining("run with JetStream (-js)") });
});

test("a journal whose records were all dropped goes on with the next one", async () => {
  const prefix = await streamOf({ max_age: hour });
  const open = () => openJournal(jetStreamStore({ servers: server.servers, prefix, session: "s", waitMs: 1500 }));
  const journal = await open();
  await journal.refs.add("a");
  await journal.snapshot();
  await (await jetstreamManager(connection)).streams.purge(prefix, { filter: `${prefix}.s` });
  expect(await journal.refs.add("b")).toMatchObject({ ok: true, version: 2 });
  const other = await open();
  expect(other.state.refs).toEqual(["a", "b"]);
  expect(await other.refs.add("c")).toMatchObject({ ok: true, version: 3 });
  await journal.refresh();
  expect(journal.state.refs).toEqual(["a", "b", "c"]);
  await journal.close();
  await other.close();
});

test("a handle that had not read what was dropped appends nothing that counts for nobody", async () => {
  const prefix = await streamOf({ max_age: hour });
  const open = () => openJournal(jetStreamStore({ servers: server.servers, prefix, session: "s", waitMs: 1500 }));
  const behind = await open();
  await behind.refs.add("a");
  const journal = await open();
  await journal.refs.add("b");
  await journal.snapshot();
  await (await jetstreamManager(connection)).streams.purge(prefix, { filter: `${prefix}.s` });
  await expect(behind.refs.add("c")).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  const again = await open();
  expect(await again.refs.add("c")).toMatchObject({ ok: true, version: 3 });
  await journal.refresh();
  expect(journal.state.refs).toEqual(["a", "b", "c"]);
  for (const each of [behind, journal, again]) await each.close();
});

test("what was purged is copied again at once, though the broker still knows its ids", async () => {
  const source = memoryStore({ sessionId: "s" });
  const journal = await openJournal(source);
  for (const ref of ["a", "b"]) await journal.refs.add(ref);
  const prefix = await streamOf({});
  const target = () => jetStreamStore({ servers: server.servers, prefix, session: "s", waitMs: 1500 });
  const { head } = journal;
  for (let times = 0; times < 3; times++) {
    expect(await copyJournal(source, target())).toMatchObject({ ...head, events: 2 });
    await (await jetstreamManager(connection)).streams.purge(prefix);
  }
  await journal.close();
});

test("calls that are too large for the broker together are made one after the other, and one alone is refused", async () => {
  const small = new Proxy(connection, {
    get(target, name) {
      if (name === "info") return { ...target.info, max_payload: 8192 };
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const prefix = await streamOf({});
  const store = jetStreamStore({ connection: small, servers: [], prefix, session: "s" });
  const journal = await openJournal(store);
  const sizes = [3000, 3000, 9000, 3000, 3000];
  const answers = await Promise.allSettled(
    sizes.map((size, index) => journal.entries.write(`k${index}`, "x".repeat(size))),
  );
  expect(answers).toMatchObject([
    { value: { ok: true, version: 1 } },
    { value: { ok: true, version: 2 } },
    { reason: { code: "storage", fate: "not-written", message: expect.stringContaining("more than the 7168 that") } },
    { value: { ok: true, version: 3 } },
    { value: { ok: true, version: 4 } },
  ]);
  await journal.close();
  await store.close();
});

test.each([
  ["write", /^forbidden\./],
  ["read", /^\$JS\.API\.STREAM\.INFO/],
])("who has no right to %s is told so at once, and not that the servers are away", async (_, subjects) => {
  const mayNot = (subject: string, ...rest: never[]) => {
    if (!subjects.test(subject)) return connection.request(subject, ...rest);
    const message = `Permissions Violation for Publish to "${subject}"`;
    const cause = new errors.PermissionViolationError(message, "publish", subject);
    return Promise.reject(new errors.RequestError(message, { cause }));
  };
  const limited = new Proxy(connection, {
    get: (target, name) => (name === "request" ? mayNot : Reflect.get(target, name)),
  });
  const place = { connection: limited, servers: [], prefix: "forbidden", session: "s", waitMs: hour / 1e6 };
  const store = jetStreamStore(place);
  const written = openJournal(store).then((journal) => journal.notes.set("x"));
  await expect(written).rejects.toMatchObject({
    code: "storage",
    fate: "not-written",
    message: expect.stringMatching(
      /Permissions Violation for Publish to .*: give this user the right to it, or use another one/,
    ),
  });
  await store.close();
});

test("calls that are too large for the stream together are made one after the other, and one alone is refused", async () => {
  const prefix = await streamOf({ max_msg_size: 4096 });
  const store = jetStreamStore({ servers: server.servers, prefix, session: "s" });
  const journal = await openJournal(store);
  const sizes = [1500, 1500, 5000, 1500, 1500];
  const answers = await Promise.allSettled(
    sizes.map((size, index) => journal.entries.write(`k${index}`, "x".repeat(size))),
  );
  expect(answers).toMatchObject([
    { value: { ok: true, version: 1 } },
    { value: { ok: true, version: 2 } },
    {
      reason: {
        code: "storage",
        fate: "not-written",
        message: `the broker refused: message size exceeds maximum allowed: send smaller actions, or raise the max_msg_size of the stream ${prefix}`,
      },
    },
    { value: { ok: true, version: 3 } },
    { value: { ok: true, version: 4 } },
  ]);
  await journal.close();
  await store.close();
});

test("a session that is written to while all are listed is listed once", async () => {
  const prefix = await streamOf({});
  const names = Array.from({ length: 1500 }, (_, index) => `${prefix}.s${index}`);
  await Promise.all(names.map((name) => connection.request(name, "{}", { timeout: 60_000 })));
  const broker = await connectBroker({ connection, servers: [], prefix });
  const listed: string[] = [];
  for await (const { subject } of broker.newest()) {
    if (listed.length === 0) await connection.request(subject, "{}", { timeout: 60_000 });
    listed.push(subject);
  }
  expect(listed.sort()).toEqual(names.sort());
});

test("a writer whose newest record is gone from a stream that drops old ones is told so", async () => {
  const prefix = await streamOf({ max_age: hour });
  const store = jetStreamStore({ servers: server.servers, prefix, session: "s", waitMs: 600 });
  const journal = await openJournal(store);
  for (const ref of ["a", "b"]) await journal.refs.add(ref);
  await (await jetstreamManager(connection)).streams.deleteMessage(prefix, 2);
  await expect(journal.refs.add("c")).rejects.toMatchObject({
    code: "storage",
    fate: "not-written",
    message: expect.stringMatching(
      /^record 2 of the stream made-\d+, which this journal follows on, is not there any more/,
    ),
  });
  await journal.close();
  await store.close();
});

const closed = {
  code: "storage",
  fate: "not-written",
  message: expect.stringMatching(/^the connection to .* was closed: /),
};

async function rest(changes: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of changes);
}

test("who follows a journal whose connection is closed for good is told so", async () => {
  const own = await connect({ servers: [...server.servers] });
  const place = { connection: own, servers: [], prefix: "closed" };
  const journal = await openJournal(jetStreamStore({ ...place, session: "s" }));
  const catalog = jetStreamCatalog(place);
  const all = followAll(catalog, new AbortController().signal);
  let isHeard = false;
  const told = (async () => {
    for await (const { session } of all) isHeard = session === "s";
  })();
  const changes = journal.changes();
  const next = changes.next();
  await journal.refs.add("a");
  expect((await next).value).toMatchObject({ version: 1 });
  while (!isHeard) await journal.notes.append("until somebody hears it");
  const last = [rest(changes), told].map((each) => expect(each).rejects.toMatchObject(closed));
  await own.close();
  await Promise.all(last);
  await expect(journal.refs.add("b")).rejects.toMatchObject(closed);
  await journal.close();
  await catalog.close();
});
