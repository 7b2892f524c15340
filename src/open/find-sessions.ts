/** Finding sessions reads those of every client, which nobody loads who opens one by its place. */
import type { FindOptions } from "../find/find-sessions.ts";
import type { FoundSession } from "../find/found-session.ts";

/**
 * The sessions of all clients on this machine that were begun in this folder, newest first, each with its subagents behind
 * it. Sessions in which nobody said anything are left out. Reading changes nothing but the cache. Throws a TypeError for a
 * wrong option.
 */
export async function findSessions(options?: FindOptions): Promise<FoundSession[]> {
  const finding = await import("../find/find-sessions.ts");
  return finding.findSessions(options);
}
