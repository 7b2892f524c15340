/** What one of many writers does: marks to many sessions at once, through faults, and says which were acknowledged. */
import { setTimeout as sleep } from "node:timers/promises";
import { StorageError } from "../../../src/errors.ts";
import { openBroker } from "../../../src/store/jetstream/jetstream-backend.ts";
import { recordStore } from "../../../src/store/records/record-log.ts";
import { mark, StoreReader } from "../../../src/testing/store-reader.ts";

const [servers, prefix, writer, sessions, untilMs] = process.argv.slice(2) as [string, string, string, string, string];
const options = { servers: servers.split(","), prefix, waitMs: 8000 };
const broker = await opened();
const deadline = Date.now() + Number(untilMs);
const acknowledged: string[] = [];
const unknown: string[] = [];

/** On a busy machine a cluster that has just started has no leader for longer than a writer waits. */
async function opened(): ReturnType<typeof openBroker> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await openBroker(options);
    } catch (error) {
      if (!(error instanceof StorageError) || attempt === 4) throw error;
    }
  }
}

async function write(session: string): Promise<void> {
  const store = recordStore({ place: prefix, open: async () => broker, release: () => undefined }, { session });
  const reader = new StoreReader(store);
  for (let index = 0; Date.now() < deadline; index++) {
    const written = mark(`${session} ${writer}`, index);
    try {
      await reader.append(written);
      acknowledged.push(`${session} ${writer} ${index}`);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      if (error.fate === "unknown") unknown.push(`${session} ${writer} ${index}`);
    }
    await sleep(Math.random() * 20);
  }
  await store.close();
}

await Promise.all(Array.from({ length: Number(sessions) }, (_, index) => write(`s${index}`)));
await broker.close();
process.stdout.write(JSON.stringify({ acknowledged, unknown }));
