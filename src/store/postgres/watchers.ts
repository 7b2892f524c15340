/** All who watch the same schema by the same pool share one connection that listens: each takes one of the pool's. */
import type { Connections, PostgresPool } from "./pool.ts";
import { Watching } from "./watching.ts";

const pollMsDefault = 1000;

export interface Watcher {
  readonly wake: (session: string) => void;
  /** It watches this session alone, or all without it. */
  readonly only: string | undefined;
}

export class Watchers {
  readonly #server: Connections;
  readonly #pollMs: number;
  readonly #watchers = new Set<Watcher>();
  #watching: Watching | undefined;

  constructor(server: Connections, pollMs = pollMsDefault) {
    this.#server = server;
    this.#pollMs = pollMs;
  }

  /** Resolves once whatever is appended later is heard of. If it rejects, the watcher still has to leave. */
  join(watcher: Watcher): Promise<void> {
    this.#watchers.add(watcher);
    this.#watching ??= new Watching(
      this.#server,
      (session) => {
        for (const { only, wake } of this.#watchers) if (only === undefined || only === session) wake(session);
      },
      () => this.#watched(),
      this.#pollMs,
    );
    return this.#watching.begun;
  }

  /** The last one ends the listening. */
  async leave(watcher: Watcher): Promise<void> {
    this.#watchers.delete(watcher);
    if (this.#watchers.size > 0) return;
    const watching = this.#watching;
    this.#watching = undefined;
    await watching?.stop();
  }

  /** It answers the sessions that are watched, or null for all. */
  #watched(): readonly string[] | null {
    const only = [...this.#watchers].map((each) => each.only);
    return only.every((session) => session !== undefined) ? [...new Set(only)] : null;
  }
}

/** These are kept by pool, then by schema. */
const known = new WeakMap<PostgresPool, Map<string, Watchers>>();

/** The result is shared by all who use the pool and the schema of `server`. It asks the first of them. */
export function watchersOf(pool: PostgresPool, server: Connections): Watchers {
  const ofPool = known.get(pool) ?? new Map<string, Watchers>();
  known.set(pool, ofPool);
  const watchers = ofPool.get(server.schema) ?? new Watchers(server);
  ofPool.set(server.schema, watchers);
  return watchers;
}
