/** The same tests over every backend: what a journal promises does not depend on where it lives. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import type { Journal } from "../../src/journal/public.ts";
import { allOf } from "../../src/journal/readings.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import type { OpenOptions } from "../../src/open/open-options.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { JournalStore } from "../../src/stream/stream-store.ts";

/** One stream, new for each test. The journals that it opens are closed after the test. */
export interface Stream {
  readonly where: string | JournalStore;
  open(options?: OpenOptions): Promise<Journal>;
}

export function overStores(name: string, tests: (stream: Stream) => void): void {
  describe(`${name}, in memory`, () => tests(streamOver(() => ({ where: memoryStore(), remove: () => undefined }))));
  describe(`${name}, in a session file`, () => tests(streamOver(sessionFile)));
}

interface Place {
  readonly where: string | JournalStore;
  readonly remove: () => void;
}

function sessionFile(): Place {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
  return { where: path.join(folder, "session.jsonl"), remove: () => fs.rmSync(folder, { recursive: true }) };
}

function streamOver(makePlace: () => Place): Stream {
  let place: Place;
  let journals: Journal[];
  beforeEach(() => {
    place = makePlace();
    journals = [];
  });
  afterEach(async () => {
    await Promise.all(journals.map((journal) => journal.close()));
    place.remove();
  });
  return {
    get where() {
      return place.where;
    },
    open: async (options) => {
      const journal = await openJournal(place.where, { durability: "os", ...options });
      journals.push(journal);
      return journal;
    },
  };
}

export async function historyOf(journal: Journal): Promise<RecordedEvent[]> {
  return allOf(journal.history());
}

/** The types of all events, in order. */
export async function typesOf(journal: Journal): Promise<string[]> {
  return (await historyOf(journal)).map(({ event }) => event.type);
}

export async function commitCount(journal: Journal): Promise<number> {
  return new Set((await historyOf(journal)).map(({ commit }) => commit)).size;
}
