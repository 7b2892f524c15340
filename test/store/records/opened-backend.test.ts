import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { sqliteStore } from "../../../src/store/sqlite/sqlite-store.ts";

test("a watch that begins while its store is closed is ended, and keeps no process from ending", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  try {
    const store = sqliteStore({ database: path.join(folder, "journals.db"), session: "s" });
    const watching = store.watch(() => undefined);
    await store.close();
    await expect(watching).rejects.toMatchObject({ code: "closed" });
    expect(timers()).toBeLessThanOrEqual(before);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
