/** A snapshot is a cache: one that is too long for the memory of a process is neither written nor read by it. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import path from "node:path";
import v8 from "node:v8";
import { afterAll, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-room-"));
const { getHeapStatistics } = v8;
afterAll(() => {
  setHeap(getHeapStatistics);
  fs.rmSync(folder, { recursive: true, force: true });
});

function setHeap(look: typeof getHeapStatistics): void {
  v8.getHeapStatistics = look;
  syncBuiltinESMExports();
}

const store = () => sqliteStore({ database: path.join(folder, "sessions.db"), session: "s" });

/** This is the version that a handle resumes at before it reads. */
async function resumedAt(): Promise<number | undefined> {
  const opened = store();
  const snapshot = await opened.loadSnapshot();
  await opened.close();
  return snapshot?.end.version;
}

test("a process with little memory reads the records, and says why it keeps no snapshot", async () => {
  {
    await using journal = await openJournal(store(), { actor: "ann" });
    await journal.applyAll(
      Array.from({ length: 10 }, (_, index) => ({
        action: "entries.write",
        key: `k${index}`,
        content: "x".repeat(20_000),
      })),
    );
    await journal.snapshot();
  }
  expect(await resumedAt()).toBe(10);
  setHeap(() => ({ ...getHeapStatistics(), heap_size_limit: 1 << 20 }));
  expect(await resumedAt()).toBe(undefined);
  await using journal = await openJournal(store(), { actor: "ann" });
  expect(journal.version).toBe(10);
  await expect(journal.snapshot()).rejects.toMatchObject({
    code: "storage",
    message: expect.stringContaining("give it a larger heap"),
  });
});
