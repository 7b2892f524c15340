/** What a broker that refuses, or says nothing, means for what was asked of it. */
import { type Fate, StorageError, TooLargeError } from "../../errors.ts";

/** `fate` is that of what was asked. */
export function unreachable(stream: string, waitMs: number, fate: Fate, cause: unknown): StorageError {
  const { message, name } = cause as Error;
  const advice = fate === "unknown" ? "try again with the same command" : "try again";
  const fault = `the stream ${stream} gave no answer for ${waitMs} ms (${message})`;
  const isAbsent = name === "JetStreamNotEnabled" && fate === "not-written";
  const remedy = isAbsent
    ? "see that its servers run with JetStream (-js), and that this account may use it"
    : "see that most of its servers run";
  return new StorageError(`${fault}: ${remedy}, then ${advice}`, fate, {}, cause);
}

export function full(stream: string, cause: Error, fate: Fate): StorageError {
  const advice = fate === "unknown" ? "try again with the same command" : "try again";
  const message = `the stream ${stream} is full (${cause.message}): raise its limits, or take old sessions away, then ${advice}`;
  return new StorageError(message, fate, {}, cause);
}

/** Its owner has closed it, or the servers did not let it in again: nothing will come over it any more. */
export function connectionClosed(stream: string, fate: Fate, cause: unknown): StorageError {
  const advice = fate === "unknown" ? ", then try again with the same command" : "";
  const message = `the connection to the stream ${stream} was closed: close the journal, and open it again on a new one${advice}`;
  return new StorageError(message, fate, {}, cause);
}

/** This is an error code of the broker: a stream may take less than its broker does. */
const messageTooLong = 10054;

export function refused(stream: string, cause: Error, fate: Fate = "not-written"): StorageError {
  if ((cause as { readonly code?: unknown }).code === messageTooLong && fate === "not-written")
    return new TooLargeError(
      `the broker refused: ${cause.message}: send smaller actions, or raise the max_msg_size of the stream ${stream}`,
    );
  const advice = fate === "unknown" ? ", then try again with the same command" : "";
  const message = `the broker refused: ${cause.message}: check the stream ${stream} and its limits${advice}`;
  return new StorageError(message, fate, {}, cause);
}

/** The broker has thrown away what this user may not send. Without the right to hear an answer, it may have been taken. */
export function isForbidden(error: unknown): error is Error {
  const { name, operation } = ((error as Error).cause ?? {}) as {
    readonly name?: unknown;
    readonly operation?: unknown;
  };
  return name === "PermissionViolationError" && operation === "publish";
}

export function forbidden(stream: string, cause: Error, fate: Fate): StorageError {
  const message = `the broker refused: ${cause.message}: give this user the right to it, or use another one for the stream ${stream}`;
  return new StorageError(message, fate, {}, cause);
}

/** The stream drops old records, so nobody can tell whether this one was dropped or lost. */
export function predecessorGone(stream: string, place: number): StorageError {
  const fault = `record ${place} of the stream ${stream}, which this journal follows on, is not there any more`;
  const message = `${fault}, so the broker refuses the next one: close the journal, open it again and look at its state, then try again`;
  return new StorageError(message, "not-written");
}

/** Left of a message for what stands before the text. */
const headerBytes = 1024;

/** Throws StorageError for a text that is longer than what the broker takes. */
export function requireFit(what: string, text: string, advice: string, payloadMax = Number.POSITIVE_INFINITY): void {
  const [size, sizeMax] = [Buffer.byteLength(text), payloadMax - headerBytes];
  if (size <= sizeMax) return;
  const fault = `${what} is ${size} bytes, more than the ${sizeMax} that this broker takes`;
  throw new TooLargeError(`${fault}: ${advice}`);
}
