/**
 * Has anyone touched the record? Every line of a session file is read, and what is remarkable is listed with its place.
 * A note is what crashes, races, hosts and forks leave behind; damage is what none of them leaves.
 */
import { VerifyLines } from "./verify-lines.ts";
import type { Head } from "../event/commit.ts";
import type { SealKey } from "../line/chain.ts";

export type NoteKind = "torn" | "inherited" | "duplicate" | "fork" | "foreign" | "sealed";
export type DamageKind = "corrupt" | "hash" | "gap" | "mirror" | "unknown_event" | "tree" | "head";

/** `offset` in bytes from the start of the file, `line` from 1; both 0 where a finding is about the whole. */
export interface Finding {
  readonly kind: NoteKind | DamageKind | "fork";
  readonly severity: "note" | "damage";
  readonly offset: number;
  readonly line: number;
  readonly detail: string;
}

export interface Verification {
  /** No damage. */
  readonly ok: boolean;
  readonly findings: readonly Finding[];
  readonly head: Head;
}

/** A line of the session file; `bytes` may be only its beginning, `size` is its length. */
export interface VerifiedLine {
  readonly offset: number;
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly size: number;
  /** Ended by a line feed. */
  readonly ended: boolean;
}

export interface VerifyOptions {
  readonly namespace: string;
  readonly seal?: SealKey;
  /** A head that was kept elsewhere: what the file shows must agree with it. */
  readonly head?: Head;
}

export async function verifyLines(
  lines: AsyncIterable<VerifiedLine> | Iterable<VerifiedLine>,
  options: VerifyOptions,
): Promise<Verification> {
  const verifier = new VerifyLines(options);
  for await (const line of lines) verifier.take(line);
  return verifier.finish();
}
