/**
 * Failures are exceptions with a stable `code`; refusals of an action are values and never come through here.
 * Every message says what went wrong, where, and what to do next. Programmer mistakes are plain TypeErrors.
 */

/** This is the class of error for each code. */
export interface JournalErrors {
  /** The stream is not at the expected version. Nothing was written. */
  readonly version_conflict: VersionConflictError;
  /** `lock.required` is set, and the lock did not come within `lock.waitMs`. Nothing was written. */
  readonly lock_timeout: LockTimeoutError;
  /** What lies at the path is no session file that may be used. */
  readonly not_a_session: NotASessionError;
  /** With `strict`: a line of ours is damaged, or a commit is missing. */
  readonly corrupt_entry: CorruptEntryError;
  /** An event of a newer version is in the stream. This version reads on, but does not write. */
  readonly unknown_event: UnknownEventError;
  /** The history has no such point. */
  readonly bad_point: PointError;
  /** The handle was opened readonly, or the key of the seal is missing. */
  readonly readonly: ReadonlyError;
  /** The journal was closed. */
  readonly closed: ClosedError;
  /** The journal is written under the other fold policy. */
  readonly fold_policy: FoldPolicyError;
  /** The disk or the backend failed. `fate` says whether the commit may be there. */
  readonly storage: StorageError;
}

/** These are the codes of a {@link JournalError}. They are stable; the messages are free to improve. */
export type JournalErrorCode = keyof JournalErrors;

/** A place is a position in a file: `line` counts from 1, `byte` from 0. */
export interface Place {
  /** This is the path or the address, without a password. */
  readonly file?: string;
  /** The line counts from 1. */
  readonly line?: number;
  /** The byte counts from 0. */
  readonly byte?: number;
}

/** An advice names an option that would help. */
export interface Advice {
  /** This option of `openJournal` or `apply` would help. */
  readonly option: "create" | "expectedVersion" | "fold" | "readonly" | "seal" | "waitMs";
  /** This value would help, if one is known. */
  readonly value?: number | string;
  /** The part of the message that says so, to be replaced by who calls the option by another name. */
  readonly said: string;
}

const brand = Symbol.for("session-journal.error");

/** Every error of this package has a stable `code`, a message that says what to do next, and the place where it happened. */
export abstract class JournalError extends Error {
  /** The code is stable. Ask for it with `isJournalError(error, code)`. */
  abstract readonly code: JournalErrorCode;
  /** This is where it happened. It is empty if there is no such place. */
  readonly place: Place;
  /** This is where an option would help. */
  readonly advice: Advice | undefined;

  constructor(message: string, place: Place = {}, options: ErrorOptions & { readonly advice?: Advice } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.name = new.target.name;
    this.place = place;
    this.advice = options.advice;
    Object.defineProperty(this, brand, { value: true });
  }
}

/**
 * Tells whether a value is an error of this package, also when another installed copy of it threw it.
 *
 * @param error What was caught.
 * @param code Asks for the errors of one code, and narrows to their class.
 * @throws Nothing, if the types hold.
 * @example
 * if (isJournalError(error, "version_conflict")) retry(error.actual);
 */
export function isJournalError<Code extends JournalErrorCode = JournalErrorCode>(
  error: unknown,
  code?: Code,
): error is JournalErrors[Code] {
  if (typeof error !== "object" || error === null || !(brand in error)) return false;
  return code === undefined || (error as { code?: unknown }).code === code;
}

/** The stream is at another version than expected. Read it again, decide again, and retry with `actual`. */
export class VersionConflictError extends JournalError {
  readonly code = "version_conflict";
  /** This is the version that the caller expected. */
  readonly expected: number;
  /** The stream is at this version. */
  readonly actual: number;

  constructor(expected: number, actual: number, place: Place = {}) {
    const said = `retry with expectedVersion ${actual}`;
    super(
      `expected version ${expected}, but the stream${at(place)} is at version ${actual}: read it again, decide again, and ${said}`,
      place,
      { advice: { option: "expectedVersion", value: actual, said } },
    );
    this.expected = expected;
    this.actual = actual;
  }
}

/** The lock did not come in time, and `lock.required` is set, or others held a database for `waitMs`. Nothing was written. */
export class LockTimeoutError extends JournalError {
  readonly code = "lock_timeout";
}

/** What was named is no session, or has become another one. */
export class NotASessionError extends JournalError {
  readonly code = "not_a_session";
}

/** With `strict`: a line of ours is damaged, or a commit is missing. */
export class CorruptEntryError extends JournalError {
  readonly code = "corrupt_entry";
}

/** A newer version of this package has written here. This one reads on, but does not write. */
export class UnknownEventError extends JournalError {
  readonly code = "unknown_event";
}

/** The history has no such point. */
export class PointError extends JournalError {
  readonly code = "bad_point";
}

/** The journal was opened readonly, or the key of its seal is missing. */
export class ReadonlyError extends JournalError {
  readonly code = "readonly";
}

/** The journal was closed. Open it again. */
export class ClosedError extends JournalError {
  readonly code = "closed";
}

/** The journal is written under the other fold policy. Open it with that one. */
export class FoldPolicyError extends JournalError {
  readonly code = "fold_policy";
}

/** A commit whose writing failed has one of these fates. */
export type Fate = StorageError["fate"];

/**
 * The disk or the backend failed. With `fate: "not-written"` nothing of the commit is in the stream: try again. With
 * `"unknown"` it may be there: try again with the same `command`.
 */
export class StorageError extends JournalError {
  readonly code = "storage";
  /**
   * This says what became of the commit: `not-written` means that nothing of it is there, `unknown` that it may be
   * there.
   */
  readonly fate: "not-written" | "unknown";

  constructor(message: string, fate: "not-written" | "unknown", place: Place = {}, cause?: unknown, advice?: Advice) {
    super(message, place, { ...(cause !== undefined && { cause }), ...(advice && { advice }) });
    this.fate = fate;
  }
}

/** What was to be kept is too large for its place. A smaller one may fit. */
export class TooLargeError extends StorageError {
  constructor(message: string) {
    super(message, "not-written");
    // Nobody outside tells it from others.
    this.name = "StorageError";
  }
}

/** What was appended may be there by now, whatever goes wrong after it. The result says so. */
export function inDoubt(failure: unknown, where: string): StorageError {
  if (failure instanceof StorageError && failure.fate === "unknown") return failure;
  const message = failure instanceof Error ? failure.message : String(failure);
  return new StorageError(`${message} (the commit before it may be in the file)`, "unknown", { file: where }, failure);
}

/** What may be there is of calls that were acknowledged before. The result says that nothing was appended of the call that waited for it. */
export function noDoubt(failure: unknown): unknown {
  if (!(failure instanceof StorageError) || failure.fate === "not-written") return failure;
  const message = `${failure.message} (commits of earlier calls were being appended again)`;
  return new StorageError(message, "not-written", failure.place, failure, failure.advice);
}

/** A call whose command was carried out before failed. Nothing may have been written now, but its commit may be there from then. The result says so. */
export function repeatedInDoubt(failure: unknown, command: string): unknown {
  if (!(failure instanceof StorageError) || failure.fate === "unknown") return failure;
  const message = `${failure.message} (the command ${JSON.stringify(command)} was carried out before, so its commit may be there)`;
  return new StorageError(message, "unknown", failure.place, failure, failure.advice);
}

/** The owner of a log has its old records dropped, and some were dropped that a handle had not read. */
export function fellBehind(where: string): StorageError {
  const message = `${where}: records were dropped that this handle had not read, or others began anew without them: open it again, and it goes on from the newest snapshot`;
  return new StorageError(message, "not-written", { file: where });
}

/** What to do about an optional package that is missing. A package beside a global one must be global, too. */
export function installing(...packages: readonly string[]): string {
  return `run \`npm install ${packages.join(" ")}\`, with --global if session-journal is installed globally`;
}

const ofServer = /^(postgres(?:ql)?:\/\/[^:@/?#]*):[^/?#]*@/;
const ofBroker = /^(nats:\/\/)[^@/#]*@/;
const inQuery = /([?&])password=[^&#]*(&|(?=#)|$)/;

/**
 * An address as messages and pages show it. The result opens the same place, where no password is asked for. Paths and other addresses stay as they are.
 */
export function withoutPassword(where: string): string {
  if (ofBroker.test(where)) return where.replace(ofBroker, "$1");
  if (!/^postgres(?:ql)?:/.test(where)) return where;
  return where.replace(ofServer, "$1@").replace(inQuery, (_, before: string, after) => (after === "" ? "" : before));
}

function at(place: Place): string {
  return place.file === undefined ? "" : ` in ${place.file}`;
}

/** Whether the operating system could not write, rather than read what was to be written. */
export function isOfWriting(error: unknown): boolean {
  const { syscall } = error as NodeJS.ErrnoException;
  return syscall === "write" || syscall === "fsync" || syscall === "close";
}
