/** This file notices what other connections wrote, by the counter that SQLite keeps for it. It is told what this connection wrote. */
import { isJournalError } from "../../errors.ts";
import type { Database } from "./database.ts";
import { type SqliteDatabase, schemaOf } from "./schema.ts";

const pollMs = 50;

/** Stores on one handle do not see each other's commits in the counter. */
const watchers = new WeakMap<SqliteDatabase, Set<() => void>>();

/** Where `wake` throws, the next look calls it again: nobody waits for what a timer does, so its error would end the process. */
export function watchDatabase(database: Database, wake: () => void): () => Promise<void> {
  const { handle } = database;
  const look = handle.prepare(`PRAGMA ${schemaOf(handle)}.data_version`);
  /** The result is undefined if another process holds the database just now. The next look tells. */
  const counter = (): string | undefined => {
    try {
      const { data_version } = database.read(() => look.get()) as { data_version: unknown };
      return `${database.openings} ${data_version}`;
    } catch (error) {
      return isJournalError(error, "lock_timeout") ? undefined : "unreadable";
    }
  };
  const isTold = (): boolean => {
    try {
      wake();
      return true;
    } catch {
      return false;
    }
  };
  let seen = counter();
  const poll = setInterval(() => {
    const now = counter();
    if (now !== undefined && now !== seen && isTold()) seen = now;
  }, pollMs);
  const own = (): void => {
    if (!isTold()) seen = undefined;
  };
  const known = watchers.get(handle) ?? new Set();
  watchers.set(handle, known.add(own));
  return async () => {
    clearInterval(poll);
    known.delete(own);
  };
}

/** It is called after a commit through this handle. */
export function wakeWatchers(handle: SqliteDatabase): void {
  for (const wake of watchers.get(handle) ?? []) queueMicrotask(wake);
}
