/** This file says whether anyone has touched the record, as `verify.ts` does, if a backend keeps records and no lines of others. */
import type { CommitData, Head } from "../../event/commit.ts";
import { Ledger } from "../../line/acceptance.ts";
import type { SealKey } from "../../line/chain.ts";
import { type StreamRecord, takeRecord } from "../../line/record.ts";
import type { Verdict } from "../../line/verdict.ts";
import { damage, type Finding, type FindingPlace, note, theWhole, type Verification } from "./finding.ts";
import { FindingList } from "./finding-list.ts";
import { findingsOf, redactionIn, sealedAt, unknownEvents } from "./verdict.ts";

/** `place` is what records are ordered by; `record` is undefined where it cannot be read. */
export interface VerifiedRecord {
  readonly place: number;
  readonly record: StreamRecord | undefined;
}

export interface RecordVerifyOptions {
  readonly session: string;
  readonly seal?: SealKey;
  /** The owner has old records dropped. */
  readonly drops: boolean;
  /** Where the snapshot stands that is kept beside the records. */
  readonly saved?: Head;
  /** A head that was kept elsewhere: what the records show must agree with it. */
  readonly head?: Head;
  /** What the journal shows, which it has read from these records. */
  readonly shown: Head;
}

export async function verifyRecords(
  records: AsyncIterable<VerifiedRecord> | Iterable<VerifiedRecord>,
  options: RecordVerifyOptions,
): Promise<Verification> {
  const verifier = new RecordVerifier(options);
  for await (const record of records) verifier.take(record);
  return verifier.finish();
}

class RecordVerifier {
  readonly #options: RecordVerifyOptions;
  readonly #findings = new FindingList();
  readonly #ledger: Ledger;
  readonly #wanted: readonly WantedHead[];
  #isDamaged = false;
  /** It was said that nothing can be checked without the key. */
  #isSealed = false;
  /** The records begin after this version. */
  #base: number | undefined;

  constructor(options: RecordVerifyOptions) {
    const { session, seal, head, shown } = options;
    this.#options = options;
    this.#ledger = new Ledger({ id: session, beginsLater: options.drops }, seal, Number.POSITIVE_INFINITY);
    this.#wanted = [new WantedHead(shown), ...(head === undefined ? [] : [new WantedHead(head)])];
    this.#noteHeads();
  }

  take({ place: number, record }: VerifiedRecord): void {
    const place = { offset: 0, number };
    if (record === undefined) this.#found(damage("corrupt", place, "it cannot be read"));
    else this.#judge(record, place);
  }

  finish(): Verification {
    const { saved } = this.#options;
    const end = this.#ledger.version === 0 && saved !== undefined ? saved : this.#ledger.head;
    const [ofJournal, ...kept] = this.#wanted;
    for (const each of kept) this.#judgeHead(each, end);
    // A head that was kept says the same, and says it first.
    if (ofJournal !== undefined && this.#findings.listed.every(({ kind }) => kind !== "head"))
      this.#judgeHead(ofJournal, end);
    const { listed, rest } = this.#findings;
    return { ok: !this.#isDamaged, findings: listed, ...rest, head: end };
  }

  #judge(record: StreamRecord, place: FindingPlace): void {
    const isFirst = this.#ledger.lastCommit === "";
    const verdict = takeRecord(this.#ledger, record);
    if (record.kind === "commit") this.#judgeCommit(record.data, verdict, isFirst, place);
    const [first] = verdict.events;
    if (first !== undefined) this.#base ??= first.version - 1;
    for (const finding of unknownEvents(verdict, place)) this.#found(finding);
    this.#noteHeads();
  }

  #judgeCommit(data: CommitData, verdict: Verdict, isFirst: boolean, place: FindingPlace): void {
    if (this.#ledger.sealed && !this.#isSealed) this.#found(sealedAt(place));
    if (verdict.finding === "gap" && isFirst && this.#options.drops) this.#found(this.#beginning(data, place));
    else for (const finding of findingsOf(verdict, data, place)) this.#found(finding);
    for (const finding of redactionIn(verdict, data, place)) this.#found(finding);
  }

  /** What is missing may have been dropped, as the owner wants. The snapshot must then stand for it. */
  #beginning({ prev, version, events }: CommitData, place: FindingPlace): Finding {
    const { saved } = this.#options;
    const base = version - events.length;
    const dropped = `the broker has dropped the records up to version ${base}, as its owner set`;
    if (saved === undefined) return damage("gap", place, `${dropped}, and no snapshot stands for them`);
    return saved.version > base || (saved.version === base && saved.hash === prev)
      ? note("inherited", place, `${dropped}: the snapshot of version ${saved.version} stands for them`)
      : damage("gap", place, `${dropped}, and the snapshot, of version ${saved.version}, does not reach so far`);
  }

  #noteHeads(): void {
    for (const wanted of this.#wanted) wanted.look(this.#ledger);
  }

  #judgeHead({ head, found, isShown }: WantedHead, end: Head): void {
    const { saved } = this.#options;
    const isSaved = saved?.version === head.version && saved.hash === head.hash;
    if (isShown || isSaved) return;
    const detail =
      found === undefined
        ? `version ${head.version} is not in this stream: it ends at ${end.version}`
        : `at version ${head.version} the head is ${found.hash}, not ${head.hash}`;
    const isGone = this.#base !== undefined && head.version <= this.#base && head.version > 0;
    const gone = `version ${head.version} is not in this stream any more: it begins after version ${this.#base}`;
    this.#keep(damage("head", theWhole, isGone ? gone : detail));
  }

  /** The finding is about one record. */
  #found(finding: Finding): void {
    this.#keep({ ...finding, detail: `record ${finding.line}: ${finding.detail}` });
  }

  #keep(finding: Finding): void {
    this.#findings.add(finding);
    this.#isDamaged ||= finding.severity === "damage";
    this.#isSealed ||= finding.kind === "sealed";
    if (finding.severity === "damage") this.#ledger.noteDamage();
  }
}

/** This watches for the place where a head was read, and for what the stream shows there. */
class WantedHead {
  readonly head: Head;
  found: Head | undefined;
  isShown = false;

  constructor(head: Head) {
    this.head = head;
  }

  look(ledger: Ledger): void {
    if (this.found !== undefined || ledger.version < this.head.version) return;
    this.found = ledger.head;
    this.isShown = ledger.hasHash(this.head.hash);
  }
}
