/** A broker that comes back without its newest records, and what those who follow are told. */
import fs from "node:fs";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { followAll } from "../../../src/journal/follow-all.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { jetStreamCatalog, jetStreamStore } from "../../../src/store/jetstream/jetstream-store.ts";
import { type NatsCluster, type NatsNode, startServer } from "./nats-server.ts";

let server: NatsCluster;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server?.stop();
});

/** The server starts with what was in `from`. */
async function startedWith(node: NatsNode, from: string): Promise<void> {
  fs.rmSync(node.store, { recursive: true });
  fs.cpSync(from, node.store, { recursive: true });
  await node.start();
}

test("who follows a broker that was put back hears of what was appended before it was connected again", async () => {
  const [node] = server.nodes as [NatsNode];
  const servers = [...server.servers];
  const where = `nats://${servers}/session-journal#s`;
  const before = await openJournal(where);
  await before.refs.add("kept");
  await before.close();
  await node.kill();
  const kept = `${node.store}.kept`;
  fs.cpSync(node.store, kept, { recursive: true });
  await node.start();

  // Others are there before it.
  const slow = await connect({ servers, reconnectTimeWait: 1000, maxReconnectAttempts: -1 });
  const place = { connection: slow, servers: [], waitMs: 1500 };
  const followed = await openJournal(jetStreamStore({ ...place, session: "s" }), { readonly: true, follow: true });
  const catalog = jetStreamCatalog(place);
  const ending = new AbortController();
  const told: string[] = [];
  const telling = (async () => {
    for await (const change of followAll(catalog, ending.signal))
      told.push(change.type === "event" ? `${change.recorded.version}` : change.type);
  })();
  const lost = await openJournal(where);
  for (const ref of ["lost 1", "lost 2", "lost 3"]) await lost.refs.add(ref);
  await expect.poll(() => [followed.version, told]).toEqual([4, ["2", "3", "4"]]);
  await lost.close();

  await node.kill();
  await startedWith(node, kept);
  const instead = await openJournal(where);
  await instead.refs.add("instead");
  await expect
    .poll(() => [followed.state.refs, told.slice(3)], { timeout: 15_000 })
    .toEqual([
      ["kept", "instead"],
      ["reset", "1", "2"],
    ]);
  ending.abort();
  await telling;
  for (const each of [followed, instead, catalog, slow]) await each.close();
});

test("who follows one session of a broker that was put back is told of it though nobody appends", async () => {
  const [node] = server.nodes as [NatsNode];
  const servers = [...server.servers];
  const where = `nats://${servers}/session-journal#alone`;
  const before = await openJournal(where);
  await before.refs.add("kept");
  await node.kill();
  const kept = `${node.store}.alone`;
  fs.cpSync(node.store, kept, { recursive: true });
  await node.start();

  const place = { connection: await connect({ servers, maxReconnectAttempts: -1 }), servers: [], waitMs: 1500 };
  const followed = await openJournal(jetStreamStore({ ...place, session: "alone" }), { readonly: true, follow: true });
  await before.refs.add("lost");
  await before.close();
  await expect.poll(() => followed.state.refs).toEqual(["kept", "lost"]);
  await node.kill();
  await startedWith(node, kept);
  await expect.poll(() => followed.state.refs, { timeout: 15_000 }).toEqual(["kept"]);
  await followed.close();
  await place.connection.close();
});
