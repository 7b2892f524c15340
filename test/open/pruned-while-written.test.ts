/** A host knows no lock of ours: what it writes while a prune waits for the lock is in no archive. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { type Pruned, pruneJournals } from "../../src/open/prune-journals.ts";
import { sidePaths } from "../../src/store/session-file/session-path.ts";

test("what a host writes while the lock is waited for keeps the session", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-prune-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const [file, archive] = [path.join(folder, "session.jsonl"), path.join(folder, "archive")];
  const journal = await openJournal(file);
  await journal.notes.set("old");
  await journal.close();
  const { lock } = sidePaths(file);
  fs.mkdirSync(lock);
  const pruned: Pruned[] = [];
  const pruning = (async () => {
    const options = { before: Date.now() + 60_000, held: new Set<string>(), archive, isDryRun: false };
    for await (const each of pruneJournals(folder, options)) pruned.push(each);
  })();
  await vi.waitFor(() => expect(fs.existsSync(path.join(archive, "session.archive.gz"))).toBe(true), {
    timeout: 30_000,
    interval: 1,
  });
  await new Promise((resolve) => setTimeout(resolve, 60));
  const line = { type: "message", id: "h1", parentId: null, message: { role: "user", content: "precious" } };
  fs.appendFileSync(file, `${JSON.stringify(line)}\n`);
  fs.rmdirSync(lock);
  await pruning;
  expect(pruned.map(({ fate }) => fate)).not.toContain("removed");
  expect(fs.readFileSync(file, "utf8")).toContain("precious");
});
