/**
 * Failures are exceptions with a stable `code`; refusals of an action are values and never come through here.
 * Every message says what went wrong, where, and what to do next. Programmer mistakes are plain TypeErrors.
 */

/** The codes a {@link JournalError} can carry. They are stable; the messages are free to improve. */
export type JournalErrorCode =
  /** {@link VersionConflictError}: the stream is not at the expected version. Nothing was written. */
  | "version_conflict"
  /** {@link LockTimeoutError}: `lock.required` is set and the lock did not come within `lock.waitMs`. Nothing was written. */
  | "lock_timeout"
  /** {@link NotASessionError}: what lies at the path is no session file that may be used. */
  | "not_a_session"
  /** {@link CorruptEntryError}: with `strict`, a line of ours is damaged or a commit is missing. */
  | "corrupt_entry"
  /** {@link UnknownEventError}: an event of a newer version is in the stream; this version reads on but does not write. */
  | "unknown_event"
  /** {@link PointError}: not a point of this history. */
  | "bad_point"
  /** {@link ReadonlyError}: the handle was opened readonly, or the seal's key is missing. */
  | "readonly"
  /** {@link ClosedError}: the journal was closed. */
  | "closed"
  /** {@link FoldPolicyError}: the journal is written under the other fold policy. */
  | "fold_policy"
  /** {@link StorageError}: the disk or the backend failed; `fate` says whether the commit may be there. */
  | "storage";

/** Where in a file: `line` from 1, `byte` from 0. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
  readonly byte?: number;
}

const brand = Symbol.for("session-journal.error");

export abstract class JournalError extends Error {
  abstract readonly code: JournalErrorCode;
  readonly place: Place;

  constructor(message: string, place: Place = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.place = place;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** True for errors of this package, also when another installed copy of it threw them. */
export function isJournalError<Code extends JournalErrorCode>(
  error: unknown,
  code?: Code,
): error is JournalError & { readonly code: Code } {
  if (typeof error !== "object" || error === null || !(brand in error)) return false;
  return code === undefined || (error as { code?: unknown }).code === code;
}

export class VersionConflictError extends JournalError {
  readonly code = "version_conflict";
  readonly expected: number;
  readonly actual: number;

  constructor(expected: number, actual: number, place: Place = {}) {
    super(
      `expected version ${expected}, but the stream${at(place)} is at version ${actual}: read it again, decide again, and retry with expectedVersion ${actual}`,
      place,
    );
    this.expected = expected;
    this.actual = actual;
  }
}

export class LockTimeoutError extends JournalError {
  readonly code = "lock_timeout";
}

export class NotASessionError extends JournalError {
  readonly code = "not_a_session";
}

export class CorruptEntryError extends JournalError {
  readonly code = "corrupt_entry";
}

export class UnknownEventError extends JournalError {
  readonly code = "unknown_event";
}

export class PointError extends JournalError {
  readonly code = "bad_point";
}

export class ReadonlyError extends JournalError {
  readonly code = "readonly";
}

export class ClosedError extends JournalError {
  readonly code = "closed";
}

export class FoldPolicyError extends JournalError {
  readonly code = "fold_policy";
}

/** `fate`: "not-written" — nothing of it is in the stream; "unknown" — it may be there, so retry with the same `command`. */
export class StorageError extends JournalError {
  readonly code = "storage";
  readonly fate: "not-written" | "unknown";

  constructor(message: string, fate: "not-written" | "unknown", place: Place = {}, cause?: unknown) {
    super(message, place, cause === undefined ? undefined : { cause });
    this.fate = fate;
  }
}

function at(place: Place): string {
  return place.file === undefined ? "" : ` in ${place.file}`;
}
