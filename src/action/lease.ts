import type { Lease } from "../event/event.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";

/** The result is the lease that holds an entry at this time. A lease that has run out holds nothing. */
export function leaseAt(state: ScratchpadState, key: string, at: string): Lease | undefined {
  const lease = own(state.leases, key);
  return lease !== undefined && Date.parse(lease.until) > Date.parse(at) ? lease : undefined;
}

/** This is `leaseAt` for a decision. It throws a TypeError at what is no time, because every lease would seem to have run out. */
export function leaseNow(state: ScratchpadState, key: string, at: string): Lease | undefined {
  if (own(state.leases, key) !== undefined) timeOf(at);
  return leaseAt(state, key, at);
}

export function leaseUntil(at: string, ttlSeconds: number): string {
  return new Date(timeOf(at) + Math.round(ttlSeconds * 1000)).toISOString();
}

function timeOf(at: string): number {
  const time = Date.parse(at);
  if (Number.isNaN(time)) throw new TypeError(`context.at must be an ISO time, not ${JSON.stringify(at)}`);
  return time;
}
