/** Finding sessions reads those of every client, which nobody loads who opens one by its place. */
import type { FindOptions } from "../find/finder.ts";
import type { FoundSession } from "../find/found-session.ts";

/**
 * Finds the sessions of all clients on this machine that were begun in a folder, newest first. The sessions of subagents stand
 * behind their parent's. It leaves out sessions in which nobody said anything. Nothing is written but a cache.
 *
 * @param options The folder, the clients, and where these keep their sessions.
 * @throws TypeError for an option that does not exist.
 * @example
 * const [newest] = await findSessions({ folder: "my-project" });
 * if (newest !== undefined) console.log(newest.title, newest.where);
 */
export async function findSessions(options?: FindOptions): Promise<FoundSession[]> {
  const finding = await import("../find/find-sessions.ts");
  return finding.findSessions(options);
}
