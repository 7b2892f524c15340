/** This file makes child sessions: it says where they come from, and what they begin with. */
import type { Point } from "../audit/points.ts";
import { isJournalError, StorageError, type UnknownEventError } from "../errors.ts";
import type { ScratchpadEvent, Version } from "../event/event.ts";
import { initialState } from "../state/state.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { unknownEvent } from "./draft.ts";
import type { Moment } from "./moment.ts";
import type { View } from "./projection.ts";
import { draftBytes, draftBytesMax } from "./size.ts";

/** These are the options of `journal.fork`. */
export interface ForkOptions {
  /** The child begins with the state at this point. The default is "head". */
  readonly at?: Point;
}

/** These are the options of `journal.spawn`. */
export interface SpawnOptions {
  /** True begins with this journal's state instead of an empty one. The default is false. */
  readonly copy?: boolean;
  /** Another name of `copy`, which runtimes with a notepad use. */
  readonly copy_notepad?: boolean;
}

/** The child's first event: it records where the child comes from, so that the child stands alone. */
export async function forkedEvent(
  store: JournalStore,
  moment: Moment,
  copy: boolean,
  unknown: View["unknown"],
): Promise<ScratchpadEvent> {
  if (copy && unknown !== undefined && unknown.version <= moment.version) throw skipped(unknown, store.where);
  const session = await store.sessionId();
  const head = await store.headAt(moment.version);
  const from = { session, version: moment.version, hash: head?.hash ?? "" };
  const event: ScratchpadEvent = { type: "session.forked", from, state: copy ? moment.state : initialState };
  requireFits(event, store.where);
  return event;
}

/** The child would begin with a state that leaves the event out, and nothing in the child would say so. */
function skipped(unknown: NonNullable<View["unknown"]>, where: string): UnknownEventError {
  const advice = `a child would begin without it; install a newer version, or fork at v${unknown.version - 1}`;
  return unknownEvent(unknown, where, advice);
}

/** Before the child is made: one that cannot take the state would be left behind empty. */
function requireFits(event: ScratchpadEvent, where: string): void {
  const bytes = draftBytes({ event, actor: "" });
  if (bytes <= draftBytesMax) return;
  throw new StorageError(
    `the state of ${where} takes ${bytes} bytes, more than the ${draftBytesMax} that a child can begin with: shorten what is long in it, or spawn a child without it`,
    "not-written",
    { file: where },
  );
}

/** Throws StorageError where the target has a history of its own. */
export function requireFresh(version: Version, where: string): void {
  if (version === 0) return;
  throw new StorageError(
    `${where} already holds a journal at version ${version}: name a session that has none`,
    "not-written",
    { file: where },
  );
}

/** The session gets its first event, also where somebody else writes to it by now. Throws StorageError where it has a history of its own. */
export async function begin(
  where: string,
  version: Version,
  append: (fresh: Version) => Promise<unknown>,
): Promise<void> {
  requireFresh(version, where);
  try {
    await append(0);
  } catch (error) {
    if (isJournalError(error, "version_conflict")) requireFresh(error.actual, where);
    throw error;
  }
}
