import { afterAll, beforeAll, test } from "vitest";
import { jetStreamStore } from "../../../src/store/jetstream/jetstream-store.ts";
import type { JournalStore } from "../../../src/store/store.ts";
import { testJournalStore } from "../../../src/testing/store-conformance.ts";
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
