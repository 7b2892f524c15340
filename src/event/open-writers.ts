/** This is who has a session file open for writing. */

export interface OpenWriter {
  /** This is the id of the process. */
  readonly pid: number;
  /** This is the name of the machine. */
  readonly host: string;
  /** This is the ISO time at which the process began. It is absent if the system does not know it. */
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
    /** With true, the next writer takes it over, because it gave no sign of life for too long. */
    readonly isStale: boolean;
  };
}
