/** Holds a store on a database of `node:sqlite` to every promise; prints the names of those kept. */
import { createRequire } from "node:module";
import type { SqliteDatabase } from "../../../src/store/sqlite/schema.ts";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";
import { testStore } from "../../../src/testing/log-conformance.ts";

/** Newer than the types of Node that the project is checked with. */
const { DatabaseSync } = createRequire(import.meta.url)("node:sqlite") as {
  readonly DatabaseSync: new (file: string) => SqliteDatabase;
};
const [file] = process.argv.slice(2) as [string];
const database = new DatabaseSync(file);
const promises = new Map<string, () => Promise<void>>();
let sessions = 0;
testStore({
  test: (name, run) => promises.set(name, run),
  logOf: (store) => store.log,
  createStore: () => sqliteStore({ database, session: `s${++sessions}` }),
  openAgain: (store) => sqliteStore({ database, session: store.where.split("#")[1] as string }),
});
const kept: string[] = [];
for (const [name, run] of promises) {
  await run();
  kept.push(name);
}
database.close();
process.stdout.write(JSON.stringify(kept));
