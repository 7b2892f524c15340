import type { Lease } from "../event/event.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";

/** The lease that stands on an entry at this time. One that has run out is none. */
export function leaseAt(state: ScratchpadState, key: string, at: string): Lease | undefined {
  const lease = own(state.leases, key);
  return lease !== undefined && Date.parse(lease.until) > Date.parse(at) ? lease : undefined;
}

export function leaseUntil(at: string, ttlSeconds: number): string {
  const now = Date.parse(at);
  if (Number.isNaN(now)) throw new TypeError(`context.at must be an ISO time, not ${JSON.stringify(at)}`);
  return new Date(now + Math.round(ttlSeconds * 1000)).toISOString();
}
