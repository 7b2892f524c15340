/** A new session file gets its name once it is whole: what fails on the way, as on a full disk, leaves nothing that looks like a session. */
import fs from "node:fs";
import path from "node:path";
import { isJournalError, StorageError } from "../errors.ts";
import { endUnfinished, removeUnfinishedFiles, unfinishedIn } from "../store/archive/unfinished.ts";
import type { SessionFileOptions } from "../store/session-file/session-file-options.ts";
import { lookAt, sidePaths, syncFolder } from "../store/session-file/session-path.ts";

/** Nobody else knows its name. */
const alone = { lock: { mode: "off" } } as const satisfies SessionFileOptions;

/** Many files are made in one folder, one after the other. */
const tidied = { folder: "", untilMs: 0 };
const tidyMs = 3_600_000;

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
  await tidy(path.dirname(file));
  const unfinished = unfinishedIn(path.dirname(file));
  let made: Made;
  try {
    made = await make(unfinished, alone);
    if (!isNamed(unfinished, file)) return await make(target, {});
    keepSnapshot(sidePaths(unfinished).snapshot, sidePaths(file).snapshot);
  } catch (error) {
    throw asOf(file, unfinished, error);
  } finally {
    endUnfinished(unfinished);
  }
  if (durability !== "os") await syncFolder(path.dirname(file));
  return made;
}

/** Removes what was left by who was killed over making a file there. */
async function tidy(folder: string): Promise<void> {
  if (tidied.folder === folder && performance.now() < tidied.untilMs) return;
  Object.assign(tidied, { folder, untilMs: performance.now() + tidyMs });
  await removeUnfinishedFiles(folder);
  await removeUnfinishedFiles(sidePaths(path.join(folder, "any")).folder);
}

/** Unlike renaming, this takes the name from nobody. */
function isNamed(unfinished: string, file: string): boolean {
  try {
    fs.linkSync(unfinished, file);
    return true;
  } catch {
    return false;
  }
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
