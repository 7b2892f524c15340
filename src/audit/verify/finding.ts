/** This file describes what verification finds, and what it is given. */
import type { Head } from "../../event/commit.ts";
import type { SealKey } from "../../line/chain.ts";
import type { FoundLine } from "../../line/classify.ts";

/** This is what crashes, races, hosts and branches leave behind. A `fork` behind damage is damage: it may be its victim. */
export type NoteKind = "torn" | "inherited" | "duplicate" | "fork" | "foreign" | "sealed" | "redacted";
/** This is what none of them leaves behind. */
export type DamageKind =
  | "corrupt"
  | "hash"
  | "gap"
  | "mirror"
  | "unknown_event"
  | "tree"
  | "head"
  | "snapshot"
  | "fork";

/**
 * `offset` is in bytes from the start of the file, and `line` counts from 1. Both are 0 if a finding is about the whole. In a
 * stream of records, `line` is the record's place (a database's row, a broker's sequence number), and `offset` is 0.
 */
export interface Finding {
  /** This is the kind of the finding, such as `hash` or `torn`. docs/format.md explains each of them. */
  readonly kind: NoteKind | DamageKind;
  /** A note is what crashes, races, hosts and branches leave behind. Anything else is damage. */
  readonly severity: "note" | "damage";
  readonly offset: number;
  readonly line: number;
  /** This says in one line what was found. */
  readonly detail: string;
}

/** This says how many more findings of a kind there are than those that are listed. */
export interface UnlistedFindings {
  readonly kind: Finding["kind"];
  readonly severity: Finding["severity"];
  readonly count: number;
}

/** This is the result of `journal.verify`. */
export interface Verification {
  /** It is true if there is no damage. */
  readonly ok: boolean;
  /** This has the first 10,000 of each kind. */
  readonly findings: readonly Finding[];
  /** This is absent if all findings are listed. */
  readonly unlisted?: readonly UnlistedFindings[];
  /** This is the head of what was read. Compare it with one that you kept elsewhere. */
  readonly head: Head;
}

/** This is a line of the session file. `bytes` may be only its beginning; `size` is its length. */
export interface VerifiedLine {
  readonly offset: number;
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly size: number;
  /** Hands on all bytes of a line that `bytes` may be only the beginning of. */
  readonly pieces?: (take: (piece: Uint8Array) => void) => void;
  /** The line was ended by a line feed. */
  readonly ended: boolean;
  /** Several readers of the line tell each other what it is. */
  found?: FoundLine;
}

export interface VerifyOptions {
  readonly namespace: string;
  readonly seal?: SealKey;
  /** A head that was kept elsewhere: what the file shows must agree with it. */
  readonly head?: Head;
}

/** The result counts the findings, with those that are not listed. */
export function countOf(
  { findings, unlisted = [] }: Pick<Verification, "findings" | "unlisted">,
  isCounted: (finding: Pick<Finding, "kind" | "severity">) => boolean,
): number {
  return unlisted.filter(isCounted).reduce((sum, { count }) => sum + count, findings.filter(isCounted).length);
}

/** The line of a finding stands here. */
export type FindingPlace = Pick<VerifiedLine, "offset" | "number">;

/** The finding is about the whole. */
export const theWhole: FindingPlace = { offset: 0, number: 0 };

export function note(kind: NoteKind, { offset, number }: FindingPlace, detail: string): Finding {
  return { kind, severity: "note", offset, line: number, detail };
}

export function damage(kind: DamageKind, { offset, number }: FindingPlace, detail: string): Finding {
  return { kind, severity: "damage", offset, line: number, detail };
}

/** The result is what was found, and this damage to the whole besides. */
export function withDamage(verification: Verification, kind: DamageKind, detail: string): Verification {
  return { ...verification, ok: false, findings: [...verification.findings, damage(kind, theWhole, detail)] };
}
