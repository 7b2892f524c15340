/**
 * What happens inside, for whoever listens: channels of `node:diagnostics_channel`, and the reasons in words with
 * `NODE_DEBUG=session-journal`. Where nobody listens, one look at a flag is all that is done. `docs/telemetry.md` lists all.
 */
import { debuglog } from "node:util";

/** This is what Node adds to a trace. */
export interface Traced<Result> {
  /** This is the result of the call. It is absent as long as the call lasts, and if the call failed. */
  result?: Result;
  /** This is the error, if the call failed. */
  error?: unknown;
}

/** A session file's lock is taken, or waited for in vain. */
export interface LockTrace extends Traced<unknown> {
  /** This is the path of the session file. */
  readonly where: string;
  /** False where it did not come in time, and the writer went on without it. It is absent while it is waited for. */
  isTaken?: boolean;
}

/** What was appended to a session file is waited for to be on disk. */
export interface SyncTrace extends Traced<unknown> {
  /** This is the path of the session file. */
  readonly where: string;
}

/** A commit was accepted. */
export interface CommitMessage {
  /** This is the path or address of the journal. */
  readonly where: string;
  /** This is the id of the commit. */
  readonly commit: string;
  /** This is the version of the stream after the commit. */
  readonly version: number;
  /** This is how many events it carries. */
  readonly events: number;
  /** This is the number of tries: more than one if another writer was faster. */
  readonly attempts: number;
}

/**
 * This is what we use of Node's `TracingChannel`. Declarations that we publish must not name that type itself: the types of Node 26 have its
 * parameters in another order than those of Node 20.
 */
export interface TraceChannel<Trace extends object> {
  readonly hasSubscribers: boolean;
  tracePromise<Result>(task: () => Promise<Result>, trace: Trace): Promise<Result>;
}

/** Says why something is done that takes time, or is not done: on standard error, with `NODE_DEBUG=session-journal`. */
export const because = debuglog("session-journal");

/** Runs `task` in the trace that `begin` makes, where somebody listens; else without one. */
export function traced<Trace extends object, Result>(
  channel: TraceChannel<Trace>,
  begin: () => Trace,
  task: (trace?: Trace) => Promise<Result>,
): Promise<Result> {
  if (!channel.hasSubscribers) return task();
  const trace = begin();
  return channel.tracePromise(() => task(trace), trace);
}
