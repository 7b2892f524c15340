/** This is the part of the `pg` package's pool that is used. It names no library, so that its users' types need none. */

export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  end(): Promise<unknown>;
}

export interface PostgresClient {
  query(statement: PostgresStatement): Promise<PostgresResult>;
  /** With true the connection is not used again. */
  release(destroy?: boolean): void;
  on(event: "error" | "end" | "notification", listener: (notification: PostgresNotification) => void): unknown;
  removeListener(
    event: "error" | "end" | "notification",
    listener: (notification: PostgresNotification) => void,
  ): unknown;
}

export interface PostgresStatement {
  /** A statement with a name is parsed and planned once for each connection. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly values?: unknown[] | undefined;
}

export interface PostgresResult {
  readonly rows: readonly unknown[];
  /** So many rows were answered, or changed. */
  readonly rowCount: number | null;
}

export interface PostgresNotification {
  readonly channel: string;
  readonly payload?: string;
}

/** Throws Failure. `name`: of a statement that is asked often; the same name always has the same text. */
export type Query = (text: string, values?: unknown[], name?: string) => Promise<PostgresResult>;

export type Connected<Result> = (query: Query, client: PostgresClient) => Promise<Result>;

export interface ConnectionUse {
  readonly isSpent?: boolean;
  readonly signal?: AbortSignal;
}

/** Things beside the journals ask a server through this. */
export interface Connections {
  readonly schema: string;
  /** A connection for as long as `work` takes. One that failed is not used again, nor is one that `isSpent`. Once `signal` is aborted, nobody waits for an answer. */
  connected<Result>(work: Connected<Result>, use?: ConnectionUse): Promise<Result>;
  /** Tries again while the failure is one that passes. */
  patiently<Result>(ask: () => Promise<Result>): Promise<Result>;
}
