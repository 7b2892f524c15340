import { defaultLimits, type Limits } from "../../src/action/limits.ts";
import type { Measure } from "../../src/action/text.ts";
import { type Journal, resumeJournal } from "../../src/journal/journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { JournalStore } from "../../src/store/store.ts";

/** A journal in memory whose clock moves a second with each look at it. */
export function memoryJournal(
  options: { store?: JournalStore; limits?: Partial<Limits>; actor?: string; measure?: Measure } = {},
): Promise<Journal> {
  const { store = memoryStore(), limits, actor = "agent", measure } = options;
  let seconds = 0;
  return resumeJournal({
    store,
    ownsStore: false,
    limits: { ...defaultLimits, ...limits },
    actor,
    ...(measure === undefined ? {} : { measure }),
    readonly: false,
    clock: () => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds++)),
    ids: () => crypto.randomUUID(),
  });
}
