/** Child sessions: where they come from, and what they begin with. */
import type { Point } from "../audit/points.ts";
import { StorageError } from "../errors.ts";
import type { ScratchpadEvent, Version } from "../event/event.ts";
import { initialState } from "../state/state.ts";
import type { JournalStore } from "../store/store.ts";
import type { Moment } from "./past.ts";

export interface ForkOptions {
  /** The point of this journal whose state the child begins with: "head". */
  readonly at?: Point;
}

export interface SpawnOptions {
  /** Begin with this journal's state instead of an empty one: false. */
  readonly copy?: boolean;
  /** The same, as runtimes with a notepad say it. */
  readonly copy_notepad?: boolean;
}

/** What becomes the child: as the first argument of `openJournal`. */
export type ChildTarget = string | URL | JournalStore;

/** The child's first event: it records where the child comes from, so that the child stands alone. */
export async function forkedEvent(store: JournalStore, moment: Moment, copy: boolean): Promise<ScratchpadEvent> {
  const session = await store.sessionId();
  const head = await store.headAt?.(moment.version);
  const from = { session, version: moment.version, hash: head?.hash ?? "" };
  return { type: "session.forked", from, state: copy ? moment.state : initialState };
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
