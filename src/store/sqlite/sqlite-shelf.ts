/** All sessions of a database, over one connection. */

import { keptId } from "../option-parsers.ts";
import { Desk } from "../records/desk.ts";
import type { SessionFileOptions } from "../session-file/session-file-options.ts";
import { sharedOptions } from "../shared-options.ts";
import type { JournalStore, SessionShelf, SessionSummary } from "../store.ts";
import { type Database, openDatabase } from "./database.ts";
import { newestChange, sessionsAfter, sessionsChangedAfter } from "./rows.ts";
import type { SqliteOptions } from "./sqlite-options.ts";
import { sqliteStoreOn } from "./sqlite-store.ts";
import { watchDatabase } from "./watch.ts";

const pageRows = 256;

export function sqliteShelf(options: Omit<SqliteOptions, "session">): SessionShelf {
  return new SqliteShelf(options);
}

class SqliteShelf implements SessionShelf {
  readonly where: string;
  readonly #options: Omit<SqliteOptions, "session">;
  readonly #desk: Desk<Database>;
  readonly #unwatches = new Set<() => void>();

  constructor(options: Omit<SqliteOptions, "session">) {
    const { database } = options;
    this.where = `sqlite:${typeof database === "string" ? database : ""}`;
    this.#options = options;
    this.#desk = new Desk(
      this.where,
      () => openDatabase(options),
      (opened) => opened.close(),
    );
  }

  async *list(): AsyncGenerator<SessionSummary> {
    const database = await this.#desk.resource();
    for (let after: string | undefined; ; ) {
      const page = database.read(() => sessionsAfter(database.handle, after, pageRows));
      yield* page;
      if (page.length < pageRows) return;
      after = page.at(-1)?.session;
    }
  }

  open(session: string, options: SessionFileOptions = {}): JournalStore {
    return sqliteStoreOn(() => this.#desk.resource(), {
      ...this.#options,
      ...sharedOptions(options),
      session: keptId(session, "session"),
    });
  }

  async watch(wake: (session: string) => void): Promise<() => Promise<void>> {
    const database = await this.#desk.resource();
    let seen = database.read(() => newestChange(database.handle));
    const unwatch = watchDatabase(database, () => {
      const changed = database.read(() => sessionsChangedAfter(database.handle, seen));
      for (const { session, change } of changed) {
        seen = Math.max(seen, change);
        wake(session);
      }
    });
    this.#unwatches.add(unwatch);
    return async () => {
      this.#unwatches.delete(unwatch);
      unwatch();
    };
  }

  async close(): Promise<void> {
    for (const unwatch of this.#unwatches) unwatch();
    await this.#desk.close();
  }
}
