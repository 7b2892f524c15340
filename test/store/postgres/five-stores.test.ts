import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { storeAt } from "../../../src/open/addresses.ts";
import { copyJournal } from "../../../src/open/copy-journal.ts";
import type { CopyEnd } from "../../../src/open/copy-target.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import { readAll } from "../../../src/testing/store-reader.ts";
import { type NatsCluster, startServer } from "../jetstream/nats-server.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-five-"));
const id = "moved";
let broker: NatsCluster;
let server: PostgresServer;
let place = 0;

const kinds: Readonly<Record<string, () => CopyEnd>> = {
  "a session file": () => path.join(folder, `${++place}.jsonl`),
  SQLite: () => `sqlite:${path.join(folder, `${++place}.db`)}#${id}`,
  JetStream: () => `nats://${broker.servers[0]}/place${++place}#${id}`,
  PostgreSQL: () => `${server.address}?schema=place${++place}#${id}`,
  memory: () => memoryStore({ sessionId: id }),
};

const sources = new Map<string, CopyEnd>();
let original: Awaited<ReturnType<typeof told>>;
beforeAll(async () => {
  [broker, server] = await Promise.all([startServer(), startPostgres()]);
  const first = memoryStore({ sessionId: id });
  const journal = await openJournal(first, { actor: "ann" });
  for (const turn of ["one", "two"]) {
    await journal.beginTurn({ id: turn });
    await journal.apply({ action: "set_plan", content: `1. In turn ${turn}` }, { command: turn });
    await journal.applyAll([
      { action: "refs.add", ref: `${turn}.ts` },
      { action: "append_notes", content: "\0 \ud800 日本 🎌" },
    ]);
  }
  await journal.close();
  original = await told(first);
  for (const [kind, make] of Object.entries(kinds)) {
    const end = make();
    await copyJournal(first, end);
    sources.set(kind, end);
  }
});
afterAll(async () => {
  await Promise.all([broker?.stop(), server?.stop()]);
  fs.rmSync(folder, { recursive: true, force: true });
});

const names = Object.keys(kinds);
const pairs = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));

test.each(pairs)("a copy from %s to %s keeps the chain, the turns and the times", async (from, to) => {
  const target = kinds[to]?.() as CopyEnd;
  await copyJournal(sources.get(from) as CopyEnd, target);
  expect(await told(target)).toEqual(original);
});

/** All that a journal can say of itself. */
async function told(where: CopyEnd) {
  const store = typeof where === "object" && "catchUp" in where ? where : await storeAt(where, { readonly: true });
  const journal = await openJournal(store, { readonly: true });
  const { ok, findings } = await journal.verify();
  const { head, state } = journal;
  await journal.close();
  const events = (await readAll(store)).map(({ origin: _, entryId: __, offset: ___, ...recorded }) => recorded);
  const session = await store.sessionId();
  if (store !== where) await store.close();
  return { session, head, state, events, ok, findings };
}
