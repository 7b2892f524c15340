/** This is who has a session file open for writing. */

export interface OpenWriter {
  /** This is the id of the process. */
  readonly pid: number;
  /** The name of the machine. */
  readonly host: string;
  /** ISO time when the process began; absent where the system does not say. */
  readonly since?: string;
  /** This is what the process runs. */
  readonly program?: string;
}

/** These are the processes that have a session file open for writing, and its lock. */
export interface OpenWriters {
  /** These are living processes of the same user and machine. */
  readonly writers: readonly OpenWriter[];
  /** The lock, where it is there: a writer holds it for a moment, and touches it as long as it lives. */
  readonly lock?: {
    /** This is an ISO time. */
    readonly touched: string;
    /** Without a sign of life for so long that the next writer takes it over. */
    readonly isStale: boolean;
  };
}
