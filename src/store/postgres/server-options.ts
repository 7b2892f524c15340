/** These options say how a PostgreSQL database is reached. */
import type { PostgresPool } from "./pool.ts";

export interface PostgresServerOptions {
  /** This is `postgres://user:password@host:port/database`, or a `Pool` of the package pg. Its caller closes the pool. */
  readonly database: string | PostgresPool;
  /** This is the tables' schema, which is created if there is none. The default is "session_journal". */
  readonly schema?: string;
  /**
   * "full": acknowledged is on the server's disk, and where it has synchronous standbys on theirs. "normal": it survives
   * this process, but not a crash of the server. "full" by default; of a pool that is handed in its caller says it.
   */
  readonly synchronous?: "full" | "normal";
  /** This is how long to try if the server gives no answer, and to wait for other writers. The default is 10000. */
  readonly waitMs?: number;
  readonly readonly?: boolean;
  /** With true, the tables are made if there are none. The default is true. */
  readonly create?: boolean;
}

const waitMsDefault = 10_000;
/** A timer of Node takes no more than 2^31 - 1, and this leaves a second for what comes behind it. The server takes as much. */
const waitMsMax = 2 ** 31 - 1 - 1000;

/** The result is how long to wait at most. */
export function waitMsIn({ waitMs = waitMsDefault }: Pick<PostgresServerOptions, "waitMs">): number {
  return Math.min(waitMs, waitMsMax);
}

export const schemaDefault = "session_journal";
