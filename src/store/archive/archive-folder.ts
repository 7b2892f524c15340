/** This file makes the folder into which many sessions are archived or copied, one after the other. */
import path from "node:path";
import { makeFolders } from "../../make-folders.ts";
import { syncFolder } from "../session-file/session-path.ts";

/** Makes the folder, readable by its owner only, with those above it that are missing, and puts the names of all of them on disk. */
export async function makeArchiveFolder(folder: string): Promise<void> {
  const first = makeFolders(folder, 0o700);
  if (first === undefined) return;
  const top = path.dirname(path.resolve(first));
  for (let made = path.resolve(folder); made !== top; made = path.dirname(made)) await syncFolder(path.dirname(made));
}
