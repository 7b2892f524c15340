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
import { findingTexts } from "../session-file/read-finding.ts";
import type { EventSink, KeptRecord, Position, Snapshot, StreamEnd } from "../store.ts";
import type { RecordSnapshot } from "./record-snapshot.ts";

export interface RecordStreamSettings {
  /** For messages: the address. */
  readonly where: string;
  readonly session: string;
  readonly seal?: SealKey | undefined;
  /** Damage throws CorruptEntryError where it would be told of. */
  readonly strict?: boolean | undefined;
}

/** What became of a record. */
export interface Taken {
  /** Undefined: it does not count. */
  readonly accepted: AcceptedRecord | undefined;
  /** It is damaged, or one before it is missing. */
  readonly damage?: { readonly place: number; readonly detail: string };
  /** It may be due to what this reader missed: one that went on from the middle must read from the start and see. */
  readonly doubtful: boolean;
}

/** Such a history is only ever appended to. */
const epoch = 1;

/** Left for the rest of a line, so that every commit fits into a session file. */
const lineRestBytes = 4096;

export class RecordStream {
  ledger: Ledger;
  /** Of the newest record that was read. */
  place = 0;
  /** Its owner has old records dropped: reading from the start may begin in the middle, and decides nothing. */
  drops = false;
  /** That record, or its digest where it was not read here. */
  #newest: { readonly json: string } | { readonly digest: string } = { digest: "" };
  /** A record was found damaged or missing. */
  damaged = false;
  /** Where the stream stood when something doubtful came: the full reading decides whether it ever stood there. */
  #doubted: Head | undefined;
  #standsAsDoubted = false;
  readonly #settings: RecordStreamSettings;

  constructor(settings: RecordStreamSettings) {
    this.#settings = settings;
    this.ledger = new Ledger({ id: settings.session }, settings.seal);
  }

  end(): StreamEnd {
    const { version, hash, turn } = this.ledger;
    return { epoch, version, hash, turn };
  }

  /** Something was read, and a caller at `from` was told all of it. */
  isAt(from: Position | undefined): boolean {
    return this.place > 0 && from !== undefined && !isStrange(from) && from.version === this.ledger.version;
  }

  /** After which place `tell` needs the records: all of them for a caller that is not where this stream is. */
  needsAfter(from: Position | undefined): number {
    return versionOf(from) === this.ledger.version ? this.place : 0;
  }

  /**
   * Takes `records`, those after `needsAfter(from)`, and tells `sink` what is after `from`. Undefined: what came is
   * doubtful, nobody was told, and asking `needsAfter` again leads to a reading from the start, which decides. Throws
   * CorruptEntryError under `strict`.
   */
  tell(from: Position | undefined, sink: EventSink, records: Iterable<KeptRecord>): StreamEnd | undefined {
    const known = versionOf(from);
    const goesOn = known === this.ledger.version;
    if (!goesOn) this.#forget();
    const isWhole = this.place === 0;
    if (goesOn && isWhole && this.#settings.strict !== true) return this.#tellAtOnce(from, sink, records);
    const events = this.#takeAll(records, known, !isWhole && !this.drops);
    if (events === undefined) return undefined;
    const isOther = !goesOn && (known > this.ledger.version || this.#isOtherThan(known));
    this.#doubted = undefined;
    if (isStrange(from) || isOther) sink.reset("rewritten");
    const after = goesOn || isOther ? 0 : known;
    for (const recorded of events) if (recorded.version > after) sink.event(recorded);
    return this.end();
  }

  /** A record that is damaged or that the rule refuses does not count, and reading goes on. */
  take({ place, json }: KeptRecord): Taken {
    this.place = place;
    this.#newest = { json };
    const record = parseRecord(json);
    if (record === undefined)
      return { accepted: undefined, damage: { place, detail: "it cannot be read" }, doubtful: true };
    const { events, finding, doubtful = false } = takeRecord(this.ledger, record);
    const accepted = events.length > 0 ? { record, events } : undefined;
    if (finding !== "hash" && finding !== "gap") return { accepted, doubtful };
    return { accepted, damage: { place, detail: findingTexts[finding] }, doubtful };
  }

  /** As `take`, for a record that must be accepted. */
  takeOwn(kept: KeptRecord): void {
    if (this.take(kept).accepted !== undefined) return;
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
    const record = parseRecord(json);
    return record?.kind === "commit" ? this.ledger.hasCommit(record.data.id) : record !== undefined;
  }

  /**
   * Goes on from a snapshot, as if its records had been taken. False: under `strict`, where it may hide damage. Where old
   * records are dropped it is all there is of them.
   */
  resume({ place, digest, ledger, damaged }: RecordSnapshot): boolean {
    if (this.#settings.strict === true && (damaged ?? !this.drops)) return false;
    this.ledger.restore(ledger);
    this.place = place;
    this.#newest = { digest };
    this.damaged = damaged ?? false;
    return true;
  }

  /** Undefined where `snapshot` is not of what was taken so far, and where it would hide that the key is another one. */
  saved(snapshot: Snapshot): RecordSnapshot | undefined {
    if (snapshot.end.version !== this.ledger.version || this.#isOfOtherKey) return undefined;
    // What was dropped before it was read may be in a snapshot of somebody else's, and nowhere else.
    if (this.drops && this.damaged) return undefined;
    const digest = "json" in this.#newest ? digestOf(this.#newest.json) : this.#newest.digest;
    return { place: this.place, digest, snapshot, ledger: this.ledger.image(), damaged: this.damaged };
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
    if (this.#isOfOtherKey) {
      throw new ReadonlyError(
        `${where} was not written with this seal: pass its own key, or none where it has none, to write`,
        { file: where },
      );
    }
    if (policy === "branch") {
      throw new FoldPolicyError(`${where} is folded by "branch", which only session files can be`, { file: where });
    }
  }

  /** Throws where a record of another stream would not count here. */
  requireTrusted(record: StreamRecord): void {
    if (record.kind !== "commit" || this.ledger.trusts(record.data)) return;
    const { where } = this.#settings;
    throw new CorruptEntryError(
      `${where} does not take commit ${record.data.id}, whose hash is another: copy with the key of its journal`,
      { file: where },
    );
  }

  get #isOfOtherKey(): boolean {
    return this.#settings.seal !== undefined && this.ledger.mistrusted && this.ledger.lastCommit === "";
  }

  #isOtherThan(known: Version): boolean {
    return this.#doubted?.version === known && !this.#standsAsDoubted;
  }

  #forget(): void {
    const { session, seal } = this.#settings;
    this.ledger = new Ledger({ id: session }, seal);
    this.place = 0;
    this.#newest = { digest: "" };
    this.damaged = false;
  }

  /** A first reading has nothing to doubt, and no damage takes back what was told. */
  #tellAtOnce(from: Position | undefined, sink: EventSink, records: Iterable<KeptRecord>): StreamEnd {
    if (isStrange(from)) sink.reset("rewritten");
    for (const kept of records) {
      const isFirst = this.ledger.lastCommit === "";
      for (const recorded of this.#checked(this.take(kept), isFirst, 0)) sink.event(recorded);
    }
    return this.end();
  }

  /** Undefined where `canDoubt` and something is doubtful: then everything is to be read anew. */
  #takeAll(records: Iterable<KeptRecord>, known: Version, canDoubt: boolean): RecordedEvent[] | undefined {
    const events: RecordedEvent[] = [];
    const before = this.ledger.head;
    this.#standsAsDoubted = false;
    for (const kept of records) {
      const isFirst = this.ledger.lastCommit === "";
      const taken = this.take(kept);
      if (canDoubt && taken.doubtful) {
        this.#doubted = before;
        this.#forget();
        return undefined;
      }
      const { version, hash } = this.ledger;
      this.#standsAsDoubted ||= version === this.#doubted?.version && hash === this.#doubted.hash;
      events.push(...this.#checked(taken, isFirst, known));
    }
    return events;
  }

  /** Where old records are dropped, what the caller knows need not be there any more. `isFirst`: before any commit. */
  #checked({ accepted, damage }: Taken, isFirst: boolean, known: Version): readonly RecordedEvent[] {
    const events = accepted?.events ?? [];
    const isKnown = events[0] !== undefined && events[0].version <= known + 1;
    if (damage === undefined || (this.drops && isFirst && isKnown)) return events;
    this.damaged = true;
    if (this.#settings.strict !== true) return events;
    this.#forget();
    throw damageError(this.#settings.where, damage);
  }
}

function damageError(where: string, { place, detail }: NonNullable<Taken["damage"]>): CorruptEntryError {
  return new CorruptEntryError(
    `${where}, record ${place}: ${detail}: run \`session-journal verify\` on it, or open it without strict`,
    { file: where },
  );
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
