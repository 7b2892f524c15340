/** Where the parts are put together: a store, a clock, ids and options make a journal. */

import { randomUUID } from "node:crypto";
import { parseLimits } from "../action/limits.ts";
import { traced } from "../diagnostics.ts";
import { defaultActor } from "../event/commit.ts";
import { type JournalParts, type OpenedJournal, resumeJournal } from "../journal/journal.ts";
import type { Journal, Where } from "../journal/public.ts";
import { type OpenTrace, opening } from "../journal/tracing.ts";
import { given } from "../options.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { isStore, parseAddress, storeAt } from "./addresses.ts";
import { type OpenOptions, parseOpenOptions, requireOfJournal, requireOfPlace } from "./open-options.ts";

/**
 * Opens the journal of a session, and reads it.
 *
 * @param where The path of a session file, its `file:` URL, an address (`sqlite:db#session`, `nats://host/prefix#session`,
 *   `postgres://host/database#session`), or a store. A store stays open when the journal is closed, and may be opened again.
 * @param options Who writes, the budgets, and how the journal is kept.
 * @throws NotASessionError where there is no session, or no session file.
 * @throws StorageError where the disk or the backend fails.
 * @throws TypeError for an option that does not exist, and for one that is given to the store instead.
 * @example
 * const journal = await openJournal("session.jsonl", { actor: "agent" });
 * journal.state.plan;
 * await journal.close();
 */
export async function openJournal(where: Where, options?: OpenOptions): Promise<Journal> {
  const parsed = parseOpenOptions(options);
  if (isStore(where)) requireOfJournal(parsed);
  else requireOfPlace(parseAddress(where), parsed);
  return open(where, parsed);
}

/** This does what `openJournal` does on a store, and closes the store with the journal. */
export async function openOwnStore(store: JournalStore, options?: OpenOptions): Promise<Journal> {
  return open(store, parseOpenOptions(options), { ownsStore: true });
}

/** This does what `openJournal` does, for a program that looks back several times and then ends: a short history is held, and read once. */
export async function openToLookBack(where: string, options: OpenOptions): Promise<Journal> {
  const parsed = parseOpenOptions(options);
  requireOfPlace(parseAddress(where), parsed);
  return open(where, parsed, { holds: true });
}

/** This does what `openJournal` does, for a program that first of all verifies: of a session file nothing is read before. */
export async function openToVerify(where: string, options: OpenOptions): Promise<Journal> {
  const parsed = parseOpenOptions(options);
  requireOfPlace(parseAddress(where), parsed);
  return open(where, parsed, { isUnread: true });
}

interface OpenParts extends Partial<Pick<JournalParts, "ownsStore" | "holds" | "isUnread">> {
  /** This is where a session that is made here comes from. */
  readonly parentSession?: string;
}

async function open(
  where: Where,
  options: OpenOptions,
  { parentSession, ownsStore = !isStore(where), holds = false, isUnread = false }: OpenParts = {},
): Promise<OpenedJournal> {
  const {
    limits,
    actor = defaultActor,
    measure,
    dedupe = false,
    readonly = false,
    follow = false,
    ...ofFile
  } = options;
  const origin = parentSession === undefined ? {} : { parentSession };
  const store = isStore(where) ? where : await storeAt(where, { ...ofFile, ...origin, readonly });
  try {
    return await resumed({
      store,
      ownsStore,
      holds,
      isUnread: isUnread && store.file !== undefined,
      limits: parseLimits(limits),
      actor,
      ...given({ measure, dedupe: dedupe === false ? undefined : dedupe }),
      readonly,
      follow,
      clock: store.clock ?? (() => new Date()),
      ids: store.ids ?? randomUUID,
      openChild: async (target, parentSession, begin) => {
        const { openChild } = await import("./open-child.ts");
        const ofChild = { ...options, readonly: false, create: true };
        return openChild(target, begin, (place, more) => open(place, { ...ofChild, ...more }, { parentSession }));
      },
    });
  } catch (error) {
    if (ownsStore) await store.close();
    throw error;
  }
}

function resumed(parts: JournalParts): Promise<OpenedJournal> {
  const { store } = parts;
  return traced(
    opening,
    (): OpenTrace => ({ where: store.where }),
    async (trace) => {
      const journal = await resumeJournal(parts);
      if (trace !== undefined) trace.session = await store.sessionId();
      return journal;
    },
  );
}
