/** The channels that only writers tell on: they are made where something is written. `diagnostics.ts` says what is told. */
import { channel, tracingChannel } from "node:diagnostics_channel";
import type { LockTrace, SyncTrace, TraceChannel } from "./diagnostics.ts";

export const locking: TraceChannel<LockTrace> = tracingChannel<unknown, LockTrace>("session-journal.lock");
export const syncing: TraceChannel<SyncTrace> = tracingChannel<unknown, SyncTrace>("session-journal.sync");
export const committed = channel("session-journal.commit");
