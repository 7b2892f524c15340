import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, test } from "vitest";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import { testJournalStore } from "../../src/testing/store-conformance.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-sqlite-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const database = path.join(folder, "journals.db");
let sessions = 0;

testJournalStore({
  test,
  createStore: () => sqliteStore({ database, session: `s${++sessions}` }),
  openAgain: (store) => sqliteStore({ database, session: store.where.split("#")[1] as string }),
  supports: { shared: true, snapshots: true, lines: false },
});
