/** One connection listens, and a poll behind it finds what was not heard. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Connections, PostgresClient, PostgresNotification } from "./pool.ts";

/** A server that answers does so sooner. One that has gone silent is not waited for when nobody watches any more. */
const lastAnswerMs = 500;

/** Waits for what was asked, which is given up after a while. */
export async function lastAnswer(asked: Promise<unknown>, givingUp: AbortController): Promise<void> {
  const timer = setTimeout(() => givingUp.abort(), lastAnswerMs);
  try {
    await asked;
  } finally {
    clearTimeout(timer);
  }
}

export class Watching {
  /** Resolves once whatever is appended later is heard of. Rejects where the server cannot be reached. */
  readonly begun: Promise<void>;
  readonly #server: Connections;
  readonly #wake: (session: string) => void;
  readonly #watched: () => readonly string[] | null;
  readonly #pollMs: number;
  readonly #stopping = new AbortController();
  readonly #givingUp = new AbortController();
  #listening: Promise<unknown> = Promise.resolve();
  #polling: Promise<unknown> = Promise.resolve();
  #isListening = false;
  /** Transactions from this one on may not have been told yet. */
  #seen: string | null = null;

  /** `watched`: the sessions that the poll looks at by their ids, or null where it looks at all, which takes longer the more there are. */
  constructor(
    server: Connections,
    wake: (session: string) => void,
    watched: () => readonly string[] | null,
    pollMs: number,
  ) {
    this.#server = server;
    this.#wake = wake;
    this.#watched = watched;
    this.#pollMs = pollMs;
    this.begun = this.#begin();
    this.begun.then(
      () => this.#run(),
      () => undefined,
    );
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await lastAnswer(Promise.all([this.#listening, this.#polling]), this.#givingUp);
  }

  async #begin(): Promise<void> {
    await this.#listen();
    await this.#server.patiently(async () => {
      if (!this.#stopping.signal.aborted) await this.#poll();
    });
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await sleep(this.#pollMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      if (!this.#isListening) await this.#listen();
      await this.#poll().catch(() => undefined);
    }
  }

  /**
   * Resolves once it listens, or cannot: a standby has no notifications, and the poll is enough. The connection is not used
   * again: one that has gone silent would not answer that it listens no more.
   */
  #listen(): Promise<void> {
    return new Promise((resolve) => {
      this.#listening = this.#server
        .connected(
          async (query, client) => {
            await query(`LISTEN "${this.#server.schema}"`);
            this.#isListening = true;
            resolve();
            await this.#hear(client);
          },
          { isSpent: true, signal: this.#givingUp.signal },
        )
        .catch(() => undefined)
        .finally(() => {
          this.#isListening = false;
          resolve();
        });
    });
  }

  /** Until the connection ends, or is not needed any more. */
  async #hear(client: PostgresClient): Promise<void> {
    const { signal } = this.#stopping;
    const take = ({ channel, payload }: PostgresNotification): void => {
      if (channel === this.#server.schema && payload !== undefined) this.#wake(payload);
    };
    client.on("notification", take);
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    client.on("end", end);
    signal.addEventListener("abort", end);
    if (!signal.aborted) await ended;
    signal.removeEventListener("abort", end);
    client.removeListener("end", end);
    client.removeListener("notification", take);
  }

  /**
   * A transaction that was still running at the last look has a number from there on; numbers that are not given yet
   * come from another server, by way of a dump. Before the first look there is no number, and nothing is told.
   */
  #poll(): Promise<void> {
    const polling = this.#look();
    this.#polling = Promise.allSettled([polling]);
    return polling;
  }

  async #look(): Promise<void> {
    const { schema } = this.#server;
    const sql = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS seen,
      ARRAY(SELECT session FROM "${schema}".sessions WHERE change >= $1::xid8
        AND change < pg_snapshot_xmax(pg_current_snapshot()) AND ($2::text[] IS NULL OR session = ANY($2))) AS sessions`;
    const watched = this.#watched();
    const { rows } = await this.#server.connected((query) => query(sql, [this.#seen, watched]), {
      signal: this.#givingUp.signal,
    });
    const { seen, sessions } = rows[0] as { readonly seen: string; readonly sessions: readonly string[] };
    // A server that was put back to an older state gives numbers again.
    if (BigInt(seen) < BigInt(this.#seen ?? 0)) {
      this.#seen = "0";
      return this.#look();
    }
    // For a session that was not asked for, the next look begins where this one did.
    if (this.#seen === null || this.#hasAll(watched)) this.#seen = seen;
    for (const session of sessions) this.#wake(session);
  }

  /** Nobody watches a session now that is not among these. */
  #hasAll(watched: readonly string[] | null): boolean {
    const known = new Set(watched);
    return watched === null || this.#watched()?.every((session) => known.has(session)) === true;
  }
}
