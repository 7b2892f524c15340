/** What the command line says of a session whose oldest records the broker has dropped. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SessionReading } from "../../../src/cli/view/session-reading.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { jetStreamStore } from "../../../src/store/jetstream/jetstream-store.ts";
import { cli } from "../../cli/cli.ts";
import { type NatsCluster, startServer } from "./nats-server.ts";

let server: NatsCluster;
let where: string;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-dropped-"));

beforeAll(async () => {
  server = await startServer();
  where = `nats://${server.servers[0]}/kept#s`;
  const retention = { maxMessagesPerSession: 2 };
  const store = jetStreamStore({ servers: server.servers, prefix: "kept", session: "s", retention });
  const journal = await openJournal(store);
  await journal.plan.set("- [ ] one");
  for (const ref of ["a", "b"]) await journal.refs.add(ref);
  await journal.snapshot();
  await journal.beginTurn();
  await journal.refs.add("c");
  await journal.close();
  await store.close();
});
afterAll(async () => {
  await server?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

const gone = () => `session-journal: the events up to version 3 cannot be read from ${where} any more`;

test("log says that the beginning was dropped, and not how full a space would be without it", async () => {
  const { code, stdout, stderr } = await cli(["log", where]);
  expect([code, stderr]).toEqual([
    0,
    `${gone()}: this is what is left of the history, without the use of the budgets\n`,
  ]);
  expect(stdout).toMatch(/^v4 .* turn began\nv5 .* ref added +c\n$/);
  const csv = await cli(["log", where, "--format", "csv"]);
  expect(csv.stdout).toContain(",ref.added,refs,ref added,c,,,,,");
});

test.each(["atif", "cloudevents"])("an export as %s says that it is not the whole history", async (format) => {
  const { code, stdout, stderr } = await cli(["export", where, "--format", format]);
  expect([code, stderr]).toEqual([0, `${gone()}: this is what is left of the history\n`]);
  expect(stdout).toContain('"c"');
});

test.each([
  ["log", "-p"],
  ["log", "-p", "--json"],
  ["log", "-S", "a"],
  ["diff", "--source", "model"],
  ["report", "-o", path.join(folder, "report.html")],
  ["replay"],
  ["render", "--face", "handoff"],
])("%s %s, which takes the states before, is refused", async (verb, ...options) => {
  const { code, stdout, stderr } = await cli([verb, where, ...options]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr.startsWith(gone()), stderr).toBe(true);
  expect(stderr.trimEnd()).not.toContain("\n");
  expect(fs.readdirSync(folder)).toEqual([]);
});

test("the last turn, which the snapshot knows, is told", async () => {
  const { code, stdout, stderr } = await cli(["diff", where]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toBe("--- v3 refs\n+++ v5 refs\n@@ -1,2 +1,3 @@\n a\n b\n+c\n");
});

test("the page that grows shows no states that never were", async () => {
  const store = jetStreamStore({ servers: server.servers, prefix: "kept", session: "s", readonly: true });
  await expect(new SessionReading(store).refresh()).rejects.toMatchObject({
    code: "bad_point",
    message: expect.stringContaining("the events up to version 3 are not in the stream"),
  });
  await store.close();
});
