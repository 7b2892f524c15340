import type { Journal } from "../../src/journal/public.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import type { OpenOptions } from "../../src/open/open-options.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { JournalStore } from "../../src/stream/stream-store.ts";

/** A journal in memory; with `store`, one more handle on what is there. */
export function memoryJournal({
  store = memoryStore(),
  ...options
}: OpenOptions & { store?: JournalStore } = {}): Promise<Journal> {
  return openJournal(store, options);
}
