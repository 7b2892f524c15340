/** One stream of a broker, in the few calls that stores need. It names no library, so that its users' types need none. */
import type { StorageError } from "../../errors.ts";
import type { KeptRecord } from "../kept-record.ts";
import type { BrokerNames } from "./names.ts";

/** What became of a record that was sent. */
export type Sent =
  | { readonly type: "kept"; readonly place: number }
  /** Another record is the newest of its subject. */
  | { readonly type: "overtaken" }
  /** No answer came: it may be there, now or later. */
  | { readonly type: "silence"; readonly cause: unknown }
  /** There was nobody to take it, for now. */
  | { readonly type: "unavailable"; readonly cause: unknown };

/** Throws StorageError where nobody answers for `waitMs`: an election takes a moment, so until then it is tried again. */
export interface Broker {
  readonly names: BrokerNames;
  readonly waitMs: number;
  /** The stream's owner wants old records dropped. */
  readonly drops: boolean;
  readonly snapshots: SnapshotBucket;
  /** The newest record of a subject. */
  last(subject: string): Promise<KeptRecord | undefined>;
  /** The first record of a subject after a place. */
  next(subject: string, place: number): Promise<KeptRecord | undefined>;
  /** The record at a place; undefined where there is none, or one of another subject. */
  at(subject: string, place: number): Promise<KeptRecord | undefined>;
  /**
   * The records of a subject after a place, up to another, which holds one. None may be skipped, not even where the last
   * names its predecessor: the broker has let two writers through that named the same one, and the first of them counts.
   */
  between(subject: string, after: number, last: number): AsyncIterable<KeptRecord>;
  /** Sends a record that must follow on the one at `after`; 0: be the first of its subject. */
  send(subject: string, json: string, id: string, after: number): Promise<Sent>;
  /**
   * Calls `wake` with the subject of each record that comes, of `filter`. Where the connection, the consumer or a record
   * was lost, it goes on after the last that came.
   */
  watch(filter: string, wake: (subject: string) => void): Promise<() => Promise<void>>;
  /** Of the newest records, as far as a few steps back show them. */
  recentSubjects(subjectsMax: number): Promise<readonly string[]>;
  /** The newest record of every subject. The broker goes through all of them before it answers, which takes its time. */
  newest(): AsyncIterable<KeptRecord & { readonly subject: string }>;
  /** The error for a broker that gave no answer in time. */
  unreachable(cause: unknown, fate: "not-written" | "unknown"): StorageError;
  close(): Promise<void>;
}

/** A cache: whatever fails here is as if nothing had been saved. */
export interface SnapshotBucket {
  load(key: string): Promise<string | undefined>;
  /** `improves`: whether what is to be saved is newer than what is there. Somebody faster is left in peace. */
  save(key: string, value: string, improves: (saved: string) => boolean): Promise<void>;
}
