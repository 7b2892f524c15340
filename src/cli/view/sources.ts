/** Where the sessions of a view come from: what is found on this machine or in a folder, one place of many, or one that was named. */

import path from "node:path";
import { withoutPassword } from "../../errors.ts";
import type { FoundSoFar, Look } from "../../find/find-sessions.ts";
import type { SessionPlace } from "../../find/found-session.ts";
import { placeIn, storeAt } from "../../open/addresses.ts";
import { catalogAt } from "../../open/catalog-at.ts";
import type { SessionCatalog } from "../../stream/catalog.ts";
import type { JournalStore } from "../../stream/stream-store.ts";
import type { ReadOptions } from "../session.ts";
import { isAddress } from "../where.ts";
import { keyOf, listedFound, type Opening } from "./listed-session.ts";
import { RowReader } from "./row-reader.ts";
import type { SessionSource } from "./session-list.ts";
import { pause, Wakes } from "./wakes.ts";

const lookEveryMs = 1000;
const listWaitMs = 300;
/** Looking takes at most such a part of the time. */
const lookShareMin = 10;

/** The source has the sessions that are found at each look. */
export function foundSource(newLook: () => Look, options: ReadOptions): SessionSource {
  return {
    async follow(put, signal) {
      const look = newLook();
      let soFar: FoundSoFar | undefined = (found, unread) => put([...found, ...unread].map(opening), true);
      // What has not changed comes as the same object again, and again is the same opening.
      const openings = new WeakMap<SessionPlace, Opening>();
      const opening = (found: SessionPlace): Opening => {
        const open = () => storeAt(found.where, { ...options, readonly: true });
        const known = openings.get(found) ?? { listed: listedFound(found), open };
        openings.set(found, known);
        return known;
      };
      while (!signal.aborted) {
        const beganMs = performance.now();
        put((await look(soFar, signal)).map(opening));
        soFar = undefined;
        await pause(Math.max(lookEveryMs, (performance.now() - beganMs) * lookShareMin), signal);
      }
    },
  };
}

/** The place is a folder of session files, a database or a broker. */
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
      const readers = new Map<string, RowReader>();
      const take = async (session: string, reader: RowReader): Promise<void> => {
        const opening = await reader.read();
        if (opening === undefined) known.delete(session);
        else known.set(session, opening);
      };
      /** If a session goes on, only what is new is read. */
      const readOn = async (session: string): Promise<void> => {
        const reader = readers.get(session) ?? openInCatalog(catalog, session);
        readers.delete(session);
        readers.set(session, reader);
        await take(session, reader);
        const [oldest] = readers.keys();
        if (readers.size <= keptReadersMax || oldest === undefined) return;
        await readers.get(oldest)?.close();
        readers.delete(oldest);
      };
      try {
        for await (const { session, fault } of catalog.list()) {
          if (fault !== undefined) continue;
          const reader = openInCatalog(catalog, session);
          await take(session, reader);
          await reader.close();
          put([...known.values()], true);
        }
        put([...known.values()]);
        while (await wakes.next()) {
          const sessions = [...changed];
          changed.clear();
          for (const session of sessions) await readOn(session);
          put([...known.values()]);
          await pause(lookEveryMs / 4, signal);
        }
      } finally {
        await unwatch();
        for (const reader of readers.values()) await reader.close();
        await catalog.close();
      }
    },
  };
}

/** How many sessions that somebody writes are kept open. */
const keptReadersMax = 16;

function openInCatalog(catalog: SessionCatalog, session: string): RowReader {
  const isFolder = !isAddress(catalog.where);
  const where = placeIn(catalog.where, session);
  const open = async (): Promise<JournalStore> => catalog.open(session, { readonly: true });
  return new RowReader(where, open, isFolder ? path.dirname(where) : undefined);
}

/** The source has one session, and nothing else is listed beside it. */
export function sessionSource(where: string, options: ReadOptions): SessionSource {
  const open = (): Promise<JournalStore> => storeAt(where, { ...options, readonly: true, create: false });
  const shown = withoutPassword(where);
  const unread = { key: keyOf(shown), client: "session-journal", title: "session-journal", session: "", where: shown };
  return {
    only: { listed: unread, open },
    async follow(put, signal) {
      const store = await open();
      const reader = new RowReader(shown, open);
      const wakes = new Wakes(signal);
      const unwatch = await store.watch(wakes.wake);
      wakes.wake();
      try {
        // Whoever asks for the list looks at the session first.
        await pause(listWaitMs, signal);
        while (await wakes.next()) {
          const opening = await reader.read();
          put(opening === undefined ? [] : [opening]);
          await pause(lookEveryMs, signal);
        }
      } finally {
        await unwatch();
        await reader.close();
        await store.close();
      }
    },
  };
}
