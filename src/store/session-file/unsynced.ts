/**
 * Commits that a failed sync may have lost, for every handle of this process: a sync that failed proves nothing about what
 * was written before it, so they are appended once more, that their bytes are new to the kernel.
 */
import type { CommitData } from "../../event/commit.ts";

/** By file, namespace and session. */
const lost = new Map<string, readonly CommitData[]>();

export function noteLost(key: string, commits: readonly CommitData[]): void {
  lost.set(key, [...(lost.get(key) ?? []), ...commits]);
}

export function lostIn(key: string): readonly CommitData[] | undefined {
  return lost.size === 0 ? undefined : lost.get(key);
}

/** Another handle's sync may have failed meanwhile. */
export function noteKept(key: string, kept: readonly CommitData[]): void {
  const rest = (lost.get(key) ?? []).filter((data) => !kept.includes(data));
  if (rest.length > 0) lost.set(key, rest);
  else lost.delete(key);
}
