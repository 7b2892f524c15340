/** What a journal tells of itself to whoever listens on its channels. */
import { channel, tracingChannel } from "node:diagnostics_channel";
import type { Answer } from "../action/answer.ts";
import type { TraceChannel, Traced } from "../diagnostics.ts";
import type { Version } from "../event/event.ts";

/** A journal is opened. */
export interface OpenTrace extends Traced<{ readonly version: Version }> {
  /** This is the path or address of the journal. */
  readonly where: string;
  /** This is the id of the session, as soon as it is known. */
  session?: string;
}

/** Actions are applied: one, or several together. */
export interface ApplyTrace extends Traced<readonly Answer[]> {
  /** This is the path or address of the journal. */
  readonly where: string;
  /** This is the name of the actor. */
  readonly actor: string;
  /** This is the idempotency key, if one was given. */
  readonly command?: string | undefined;
  /** This is what was asked, as it came. */
  readonly actions: readonly unknown[];
  /** This is the id of the session, as soon as it is known. */
  session?: string;
}

/** A journal that follows has read what others appended. */
export interface FollowMessage {
  /** This is the path or address of the journal. */
  readonly where: string;
  /** This is how many events were new to it. */
  readonly events: number;
  /** This is how long ago the newest of them was written, by the clocks of the two. */
  readonly lagMs: number;
}

export const opening: TraceChannel<OpenTrace> = tracingChannel<unknown, OpenTrace>("session-journal.open");
export const followed = channel("session-journal.follow");
