/** What a database keeps for resuming, checked as it is read: anything else than what was saved is no snapshot. */
import type { LedgerImage } from "../../line/acceptance.ts";
import { parseState } from "../../state/image.ts";
import type { Snapshot } from "../store.ts";

export interface SqliteSnapshot {
  readonly snapshot: Snapshot;
  readonly ledger: LedgerImage;
}

export function parseSqliteSnapshot(json: unknown): SqliteSnapshot | undefined {
  if (typeof json !== "string") return undefined;
  try {
    const { snapshot, ledger } = JSON.parse(json) as SqliteSnapshot;
    const state = parseState(snapshot.state);
    const agrees = snapshot.end.version === ledger.head.version && snapshot.end.hash === ledger.head.hash;
    return state === undefined || !agrees ? undefined : { snapshot: { ...snapshot, state }, ledger };
  } catch {
    return undefined;
  }
}
