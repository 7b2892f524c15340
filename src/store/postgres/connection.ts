/** This file connects to PostgreSQL. It is the only file that names its client. */
import type { Client as PgClient } from "pg";
import { installing } from "../../errors.ts";
import type { PostgresPool } from "./pool.ts";
import { type PostgresServerOptions, waitMsIn } from "./server-options.ts";

/** Nothing is connected yet. Throws a TypeError where the package is missing. */
export async function poolOf(database: string, options: PostgresServerOptions): Promise<PostgresPool> {
  const { synchronous = "full" } = options;
  const waitMs = waitMsIn(options);
  const { default: pg } = await import("pg").catch((cause: unknown) => {
    throw new TypeError(`postgres: needs the package pg: ${installing("pg")}`, { cause });
  });
  mustBeReadable(database);
  class Client extends pg.Client {
    override connect(): Promise<PgClient>;
    override connect(done: (error: Error) => void): void;
    /** One that is not let in leaves its socket open, and the process would wait for the server to give up: a minute as a rule. */
    override connect(done?: (error: Error) => void): Promise<PgClient> | undefined {
      if (done === undefined) return super.connect();
      super.connect((error: Error | null) => {
        if (error instanceof Error) this.end().catch(() => undefined);
        done(error as Error);
      });
      return undefined;
    }
  }
  const pool = new pg.Pool({
    Client,
    connectionString: database,
    application_name: "session-journal",
    connectionTimeoutMillis: waitMs,
    keepAlive: true,
    allowExitOnIdle: true,
  });
  // What an idle connection dies of is told to whoever uses the next one.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    client.query(settings(waitMs, synchronous)).catch(() => undefined);
  });
  return pool;
}

/** The client says no more than "Invalid URL". What it cannot read may be a password, so the message does not repeat it. */
function mustBeReadable(database: string): void {
  if (!/^postgres(?:ql)?:\/\//.test(database) || URL.canParse(database.replace("@/", "@localhost/"))) return;
  throw new TypeError(
    "this address of a PostgreSQL server cannot be read: use postgres://user:password@host:port/database; in a password write / as %2F, # as %23, ? as %3F and % as %25",
  );
}

/** A stricter setting of the server's own is left as it is. */
function settings(waitMs: number, synchronous: "full" | "normal"): string {
  const sync =
    synchronous === "normal"
      ? "SET synchronous_commit = off"
      : "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";
  return `SET lock_timeout = ${Math.max(1, waitMs)}; ${sync}`;
}
