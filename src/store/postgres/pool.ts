/** What of the `pg` package's pool is used. It names no library, so that its users' types need none. */

export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  end(): Promise<unknown>;
}

export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: unknown[] }>;
  /** With true the connection is not used again. */
  release(destroy?: boolean): void;
  on(event: "error" | "end" | "notification", listener: (notification: PostgresNotification) => void): unknown;
  removeListener(
    event: "error" | "end" | "notification",
    listener: (notification: PostgresNotification) => void,
  ): unknown;
}

export interface PostgresNotification {
  readonly channel: string;
  readonly payload?: string;
}

/** Answers rows. Throws Failure. */
export type Query = (text: string, values?: unknown[]) => Promise<readonly unknown[]>;

/** What is asked of a server beside the journals. */
export interface Connections {
  readonly schema: string;
  /** A connection for as long as `work` takes. One that failed is not used again. */
  connected<Result>(work: (query: Query, client: PostgresClient) => Promise<Result>): Promise<Result>;
  /** Tries again while the failure is one that passes. */
  patiently<Result>(ask: () => Promise<Result>): Promise<Result>;
}
