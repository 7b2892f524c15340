/** What backends that keep records share: a stream is its records in order, taken by the rule of acceptance. */
import { CorruptEntryError, FoldPolicyError, ReadonlyError, StorageError, VersionConflictError } from "../../errors.ts";
import type { CommitData, Draft, Head } from "../../event/commit.ts";
import type { RecordedEvent, Version } from "../../event/event.ts";
import { Ledger } from "../../line/acceptance.ts";
import { hashText, type SealKey } from "../../line/chain.ts";
import { commitDataOf } from "../../line/encode.ts";
import { commitLineBytesMax } from "../../line/format.ts";
import { canonicalJson, escapeSeparators } from "../../line/json.ts";
import { type AcceptedRecord, parseRecord, type StreamRecord, takeRecord } from "../../line/record.ts";
import type { EventSink, Position, Snapshot, StreamEnd } from "../store.ts";
import type { RecordSnapshot } from "./record-snapshot.ts";

/** A record as it is kept. `place`: what its backend orders records by, above 0. */
export interface KeptRecord {
  readonly place: number;
  readonly json: string;
}

export interface RecordStreamSettings {
  /** For messages: the address. */
  readonly where: string;
  readonly session: string;
  readonly seal?: SealKey | undefined;
}

/** Such a history is only ever appended to. */
const epoch = 1;

/** Left for the rest of a line, so that every commit fits into a session file. */
const lineRestBytes = 4096;

export class RecordStream {
  ledger: Ledger;
  /** Of the newest record that was taken. */
  place = 0;
  /** That record, or its digest where it was not taken here. */
  #newest: { readonly json: string } | { readonly digest: string } = { digest: "" };
  readonly #settings: RecordStreamSettings;

  constructor(settings: RecordStreamSettings) {
    this.#settings = settings;
    this.ledger = new Ledger({ id: settings.session }, settings.seal);
  }

  end(): StreamEnd {
    const { version, hash, turn } = this.ledger;
    return { epoch, version, hash, turn };
  }

  /** Something was taken, and a caller at `from` was told all of it. */
  isAt(from: Position | undefined): boolean {
    return this.place > 0 && from !== undefined && !isStrange(from) && from.version === this.ledger.version;
  }

  /** After which place `tell` needs the records: all of them for a caller that is not where this stream is. */
  needsAfter(from: Position | undefined): number {
    return versionOf(from) === this.ledger.version ? this.place : 0;
  }

  /** Takes `records`, those after `needsAfter(from)`, and tells `sink` what is after `from`. */
  tell(from: Position | undefined, sink: EventSink, records: Iterable<KeptRecord>): StreamEnd {
    const known = versionOf(from);
    if (known === this.ledger.version) {
      if (isStrange(from)) sink.reset("rewritten");
      for (const kept of records) for (const recorded of this.take(kept).events) sink.event(recorded);
      return this.end();
    }
    const events = this.#takeAnew(records);
    const isAhead = known > this.ledger.version;
    if (isStrange(from) || isAhead) sink.reset("rewritten");
    for (const recorded of events) if (isAhead || recorded.version > known) sink.event(recorded);
    return this.end();
  }

  /** A record that the rule refuses has no events. Throws CorruptEntryError for one that cannot be read. */
  take({ place, json }: KeptRecord): AcceptedRecord {
    const record = readRecord(json);
    const verdict = record === undefined ? undefined : takeRecord(this.ledger, record);
    if (record === undefined || verdict === undefined || verdict.finding === "hash") {
      const { where } = this.#settings;
      const fault =
        verdict?.finding === "hash" && this.ledger.lastCommit === ""
          ? "was not written with this seal, or is damaged: pass the journal's own key, or none where it has none"
          : "is damaged: restore it from a backup, or copy the rest";
      throw new CorruptEntryError(`${where}: record ${place} ${fault}`, { file: where });
    }
    this.place = place;
    this.#newest = { json };
    return { record, events: verdict.events };
  }

  /** As `take`, for a record that must be accepted. */
  takeOwn(kept: KeptRecord): void {
    if (this.take(kept).events.length > 0) return;
    const { where } = this.#settings;
    throw new CorruptEntryError(`${where}: record ${kept.place} does not follow on version ${this.ledger.version}`, {
      file: where,
    });
  }

  versionAfter(record: StreamRecord): Version {
    return record.kind === "commit" ? record.data.version : this.ledger.version + 1;
  }

  /** For a record that was taken: whether it counts. */
  hasAccepted({ json }: KeptRecord): boolean {
    const record = readRecord(json);
    return record?.kind === "commit" ? this.ledger.hasCommit(record.data.id) : record !== undefined;
  }

  /** Goes on from a snapshot, as if its records had been taken. */
  resume({ place, digest, ledger }: RecordSnapshot): void {
    this.ledger.restore(ledger);
    this.place = place;
    this.#newest = { digest };
  }

  /** Undefined where `snapshot` is not of what was taken so far. */
  saved(snapshot: Snapshot): RecordSnapshot | undefined {
    if (snapshot.end.version !== this.ledger.version) return undefined;
    const digest = "json" in this.#newest ? digestOf(this.#newest.json) : this.#newest.digest;
    return { place: this.place, digest, snapshot, ledger: this.ledger.image() };
  }

  requireVersion(expected: Version): void {
    const { version } = this.ledger;
    if (version !== expected) throw new VersionConflictError(expected, version, { file: this.#settings.where });
  }

  /** The record that would append `draft` behind what was taken. Throws where this stream takes none from here. */
  recordOf(draft: Draft): { readonly record: StreamRecord; readonly data: CommitData } {
    this.requireWritable();
    const data = commitDataOf(draft, this.ledger.head, "file", this.#settings.seal);
    const size = Buffer.byteLength(escapeSeparators(canonicalJson(data)));
    const sizeMax = commitLineBytesMax - lineRestBytes;
    if (size > sizeMax) {
      throw new StorageError(
        `the commit is ${size} bytes, more than ${sizeMax}: send smaller actions, or fewer at once`,
        "not-written",
        { file: this.#settings.where },
      );
    }
    return { record: { kind: "commit", turn: this.ledger.turn, data }, data };
  }

  requireWritable(): void {
    const { where } = this.#settings;
    const { sealed, policy } = this.ledger;
    if (sealed) throw new ReadonlyError(`${where} is sealed: pass its key as option seal to write`, { file: where });
    if (policy === "branch") {
      throw new FoldPolicyError(`${where} is folded by "branch", which only session files can be`, { file: where });
    }
  }

  #takeAnew(records: Iterable<KeptRecord>): RecordedEvent[] {
    const { session, seal } = this.#settings;
    this.ledger = new Ledger({ id: session }, seal);
    this.place = 0;
    this.#newest = { digest: "" };
    const events: RecordedEvent[] = [];
    for (const kept of records) events.push(...this.take(kept).events);
    return events;
  }
}

export function digestOf(json: string): string {
  return hashText(json);
}

/** The head after the commit that holds `version`; undefined where none does. */
export async function headAmong(
  records: AsyncIterable<AcceptedRecord>,
  version: Version,
  genesis: string,
): Promise<Head | undefined> {
  let hash = genesis;
  let reached = 0;
  for await (const { record, events } of records) {
    if (reached >= version) break;
    if (record.kind === "commit") hash = record.data.hash;
    reached = events.at(-1)?.version ?? reached;
  }
  return reached >= version ? { version, hash } : undefined;
}

/** For a caller that wants no events. */
export const nobody: EventSink = { reset: () => undefined, event: () => undefined };

export async function* pagesOf<Item>(items: AsyncIterable<Item>, itemsMax: number): AsyncGenerator<Item[]> {
  let page: Item[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < itemsMax) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

function versionOf(from: Position | undefined): number {
  return from === undefined || isStrange(from) ? 0 : from.version;
}

function isStrange(from: Position | undefined): boolean {
  return from !== undefined && from.epoch !== epoch;
}

function readRecord(json: string): StreamRecord | undefined {
  try {
    return parseRecord(json);
  } catch {
    return undefined;
  }
}
