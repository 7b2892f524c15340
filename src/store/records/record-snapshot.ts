/**
 * What backends that keep records save for resuming: a checksum, a line feed, and one JSON object. With a seal the
 * checksum needs its key, so nobody else can make one that holds. Whatever is not wholly right is no snapshot.
 */

import { hashText, type SealKey } from "../../line/chain.ts";
import type { LedgerImage } from "../../line/verdict.ts";
import { parseState } from "../../state/image.ts";
import type { Snapshot } from "../store.ts";

export interface RecordSnapshot {
  /** Of the newest record in it. */
  readonly place: number;
  /** Digest of that record; "" where there is none. */
  readonly digest: string;
  readonly snapshot: Snapshot;
  readonly ledger: LedgerImage;
  /** A record was found damaged or missing. Absent where it was made before this was kept. */
  readonly damaged?: boolean;
}

/** Counted on when fields change their meaning, or the same records come to another state. */
const format = 1;

export function printRecordSnapshot(saved: RecordSnapshot, seal?: SealKey): string {
  const body = JSON.stringify({ format, ...saved });
  return `${hashText(body, seal)}\n${body}`;
}

/** Undefined: damaged, of another format, made with another key, or at odds with itself. */
export function parseRecordSnapshot(text: unknown, seal?: SealKey): RecordSnapshot | undefined {
  if (typeof text !== "string") return undefined;
  const cut = text.indexOf("\n");
  const body = text.slice(cut + 1);
  if (cut === -1 || hashText(body, seal) !== text.slice(0, cut)) return undefined;
  const saved = JSON.parse(body) as RecordSnapshot & { readonly format: unknown };
  if (saved.format !== format) return undefined;
  const { place, digest, snapshot, ledger, damaged } = saved;
  const { version, hash } = snapshot.end;
  const state = parseState(snapshot.state);
  if (state === undefined || version !== ledger.head.version || hash !== ledger.head.hash) return undefined;
  return { place, digest, ledger, snapshot: { ...snapshot, state }, ...(damaged === undefined ? {} : { damaged }) };
}
