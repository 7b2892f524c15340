/**
 * Tells watchers which sessions may have grown. Writers send a notification behind the commit, not in it: the server lets
 * only one transaction that notifies commit at a time, so none would share its sync with another. What was not
 * sent or not heard, the poll finds.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Connections } from "./pool.ts";
import type { Watchers } from "./watchers.ts";
import { lastAnswer } from "./watching.ts";

/** A notification takes 8000 bytes. A session with a longer id is not announced: followers see it when they poll. */
const payloadBytesMax = 7999;
/** Further sessions gather for so long. Each notification costs the server as much as an append, while the next append is under way. */
const gatherMs = 10;

export class Notices {
  readonly #server: Connections;
  readonly #watchers: Watchers;
  /** Each of these ends a watch. */
  readonly #leaving = new Set<() => Promise<void>>();
  /** These sessions are to be announced. */
  readonly #grown = new Set<string>();
  readonly #givingUp = new AbortController();
  #announcing: Promise<void> | undefined;

  constructor(server: Connections, watchers: Watchers) {
    this.#server = server;
    this.#watchers = watchers;
  }

  /** Resolves once whatever is appended later is heard of: in the session `only`, or in any. */
  async watch(wake: (session: string) => void, only?: string): Promise<() => Promise<void>> {
    const watcher = { wake, only };
    const leave = (): Promise<void> => {
      this.#leaving.delete(leave);
      return this.#watchers.leave(watcher);
    };
    this.#leaving.add(leave);
    await this.#watchers.join(watcher).catch(async (error: unknown) => {
      await leave();
      throw error;
    });
    return leave;
  }

  /** Nobody waits for this. The first session is announced at once; those that follow gather for a while. */
  announce(session: string): void {
    this.#grown.add(session);
    this.#announcing ??= this.#send().finally(() => {
      this.#announcing = undefined;
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#leaving].map((leave) => leave()));
    if (this.#announcing !== undefined) await lastAnswer(this.#announcing, this.#givingUp);
  }

  async #send(): Promise<void> {
    while (this.#grown.size > 0) {
      const sessions = [...this.#grown].filter((session) => Buffer.byteLength(session) <= payloadBytesMax);
      this.#grown.clear();
      const sql = "SELECT pg_notify($1, session) FROM unnest($2::text[]) AS session";
      const { schema } = this.#server;
      const { signal } = this.#givingUp;
      const asking = this.#server.connected((query) => query(sql, [schema, sessions], "notify"), { signal });
      await asking.catch(() => undefined);
      await sleep(gatherMs);
    }
  }
}
