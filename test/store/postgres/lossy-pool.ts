/** A pool of the package pg, of which single statements fail as a lost connection lets them fail. */
import pg from "pg";
import type { PostgresClient, PostgresPool, PostgresStatement } from "../../../src/store/postgres/pool.ts";

export interface Loss {
  readonly statement: RegExp;
  /** Whether the server carried it out before the answer was lost. */
  readonly isDone: boolean;
  /** So many in a row. */
  times: number;
}

export class LossyPool implements PostgresPool {
  readonly pool: pg.Pool;
  loss: Loss | undefined;
  /** As behind a pooler that gives each statement another connection. */
  isForgetful = false;
  /** Nothing is answered any more, and no connection ends. */
  isSilent = false;
  named = 0;
  /** So many statements got no answer. */
  unanswered = 0;

  constructor(connectionString: string) {
    this.pool = new pg.Pool({ connectionString });
    this.pool.on("error", () => undefined);
  }

  async connect(): Promise<PostgresClient> {
    const client = await this.pool.connect();
    return {
      query: (statement) => this.#query(client, statement),
      release: (destroy) => client.release(destroy),
      on: (event, listener) => client.on(event as "notification", listener as never),
      removeListener: (event, listener) => client.removeListener(event, listener as never),
    };
  }

  end(): Promise<void> {
    return this.pool.end();
  }

  async #query(client: pg.PoolClient, statement: PostgresStatement) {
    const { loss } = this;
    if (statement.name !== undefined) this.named += 1;
    if (this.isForgetful && statement.name !== undefined) await client.query("DEALLOCATE ALL");
    if (this.isSilent) {
      this.unanswered += 1;
      return new Promise<never>(() => undefined);
    }
    if (loss === undefined || loss.times === 0 || !loss.statement.test(statement.text)) return client.query(statement);
    loss.times -= 1;
    if (loss.isDone) await client.query(statement);
    throw new Error("Connection terminated unexpectedly");
  }
}
