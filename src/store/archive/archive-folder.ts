/** This file makes the folder into which many sessions are archived or copied, one after the other. */
import path from "node:path";
import { makeFolders } from "../../make-folders.ts";
import { failedTo, syncFolder } from "../session-file/session-path.ts";

/** Makes the folder, readable by its owner only, with those above it that are missing, and puts the names of all of them on disk. */
export async function makeArchiveFolder(folder: string): Promise<void> {
  const first = madeFolders(folder, 0o700);
  if (first === undefined) return;
  const top = path.dirname(path.resolve(first));
  for (let made = path.resolve(folder); made !== top; made = path.dirname(made)) await syncFolder(path.dirname(made));
}

/** Answers what `makeFolders` does. Throws StorageError. */
export function madeFolders(folder: string, mode?: number): string | undefined {
  try {
    return makeFolders(folder, mode);
  } catch (cause) {
    throw failedTo("make the folder", folder, cause, "check the path, its permissions and the space on the disk");
  }
}
