/** What went wrong between us and the server, and what became of what was asked. */
import { type Fate, LockTimeoutError, StorageError } from "../../errors.ts";

/** Others have all connections of a pool, or it gets none from the server. All patience was used for it. */
export class NoConnectionError extends Error {
  constructor(ms: number) {
    super(`no connection of the pool became free or could be made in ${ms} ms`);
  }
}

/** This is what the server or the connection threw, before it is known whether a caller hears of it. */
export class Failure extends Error {
  readonly fate: Fate;
  readonly isPassing: boolean;
  /** This is the SQLSTATE, if the server answered. */
  readonly state: string | undefined;

  /** `sent`: the server may have carried out what was asked. */
  constructor(cause: unknown, sent: boolean) {
    super((cause as Error).message, { cause });
    const { severity, code } = cause as { readonly severity?: unknown; readonly code?: string };
    this.state = typeof severity === "string" ? code : undefined;
    // Of an error the server has taken back everything. What it ends a connection with, it may say behind a commit.
    this.fate = sent && (this.state === undefined || mayEnd(severity, this.state)) ? "unknown" : "not-written";
    this.isPassing = this.state === undefined ? isOfConnection(cause) : passing.test(this.state) || this.isOfName;
  }

  /** A named statement is not there, or is there already. Without its name it can be asked. */
  get isOfName(): boolean {
    return this.state === "26000" || this.state === "42P05";
  }
}

/**
 * https://www.postgresql.org/docs/current/errcodes-appendix.html: connections, shutdown and start, too many connections,
 * a race of transactions, and a server that became a standby.
 */
const passing = /^(08...|57P0[1-5]|53300|40...|25006)$/;
/**
 * With these a server may end the connection: connections, time limits of a transaction, no room or memory, an operator, the system,
 * and faults of its own.
 */
const ending = /^(08|25P0[34]|40003|53|57P|58|F0|XX)/;
const lockNotAvailable = "55P03";
/** All that we keep besides the id of a session is short, or in no index. */
const programLimitExceeded = "54000";

/** The severity is in the server's language, which is often not English. The client does not tell the one that is not. */
function mayEnd(severity: unknown, state: string): boolean {
  if (severity === "ERROR") return false;
  return severity === "FATAL" || severity === "PANIC" || ending.test(state);
}

/** The client marks no errors of its own, so those that no patience helps against are told apart by what they are. */
function isOfConnection(cause: unknown): boolean {
  if (cause instanceof TypeError || cause instanceof RangeError || cause instanceof NoConnectionError) return false;
  return !/SSL|password|SASL|after calling end on the pool/.test((cause as Error).message);
}

const raiseWait = { option: "waitMs", said: ", or raise waitMs" } as const;

/** `fate`: of everything that was tried. */
export function failureAt(where: string, failure: Failure, fate: Fate, waitMs: number): Error {
  const { cause, state } = failure;
  const again = fate === "unknown" ? "try again with the same command" : "try again";
  const place = { file: where };
  if (state === lockNotAvailable && fate === "not-written") {
    const message = `other writers held ${where} for ${waitMs} ms: try again${raiseWait.said}`;
    return new LockTimeoutError(message, place, { cause, advice: raiseWait });
  }
  if (state === programLimitExceeded) {
    const why = `${messageOf(cause)}: the session's id is too long for an index of PostgreSQL`;
    return new StorageError(
      `${where} cannot be used (${why}): fork the session into one with a shorter id`,
      fate,
      place,
      cause,
    );
  }
  const what = `${where} cannot be used (${messageOf(cause)})`;
  return new StorageError(`${what}: ${adviceFor(failure)}, then ${again}`, fate, place, cause);
}

function adviceFor({ cause, isPassing }: Failure): string {
  if (cause instanceof NoConnectionError)
    return "give the pool more connections (its option max), see that the server runs";
  if (isPassing) return "see that the server runs and takes writes";
  return "check the address, the rights of the user and the server's log";
}

/** If a host has several addresses and all refuse, the error has no message of its own. */
function messageOf(cause: unknown): string {
  const { message, errors } = cause as { readonly message: string; readonly errors?: readonly Error[] };
  return message === "" ? (errors ?? []).map((each) => each.message).join(", ") : message;
}
