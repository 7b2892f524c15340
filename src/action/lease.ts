import type { Lease } from "../event/event.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";

/** The result is the lease that holds an entry at this time. A lease that has run out holds nothing. */
export function leaseAt(state: ScratchpadState, key: string, at: string): Lease | undefined {
  const lease = own(state.leases, key);
  return lease !== undefined && Date.parse(lease.until) > Date.parse(at) ? lease : undefined;
}

export function leaseUntil(at: string, ttlSeconds: number): string {
  const now = Date.parse(at);
  if (Number.isNaN(now)) throw new TypeError(`context.at must be an ISO time, not ${JSON.stringify(at)}`);
  return new Date(now + Math.round(ttlSeconds * 1000)).toISOString();
}
