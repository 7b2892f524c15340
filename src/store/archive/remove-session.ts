/** Removes a session file with what lies beside it. */
import fs from "node:fs";
import { takeLock } from "../session-file/lock.ts";
import { defaultLock } from "../session-file/session-file-options.ts";
import { failedTo, sidePaths } from "../session-file/session-path.ts";
import { takeUnfinishedName } from "./unfinished.ts";

/**
 * The file is removed under the lock, so that no writer of ours is in between. The result is false if `isStill` says no, or if the file was
 * written to while it was asked. A failure throws StorageError.
 */
export async function removeSessionFile(file: string, isStill: () => Promise<boolean>): Promise<boolean> {
  const paths = sidePaths(file);
  const release = await takeLock(file, paths, { ...defaultLock, required: true });
  try {
    const before = stateOf(file);
    if (before === undefined || !(await isStill()) || stateOf(file) !== before) return false;
    // A failure leaves the session there.
    fs.rmSync(paths.snapshot, { force: true });
    takeUnfinishedName(file);
    fs.unlinkSync(file);
    return true;
  } catch (cause) {
    throw failedTo("remove", file, cause, "check the folder's permissions");
  } finally {
    await release?.();
  }
}

function stateOf(file: string): string | undefined {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}
