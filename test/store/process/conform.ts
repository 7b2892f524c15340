/**
 * Holds session files and databases to every promise of a store, in whatever runtime this is. Some stores open the database
 * by its path, others are handed one that is open. Prints the library of the database and how many promises were kept.
 */
import { join } from "node:path";
import { sessionFileStore } from "../../../src/store/session-file/session-file-store.ts";
import { findDriver } from "../../../src/store/sqlite/drivers.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import type { StreamStore } from "../../../src/stream/stream-store.ts";
import { testStore } from "../../../src/testing/log-conformance.ts";

const [folder] = process.argv.slice(2) as [string];
const driver = await findDriver();
const file = join(folder, "journals.db");
const given = driver.connect(file);
let sessions = 0;

async function conform(createStore: () => StreamStore, openAgain: (where: string) => StreamStore): Promise<number> {
  const promises: (() => Promise<void>)[] = [];
  testStore({
    test: (_, run) => promises.push(run),
    logOf: (store) => store.log,
    createStore,
    openAgain: (store) => openAgain(store.where),
  });
  for (const keep of promises) await keep();
  return promises.length;
}

const inFiles = await conform(
  () => sessionFileStore(join(folder, `${++sessions}.jsonl`)),
  (where) => sessionFileStore(where),
);
const inDatabase = await conform(
  () => sqliteStore({ database: sessions % 2 === 0 ? file : given, session: `s${++sessions}` }),
  (where) => sqliteStore({ database: where.includes(file) ? given : file, session: where.split("#")[1] as string }),
);
given.close();
process.stdout.write(JSON.stringify({ driver: driver.name, inFiles, inDatabase }));
