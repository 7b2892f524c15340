/** This file asks a PostgreSQL database, and has patience while it does not answer. */
import { setTimeout as sleep } from "node:timers/promises";
import { because } from "../../diagnostics.ts";
import type { Fate } from "../../errors.ts";
import { shownAddress } from "./address.ts";
import { poolOf } from "./connection.ts";
import { Failure, failureAt, NoConnectionError } from "./failure.ts";
import { lockKey } from "./lock-key.ts";
import { Notices } from "./notices.ts";
import type { Connected, Connections, ConnectionUse, PostgresClient, PostgresPool, Query } from "./pool.ts";
import { migrate, requireReadable, schemaVersion, versionOf } from "./schema.ts";
import { type PostgresServerOptions, schemaDefault, waitMsIn } from "./server-options.ts";
import { watchersOf } from "./watchers.ts";

const pauseMs = 50;
/** What the server and the pool give up by themselves comes before what is given up on here. */
const graceMs = 1000;
/** What keeps from changing the tables: no right to do so, and a long transaction that reads them. */
const notNow: readonly unknown[] = ["42501", "55P03"];

export class Server implements Connections {
  /** This is the address for messages, without a password. */
  readonly where: string;
  readonly schema: string;
  readonly notices: Notices;
  readonly #waitMs: number;
  readonly #answerMs: number;
  readonly #pool: PostgresPool;
  readonly #isOwn: boolean;
  /** It was used last, and has not gone back to the pool: what follows at once need not ask for one. */
  #held: PostgresClient | undefined;
  /** The event loop came round so often since. */
  #rounds = 0;
  #isCounting = false;
  /** So many have asked the pool, and have none yet. */
  #waiting = 0;
  /** Statements have names until a pooler hands the next one to another connection, which does not know the name. */
  #mayName = true;

  constructor(pool: PostgresPool, options: PostgresServerOptions) {
    const { database, schema = schemaDefault } = options;
    this.where = placeOf(options);
    this.schema = schema;
    this.#waitMs = waitMsIn(options);
    this.#answerMs = this.#waitMs + graceMs;
    this.#pool = pool;
    this.#isOwn = typeof database === "string";
    this.notices = new Notices(this, watchersOf(pool, this));
  }

  /** Asks again while there is no answer. */
  read(text: string, values: unknown[] = []): Promise<readonly unknown[]> {
    return this.patiently(() => this.connected(async (query) => (await query(text, values)).rows));
  }

  /**
   * A transaction that nobody else has under the same key; who came first is first. What `work` throws takes back what it
   * did. Throws {@link Failure} where the server did.
   */
  alone<Result>(key: bigint, work: (query: Query) => Promise<Result>): Promise<Result> {
    return this.connected(async (query) => {
      let isEnding = false;
      try {
        await query(`BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(${key})`);
        const result = await work(query);
        isEnding = true;
        await query("COMMIT");
        return result;
      } catch (error) {
        if (error instanceof Failure) throw isEnding ? error : new Failure(error.cause, false);
        await query("ROLLBACK");
        throw error;
      }
    });
  }

  /**
   * Tries again while the failure is one that passes, for `waitMs`. Then it throws StorageError or LockTimeoutError. `fate` is what became
   * of the attempt before.
   */
  async patiently<Result>(ask: () => Promise<Result>, fate: Fate = "not-written"): Promise<Result> {
    const deadline = performance.now() + this.#waitMs;
    for (let worst = fate; ; ) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.fate === "unknown") worst = "unknown";
        if (!error.isPassing || performance.now() >= deadline) throw this.explained(error, worst);
      }
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }

  explained(failure: Failure, fate: Fate): Error {
    return failureAt(this.where, failure, fate, this.#waitMs);
  }

  /** Throws {@link Failure}, and what `work` throws. */
  async connected<Result>(work: Connected<Result>, { isSpent = false, signal }: ConnectionUse = {}): Promise<Result> {
    const held = this.#held;
    this.#held = undefined;
    const client = held ?? (await this.#connect(signal));
    let isBroken = isSpent;
    const query: Query = async (text, values, name) => {
      try {
        const asked = client.query({ text, values, name: this.#mayName ? name : undefined });
        return await answered(asked, this.#answerMs, noAnswer, signal);
      } catch (cause) {
        isBroken = true;
        const failure = new Failure(cause, true);
        if (failure.isOfName) this.#mayName = false;
        throw failure;
      }
    };
    try {
      return await work(query, client);
    } finally {
      // Nobody may overtake those who wait for the pool. Of a pool that others use, too, nobody knows who waits.
      const isFree = this.#isOwn && this.#waiting === 0 && this.#held === undefined;
      if (isFree && !isBroken) this.#hold(client);
      else giveBack(client, isBroken);
    }
  }

  /** A pool has no time limit of its own, unless its caller gives it one. */
  async #connect(signal: AbortSignal | undefined): Promise<PostgresClient> {
    const connecting = this.#pool.connect();
    this.#waiting += 1;
    try {
      const client = await answered(connecting, this.#answerMs, (ms) => new NoConnectionError(ms), signal);
      client.on("error", ignore);
      return client;
    } catch (cause) {
      // One that comes too late goes back.
      connecting.then(
        (client) => client.release(),
        () => undefined,
      );
      throw new Failure(cause, false);
    } finally {
      this.#waiting -= 1;
    }
  }

  #hold(client: PostgresClient): void {
    this.#held = client;
    this.#rounds = 0;
    if (!this.#isCounting) setImmediate(this.#count);
    this.#isCounting = true;
  }

  /** The client goes back to the pool when the event loop came round twice, unless it was taken: who appends may let it come round once. */
  readonly #count = (): void => {
    const held = this.#held;
    this.#isCounting = held !== undefined && this.#rounds === 0;
    if (this.#isCounting) {
      this.#rounds += 1;
      setImmediate(this.#count);
    } else if (held !== undefined) {
      this.#held = undefined;
      giveBack(held, false);
    }
  };

  async close(): Promise<void> {
    await this.notices.close();
    // A connection that is being made to a server that has gone silent cannot be given up.
    if (this.#isOwn) await Promise.race([this.#pool.end(), sleep(graceMs, undefined, { ref: false })]);
  }
}

function noAnswer(ms: number): Error {
  return new Error(`the server gave no answer in ${ms} ms`);
}

/** Throws `late` if there is no answer in `ms`, or once `signal` is aborted. */
async function answered<Answer>(
  asked: Promise<Answer>,
  ms: number,
  late: (ms: number) => Error,
  signal?: AbortSignal,
): Promise<Answer> {
  let giveUp = (): void => undefined;
  const over = new Promise<never>((_, reject) => {
    giveUp = () => reject(late(ms));
  });
  const timer = setTimeout(giveUp, ms);
  signal?.addEventListener("abort", giveUp);
  if (signal?.aborted === true) giveUp();
  try {
    return await Promise.race([asked, over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}

function giveBack(client: PostgresClient, isBroken: boolean): void {
  client.removeListener("error", ignore);
  client.release(isBroken);
}

/** What an event of the connection says, the query under way throws. */
function ignore(): void {
  // Without a listener the process would end.
}

/** The result is for messages. */
export function placeOf({ database, schema }: PostgresServerOptions): string {
  return typeof database === "string" ? shownAddress(database, schema) : "postgres:";
}

/** Throws StorageError, and a TypeError for tables of a newer version or without the client's package. */
export async function openServer(options: PostgresServerOptions): Promise<Server> {
  const { database, readonly = false, create = true } = options;
  const server = new Server(typeof database === "string" ? await poolOf(database, options) : database, options);
  const { schema, where } = server;
  try {
    const version = await reached(server, () => server.connected((query) => versionOf(query, schema)));
    if (readonly || !create || version > schemaVersion) requireReadable(version, where);
    else if (version < schemaVersion) await server.patiently(() => upgrade(server, version));
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Who cannot change tables of an older version now writes to them as they are: no statement names what is newer. */
async function upgrade(server: Server, version: number): Promise<void> {
  const { schema, where } = server;
  try {
    await server.alone(lockKey(schema), (query) => migrate(query, schema, where));
  } catch (error) {
    if (version === 0 || !(error instanceof Failure) || !notNow.includes(error.state)) throw error;
    because("%s: its tables stay those of version %d: %s", where, version, error.message);
  }
}

/** Where nothing was ever reached, the address may be wrong: what a server does not say itself is told at once. */
function reached<Result>(server: Server, ask: () => Promise<Result>): Promise<Result> {
  return server.patiently(async () => {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof Failure && error.state === undefined) throw server.explained(error, "not-written");
      throw error;
    }
  });
}
