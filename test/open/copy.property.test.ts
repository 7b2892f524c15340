import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import { storeAt } from "../../src/open/addresses.ts";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { readAll } from "../../src/testing/store-reader.ts";
import { type NatsCluster, startServer } from "../store/jetstream/nats-server.ts";
import { story, tell } from "./stories.ts";

let server: NatsCluster;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-copy-"));
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  fs.rmSync(folder, { recursive: true, force: true });
  await server?.stop();
});

test("a journal that goes from file to SQLite to JetStream to memory to file is the same journal", async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(withEvents, async (steps) => {
      const place = path.join(folder, String(++runs));
      fs.mkdirSync(place);
      const file = path.join(place, "from.jsonl");
      const back = path.join(place, "back.jsonl");
      await tell(file, steps);
      const id = await idOf(file);
      const database = `sqlite:${path.join(place, "journals.db")}`;
      const broker = `nats://${server.servers[0]}/copies`;
      const memory = memoryStore({ sessionId: id });
      await copyJournal(file, database);
      await copyJournal(`${database}#${id}`, broker);
      await copyJournal(`${broker}#${id}`, memory);
      const { version, hash } = await copyJournal(memory, back);

      const original = await openJournal(file, { readonly: true });
      const copy = await openJournal(back, { readonly: true });
      expect([version, hash]).toEqual([original.version, original.head.hash]);
      expect(copy.state).toEqual(original.state);
      expect((await copy.verify({ head: original.head })).ok).toBe(true);
      expect(await essences(back)).toEqual(await essences(file));
      await original.close();
      await copy.close();
    }),
    { numRuns: process.env.SESSION_JOURNAL_FULL ? 100 : 8 },
  );
});

/** In a database or broker, a session without any is not there. */
const withEvents = story.filter((steps) => steps.some(({ by }) => by !== "user"));

async function idOf(file: string): Promise<string> {
  const store = await storeAt(file, { readonly: true });
  const id = await store.sessionId();
  await store.close();
  return id;
}

/** Everything but the place in the file, and the turn, which is where the host's messages are. */
async function essences(file: string): Promise<Partial<RecordedEvent>[]> {
  const store = await storeAt(file, { readonly: true });
  const events = await readAll(store);
  await store.close();
  return events.map(({ version, event, at, actor, command, origin, commit }) => ({
    version,
    event,
    at,
    actor,
    origin,
    ...(command === undefined ? {} : { command }),
    ...(commit === undefined ? {} : { commit }),
  }));
}
