/** All sessions of a database, over one connection. */

import type { SessionCatalog, SessionSummary } from "../../stream/catalog.ts";
import type { StreamStore } from "../../stream/stream-store.ts";
import { sharedOptions } from "../backend-options.ts";
import { OpenedOnce } from "../opened-once.ts";
import type { SessionFileOptions } from "../session-file/session-file-options.ts";
import { keptId } from "../session-id.ts";
import { type Database, openDatabase } from "./database.ts";
import { newestChange, sessionsAfter, sessionsChangedAfter } from "./rows.ts";
import { sqliteStoreOn } from "./sqlite-log.ts";
import type { SqliteOptions } from "./sqlite-options.ts";
import { watchDatabase } from "./watch.ts";

const pageRows = 256;

export function sqliteCatalog(options: Omit<SqliteOptions, "session">): SessionCatalog<SessionFileOptions> {
  return new SqliteCatalog(options);
}

class SqliteCatalog implements SessionCatalog<SessionFileOptions> {
  readonly where: string;
  readonly #options: Omit<SqliteOptions, "session">;
  readonly #database: OpenedOnce<Database>;
  readonly #unwatches = new Set<() => void>();

  constructor(options: Omit<SqliteOptions, "session">) {
    const { database } = options;
    this.where = `sqlite:${typeof database === "string" ? database : ""}`;
    this.#options = options;
    this.#database = new OpenedOnce(this.where, () => openDatabase(options));
  }

  async *list(): AsyncGenerator<SessionSummary> {
    const database = await this.#database.get();
    for (let after: string | undefined; ; ) {
      const page = database.read(() => sessionsAfter(database.handle, after, pageRows));
      yield* page;
      if (page.length < pageRows) return;
      after = page.at(-1)?.session;
    }
  }

  open(session: string, options: SessionFileOptions = {}): StreamStore {
    const id = keptId(session, "session");
    return sqliteStoreOn(() => this.#database.get(), { ...this.#options, ...sharedOptions(options), session: id });
  }

  async watch(wake: (session: string) => void): Promise<() => Promise<void>> {
    const database = await this.#database.get();
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
    await this.#database.close((database) => database.close());
  }
}
