/** A catalog is a place that keeps many sessions. */
import type { Version } from "../event/event.ts";
import type { OpenWriter } from "../event/open-writers.ts";
import type { StreamOptions, StreamStore } from "./stream-store.ts";

/** This is what a list of sessions says of one. `at` and `actor` are those of the newest event. They are absent at version 0. */
export interface SessionSummary {
  /** This is what opens it: the session's id, or its file's path in the folder. */
  readonly session: string;
  readonly version: Version;
  /** It is absent if the list knows the records but not the host's messages. */
  readonly turn?: number;
  readonly at?: string;
  readonly actor?: string;
  /** This is the plan now. It is absent if the list does not read the events, as in a database. */
  readonly plan?: string;
  /** An entry of the stream was found damaged or missing, or cannot be read by this version; absent where the list does not read the events. */
  readonly isDamaged?: boolean;
  /** It could not be read, and this says why. The other fields are those of a session without events. */
  readonly fault?: string;
  /** This is who has it open for writing; absent where nobody has, or where that cannot be known. */
  readonly writers?: readonly OpenWriter[];
}

export interface SessionCatalog<Options extends StreamOptions = StreamOptions> {
  /** This is the folder or address, for messages. */
  readonly where: string;
  /** It lists each session once, in no particular order. Reading changes nothing. */
  list(): AsyncIterable<SessionSummary>;
  /**
   * This gives the store of one session. It is opened at its first use. Closing it leaves the catalog open. `options` are for
   * this session alone. A backend uses those that it knows.
   */
  open(session: string, options?: Options): StreamStore;
  /**
   * Removes a session for good, and answers true. The answer is false where it is not as `seen` says any more, or where `isStill`, which a
   * folder asks last of all, says no. It is absent if the owner of the place removes by other means.
   */
  remove?(seen: SessionSummary, isStill?: () => Promise<boolean>): Promise<boolean>;
  /** Calls `wake` with a session whose stream may have grown: late, twice or for nothing, but always after an append. */
  watch(wake: (session: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}
