import { expect, test } from "vitest";
import { tellJournal } from "../../../src/cli/view/session-feed.ts";
import { SessionReading } from "../../../src/cli/view/session-reading.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { memoryStore } from "../../../src/store/memory.ts";
import type { JournalStore } from "../../../src/stream/stream-store.ts";
import { parts } from "../../store/handles.ts";

test("no event is shown twice after a reading that failed on its way", async () => {
  const store = memoryStore();
  const journal = await openJournal(store);
  await journal.notes.set("one");
  let fails = false;
  const reading = new SessionReading({
    ...parts(store),
    async catchUp(from, sink) {
      const end = await store.catchUp(from, sink);
      if (fails) throw new Error("the connection is gone");
      return end;
    },
  } as JournalStore);
  await reading.refresh();
  fails = true;
  await journal.notes.set("two");
  await expect(reading.refresh()).rejects.toThrow("gone");
  fails = false;
  await journal.notes.set("three");
  await reading.refresh();
  expect(reading.events.newest.events.map(({ version }) => version)).toEqual([1, 2, 3]);
});

test("whoever looked at a session leaves nothing of it open", async () => {
  const store = memoryStore();
  const journal = await openJournal(store);
  await journal.notes.set("one");
  let open = 0;
  const opened = (): JournalStore => {
    open += 1;
    const close = async (): Promise<void> => {
      open -= 1;
    };
    return { ...parts(store), close } as JournalStore;
  };
  const leaving = new AbortController();
  await tellJournal({
    reading: new SessionReading(store),
    opening: {
      listed: { key: "k", client: "c", title: "t", session: "s", where: "w" },
      open: async () => opened(),
    },
    title: "t",
    tell: async (name) => {
      if (name === "about") leaving.abort();
    },
    signal: leaving.signal,
  });
  expect(open).toBe(0);
});
