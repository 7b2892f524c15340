import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RecordedEvent } from "../../../src/event/event.ts";
import { fold } from "../../../src/state/fold.ts";
import { jetStreamStore } from "../../../src/store/jetstream/jetstream-store.ts";
import { mark, marksOf, readAll, StoreReader } from "../../../src/testing/store-reader.ts";
import { type Program, program } from "../process/spawn.ts";
import { type NatsCluster, type NatsNode, startCluster } from "./nats-server.ts";

const isFull = process.env.SESSION_JOURNAL_FULL === "1";
const writers = isFull ? 8 : 3;
const sessions = isFull ? 12 : 4;
const prefix = "faults";
const patienceMs = 120_000;

let cluster: NatsCluster;
let writer: Program;
beforeAll(async () => {
  [cluster, writer] = await Promise.all([startCluster(3), program("../jetstream/write-many.ts")]);
});
afterAll(async () => {
  writer?.remove();
  await cluster?.stop();
});

interface Told {
  readonly acknowledged: readonly string[];
  readonly unknown: readonly string[];
}

/** Ends each node in turn and starts it again, then pauses each; the cluster has a leader before the first and the last. */
async function faults(nodes: readonly NatsNode[]): Promise<void> {
  await sleep(1500);
  for (const node of nodes) {
    await node.kill();
    await sleep(isFull ? 1000 : 500);
    await node.start();
    await sleep(isFull ? 3000 : 700);
  }
  for (const node of isFull ? nodes : nodes.slice(0, 1)) {
    node.pause();
    await sleep(isFull ? 3000 : 1000);
    node.resume();
    await sleep(isFull ? 2000 : 500);
  }
  await events("s0");
}

test(
  "writers on many sessions go on through killed, restarted and paused nodes: nothing lost, twice or forked",
  async () => {
    const first = open("s0");
    await retried(() => new StoreReader(first).append(mark("first")));
    await first.close();
    const untilMs = isFull ? 34_000 : 6_000;
    const running = Array.from({ length: writers }, async (_, index) =>
      writer.run(cluster.servers.join(","), prefix, `w${index}`, String(sessions), String(untilMs)),
    );
    const [told] = await Promise.all([
      Promise.all(running).then((outputs) => outputs.map((output) => JSON.parse(output) as Told)),
      faults(cluster.nodes),
    ]);
    const acknowledged = told.flatMap((each) => each.acknowledged);
    const unknown = new Set(told.flatMap((each) => each.unknown));
    expect(acknowledged.length).toBeGreaterThan(writers * sessions);

    const found: string[] = [];
    for (let index = 0; index < sessions; index++) {
      const [one, other] = await Promise.all([events(`s${index}`), events(`s${index}`)]);
      expect(one.map(({ version }) => version)).toEqual(one.map((_, position) => position + 1));
      expect(fold(other)).toEqual(fold(one));
      found.push(...marksOf(one));
    }
    expect(new Set(found).size).toBe(found.length);
    const there = new Set(found);
    expect(acknowledged.filter((text) => !there.has(text))).toEqual([]);
    const known = new Set(acknowledged);
    expect(found.filter((text) => text !== "first 0" && !known.has(text) && !unknown.has(text))).toEqual([]);
  },
  patienceMs,
);

test("a writer that is cut off from the quorum is told so in bounded time, and its commit can be looked for", async () => {
  const store = jetStreamStore({ servers: cluster.servers, prefix, session: "cut off", waitMs: 2000 });
  const writing = new StoreReader(store);
  await retried(() => writing.append(mark("w", 0)));
  const [one, two] = cluster.nodes as [NatsNode, NatsNode, NatsNode];
  await Promise.all([one.kill(), two.kill()]);
  await expect(writing.append(mark("w", 1))).rejects.toMatchObject({
    code: "storage",
    fate: expect.stringMatching(/unknown|not-written/),
    message: expect.stringMatching(/faults.*most of its servers run/),
  });
  await Promise.all([one.start(), two.start()]);
  await retried(() => writing.append(mark("w", 2)));
  const marks = marksOf(await retried(() => readAll(store)));
  expect(marks.filter((text) => text !== "w 1")).toEqual(["w 0", "w 2"]);
  await store.close();
});

test(
  "a watcher hears of what came while its broker was away",
  async () => {
    const watching = open("watched");
    const reader = new StoreReader(watching);
    await retried(() => reader.catchUp());
    let wakes = 0;
    const unwatch = await watching.watch(() => {
      wakes += 1;
    });
    await retried(() => new StoreReader(open("watched")).append(mark("w", 0)));
    for (const node of isFull ? cluster.nodes : cluster.nodes.slice(0, 2)) {
      await node.kill();
      await node.start();
    }
    wakes = 0;
    const writing = open("watched");
    await retried(() => new StoreReader(writing).append(mark("w", 1)));
    while (wakes === 0) await sleep(50);
    await retried(() => reader.catchUp());
    expect(marksOf(reader.events)).toEqual(["w 0", "w 1"]);
    await unwatch();
    await writing.close();
    await watching.close();
  },
  patienceMs,
);

function open(session: string) {
  return jetStreamStore({ servers: cluster.servers, prefix, session, replicas: 3 });
}

async function events(session: string): Promise<RecordedEvent[]> {
  const store = open(session);
  const read = await retried(() => readAll(store));
  await store.close();
  return read;
}

/** A cluster that has lost its leader takes a while to have one. */
async function retried<Result>(ask: () => Promise<Result>): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === 8) throw error;
    }
  }
}
