/** Where the sessions of a view come from: what clients keep on this machine, one place of many, or one that was named. */

import path from "node:path";
import { planProgress } from "../../audit/steps.ts";
import { type FindOptions, sessionFinder } from "../../find/find-sessions.ts";
import type { FoundSession } from "../../find/found-session.ts";
import { storeAt } from "../../open/addresses.ts";
import { catalogAt } from "../../open/catalog-at.ts";
import { given } from "../../options.ts";
import type { SessionFileOptions } from "../../store/session-file/session-file-options.ts";
import { idInAddress } from "../../store/session-id.ts";
import type { SessionCatalog } from "../../stream/catalog.ts";
import type { JournalStore } from "../../stream/stream-store.ts";
import { keyOf, listedFound, type Opening } from "./listed-session.ts";
import type { SessionSource } from "./session-list.ts";
import { pause, Wakes } from "./wakes.ts";

const lookEveryMs = 1000;
/** Looking takes at most such a part of the time. */
const lookShareMin = 10;

export type ReadOptions = Pick<SessionFileOptions, "namespace" | "fold" | "seal">;

/** What clients keep on this machine. */
export function machineSource(find: Omit<FindOptions, "cache">, options: ReadOptions): SessionSource {
  return {
    async follow(put, signal) {
      const look = sessionFinder(find);
      let soFar: Parameters<typeof look>[0] = (found) => put(found.map(opening), true);
      // What has not changed comes as the same object again, and again is the same opening.
      const openings = new WeakMap<FoundSession, Opening>();
      const opening = (found: FoundSession): Opening => {
        const open = () => storeAt(found.where, { ...options, readonly: true });
        const known = openings.get(found) ?? { listed: listedFound(found), open };
        openings.set(found, known);
        return known;
      };
      while (!signal.aborted) {
        const beganMs = performance.now();
        put((await look(soFar)).map(opening));
        soFar = undefined;
        await pause(Math.max(lookEveryMs, (performance.now() - beganMs) * lookShareMin), signal);
      }
    },
  };
}

/** A folder of session files, a database, a broker. */
export function placeSource(where: string, options: ReadOptions): SessionSource {
  return {
    async follow(put, signal) {
      const catalog = await catalogAt(where, { ...options, readonly: true });
      const changed = new Set<string>();
      const wakes = new Wakes(signal);
      const unwatch = await catalog.watch((session) => {
        changed.add(session);
        wakes.wake();
      });
      const known = new Map<string, Opening>();
      const read = async (session: string): Promise<void> => {
        const opening = await openingIn(catalog, session);
        if (opening === undefined) known.delete(session);
        else known.set(session, opening);
      };
      try {
        for await (const { session } of catalog.list()) {
          await read(session);
          put([...known.values()], true);
        }
        put([...known.values()]);
        while (await wakes.next()) {
          const sessions = [...changed];
          changed.clear();
          for (const session of sessions) await read(session);
          put([...known.values()]);
          await pause(lookEveryMs / 4, signal);
        }
      } finally {
        await unwatch();
        await catalog.close();
      }
    },
  };
}

async function openingIn(catalog: SessionCatalog, session: string): Promise<Opening | undefined> {
  const isFolder = !/^(?:sqlite|nats|postgres(?:ql)?):/.test(catalog.where);
  const where = isFolder ? path.join(catalog.where, session) : `${catalog.where}#${idInAddress(session)}`;
  const open = async (): Promise<JournalStore> => catalog.open(session, { readonly: true });
  return openingOf(where, open, isFolder ? path.dirname(where) : undefined);
}

/** One session, which nothing else is listed beside. */
export function sessionSource(where: string, options: ReadOptions): SessionSource {
  const open = (): Promise<JournalStore> => storeAt(where, { ...options, readonly: true, create: false });
  return {
    async follow(put, signal) {
      const store = await open();
      const wakes = new Wakes(signal);
      const unwatch = await store.watch(wakes.wake);
      wakes.wake();
      try {
        while (await wakes.next()) {
          const opening = await openingOf(where, open);
          put(opening === undefined ? [] : [opening]);
          await pause(lookEveryMs, signal);
        }
      } finally {
        await unwatch();
        await store.close();
      }
    },
  };
}

/** Undefined where nothing is written yet, or what is there cannot be read: other verbs say what is wrong with it. */
async function openingOf(
  where: string,
  open: () => Promise<JournalStore>,
  folder?: string,
): Promise<Opening | undefined> {
  const store = await open();
  try {
    let plan = "";
    let newest: { readonly at: string; readonly actor: string } | undefined;
    const { version, turn } = await store.catchUp(undefined, {
      reset: () => undefined,
      event: (recorded, state) => {
        if (recorded.event.type === "plan.set") plan = recorded.event.text;
        else if (state !== undefined) plan = state.plan;
        newest = recorded;
      },
    });
    const foreign = await store.foreign();
    if (version === 0 && foreign === undefined) return undefined;
    const progress = planProgress(plan);
    const listed = {
      ...{
        key: keyOf(where),
        client: foreign?.client ?? "session-journal",
        title: foreign?.title ?? "session-journal",
      },
      ...{ session: await store.sessionId(), where, turns: foreign?.turns ?? turn, version },
      ...(newest === undefined ? {} : { at: newest.at, actor: newest.actor }),
      ...given({ folder }),
      ...(progress.total === 0 ? {} : { progress }),
      ...(foreign?.firstMessage === undefined ? {} : { firstMessage: foreign.firstMessage }),
    };
    return { listed, open };
  } catch {
    return undefined;
  } finally {
    await store.close();
  }
}
