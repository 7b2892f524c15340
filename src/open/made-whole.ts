/** A new session file gets its name once it is whole: what fails on the way, as on a full disk, leaves nothing that looks like a session. */
import fs from "node:fs";
import path from "node:path";
import { isJournalError, StorageError } from "../errors.ts";
import { unfinishedIn } from "../store/archive/archive-folder.ts";
import type { SessionFileOptions } from "../store/session-file/session-file-options.ts";
import { lookAt, sidePaths, syncFolder } from "../store/session-file/session-path.ts";

/** Nobody else knows its name. */
const alone = { lock: { mode: "off" } } as const satisfies SessionFileOptions;

/**
 * `make` makes the session file that it is told, and closes it. Where something is at `target` already, that is `target` itself, and so it is
 * where another was faster, or the file system knows no second names. Throws what `make` does, as if it were of `target`.
 */
export async function madeWhole<Made>(
  target: string,
  durability: SessionFileOptions["durability"],
  make: (file: string, options: Pick<SessionFileOptions, "lock">) => Promise<Made>,
): Promise<Made> {
  const file = path.resolve(target);
  const namesFolder = target.endsWith("/") || target.endsWith(path.sep);
  if (namesFolder || lookAt(file) !== undefined) return make(target, {});
  const unfinished = unfinishedIn(path.dirname(file));
  let made: Made;
  try {
    made = await make(unfinished, alone);
    if (!isNamed(unfinished, file)) return await make(target, {});
    keepSnapshot(sidePaths(unfinished).snapshot, sidePaths(file).snapshot);
  } catch (error) {
    throw asOf(file, unfinished, error);
  } finally {
    for (const left of [unfinished, sidePaths(unfinished).snapshot]) fs.rmSync(left, { force: true });
  }
  if (durability !== "os") await syncFolder(path.dirname(file));
  return made;
}

/** Unlike renaming, this takes the name from nobody. */
function isNamed(unfinished: string, file: string): boolean {
  try {
    fs.linkSync(unfinished, file);
  } catch {
    return false;
  }
  // At once: nobody opens a file of two names.
  fs.rmSync(unfinished);
  return true;
}

/** It goes by the bytes of the file, whatever their name is. */
function keepSnapshot(made: string, wanted: string): void {
  try {
    fs.renameSync(made, wanted);
  } catch {
    // Nearly always there is none; without it, the first reader begins with the first byte.
  }
}

function asOf(file: string, unfinished: string, error: unknown): unknown {
  if (!isJournalError(error, "storage") || !error.message.includes(unfinished)) return error;
  const message = error.message.replaceAll(unfinished, file);
  return new StorageError(message, "not-written", { file }, error.cause, error.advice);
}
