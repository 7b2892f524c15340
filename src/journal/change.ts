/** A follower gets one of these for each step that its journal takes. */
import type { PatchOperation } from "../audit/diff.ts";
import type { ScratchpadEvent, Version } from "../event/event.ts";
import { given, requireOptions } from "../options.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { ResetReason } from "../stream/delivery.ts";
import { parseVersion } from "./options.ts";

/**
 * `state` is the state after it, `patch` (RFC 6902) leads there from the state before. A reset voids everything that was
 * told before: the history is another one now, and `state` is what it adds up to.
 */
export type Change =
  | {
      readonly type: "event";
      /** This is the version of the event. */
      readonly version: Version;
      /** This is what happened. */
      readonly event: ScratchpadEvent;
      /** This is the state after the event. */
      readonly state: ScratchpadState;
      /** This leads from the state before to `state` (RFC 6902). */
      readonly patch: readonly PatchOperation[];
    }
  | {
      readonly type: "reset";
      /** This says why the history is another one. */
      readonly reason: ResetReason;
      /** This is the newest version of the new history. */
      readonly version: Version;
      /** The new history adds up to this state. */
      readonly state: ScratchpadState;
      /** This leads from the state that was shown before to `state` (RFC 6902). */
      readonly patch: readonly PatchOperation[];
    };

/** These are the options of `journal.changes`. */
export interface ChangesOptions {
  /**
   * The changes begin after this version. The default is the version that the journal shows. One that is yet to come is waited
   * for.
   */
  readonly from?: Version;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

/** Throws a TypeError that names the option. */
export function parseChangesOptions(options: ChangesOptions = {}): ChangesOptions {
  requireOptions(options, "from", "signal");
  const { from, signal } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw new TypeError('option "signal" must be an AbortSignal');
  }
  return {
    ...(from === undefined ? {} : { from: parseVersion("from", from) }),
    ...given({ signal }),
  };
}
