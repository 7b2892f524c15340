import { expect, test } from "vitest";
import { isJournalError, memoryStore, openJournal } from "../../src/index.ts";

test("who waits for a version that another handle wrote sees that write", async () => {
  const store = memoryStore();
  await using writer = await openJournal(store);
  await using reader = await openJournal(store);
  const { version } = await writer.plan.set("a");
  await reader.reached(version);
  expect(reader.state.plan).toBe("a");
  const later = reader.reached(version + 2);
  await writer.plan.set("b");
  await writer.plan.set("c");
  await later;
  expect(reader.state.plan).toBe("c");
  await reader.reached(0);
});

test("waiting ends with its signal and with the journal, and takes nothing but a version", async () => {
  const journal = await openJournal(memoryStore());
  const stop = new AbortController();
  const waiting = journal.reached(1, { signal: stop.signal });
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  await expect(journal.reached(-1)).rejects.toThrow(TypeError);
  const open = journal.reached(1).catch((error: unknown) => error);
  await journal.refresh();
  await journal.close();
  expect(isJournalError(await open, "closed")).toBe(true);
});
