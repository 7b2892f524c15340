/** This file describes what followers are given, and what they were given so far: enough to see whether another reading begins alike. */
import type { RecordedEvent, RecordedLimits, Version } from "../event/event.ts";
import type { ScratchpadState } from "../state/state.ts";

/**
 * This is how far a history was delivered to a follower. `generation` names the history that its versions belong to: where the log shows
 * another one than before (rewritten, or another branch), it is counted on, and the follower is told to start over.
 */
export interface Position {
  readonly generation: number;
  readonly version: Version;
}

/** This is where the stream stood when it was last read. `turn` may move without an event. */
export interface StreamEnd extends Position {
  readonly hash: string;
  readonly turn: number;
}

/** This says why a history became another one. */
export type ResetReason = "rewritten" | "branch";

/** A sink receives each event exactly once, in order. Must not throw. */
export interface EventSink {
  /** Everything received before is void: what follows is another history from its start. */
  reset(reason: ResetReason): void;
  /** `state` is the sum of all events received so far, this one included. */
  event(recorded: RecordedEvent, state?: ScratchpadState): void;
}

/** This sink is for a caller that wants no events. */
export const nobody: EventSink = { reset: () => undefined, event: () => undefined };

/** Hands on what comes after `version`, once, however often it is read, and of another history (`isSame` is false) all. */
export function sinkAfter(version: Version, sink: EventSink, isSame: () => boolean): EventSink {
  let delivered = version;
  return {
    reset: (reason) => sink.reset(reason),
    event: (recorded, state) => {
      if (isSame() && recorded.version <= delivered) return;
      delivered = recorded.version;
      sink.event(recorded, state);
    },
  };
}

export type Delivery =
  | { readonly recorded: RecordedEvent; readonly state: ScratchpadState }
  | { readonly reset: ResetReason };

export interface Delivered {
  readonly count: number;
  /** Tells two histories of the same length apart. */
  readonly fingerprint: number;
  /** When the newest event happened. */
  readonly at?: string | undefined;
  /** This is the newest event, if it is a refusal. */
  readonly refusal?: RecordedEvent | undefined;
  /** These are the budgets that the newest event was decided under, if it says them. */
  readonly limits?: RecordedLimits | undefined;
  /** An event that this version of the package cannot read was among them. */
  readonly hasUnknown: boolean;
}

export const nothingDelivered: Delivered = { count: 0, fingerprint: 0, hasUnknown: false };

export function deliveredWith(delivered: Delivered, recorded: RecordedEvent): Delivered {
  const { type } = recorded.event;
  return {
    count: delivered.count + 1,
    fingerprint: mixed(delivered.fingerprint, recorded),
    at: recorded.at,
    refusal: type === "action.refused" ? recorded : undefined,
    limits: recorded.limits,
    hasUnknown: delivered.hasUnknown || type === "unknown",
  };
}

/** The result has the events that are left to deliver. */
export function eventsIn(deliveries: readonly Delivery[]): RecordedEvent[] {
  return deliveries.flatMap((each) => ("recorded" in each ? each.recorded : []));
}

/** So many characters at the end of an id tell it from all others. */
const idEndMax = 12;

/** This is one step of FNV-1a. */
function mixed(seed: number, { version, event, turn, commit, entryId, at }: RecordedEvent): number {
  const { type } = event;
  const id = commit ?? entryId ?? at;
  let hash = Math.imul(seed ^ 0x811c9dc5 ^ version, 0x01000193);
  hash = Math.imul(hash ^ type.length ^ (type.charCodeAt(0) << 8), 0x01000193);
  // A rewrite may have moved the event behind a line that begins a turn.
  hash = Math.imul(hash ^ turn, 0x01000193);
  for (let index = Math.max(0, id.length - idEndMax); index < id.length; index++) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
