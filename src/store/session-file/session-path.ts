/** Where a session and its side files lie, and what may lie there. */
import fs from "node:fs";
import path from "node:path";
import { type Advice, type Fate, NotASessionError, StorageError } from "../../errors.ts";
import { hasOtherNames } from "../archive/unfinished.ts";

/** The side files are the lock and the snapshot. Neither ends in `.jsonl`, so that no host lists them as sessions. */
export interface SidePaths {
  readonly folder: string;
  readonly lock: string;
  readonly snapshot: string;
  /** A lock FILE that older OpenClaw runtimes put beside the session. */
  readonly hostLock: string;
}

export function sidePaths(file: string): SidePaths {
  const folder = path.join(path.dirname(file), ".session-journal");
  const name = path.basename(file);
  return {
    folder,
    lock: path.join(folder, `${name}.lock`),
    snapshot: path.join(folder, `${name}.snapshot.json`),
    hostLock: `${file}.lock`,
  };
}

/** The result says that the side folder is a link, for what is made behind it would lie somewhere else. It is undefined if it is none. */
export function linkFault(folder: string): NodeJS.ErrnoException | undefined {
  try {
    if (fs.lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  } catch {
    return undefined;
  }
  return Object.assign(new Error(`${folder} is a symbolic link, behind which nothing is made`), { code: "ELOOP" });
}

/** Creates the side folder if it is needed. The result is undefined when done, or else the reason why not. */
export function makeSideFolder(folder: string): NodeJS.ErrnoException | undefined {
  const link = linkFault(folder);
  if (link !== undefined) return link;
  try {
    if (fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EEXIST") return error as NodeJS.ErrnoException;
  }
  return undefined;
}

/**
 * Refuses what is not a plain file of one name: through a link, a pipe or a second name, others would see a rewrite or a replacement that
 * we cannot notice. The result is undefined if nothing is there.
 */
export function plainFile(file: string): fs.Stats | undefined {
  const stats = lookAt(file);
  const fault = stats && kindFault(file, stats);
  if (fault !== undefined) throw new NotASessionError(`${file} ${fault}`, { file });
  return stats;
}

/** The result is what lies under the path itself, without following a link. It is undefined if nothing does. */
export function lookAt(file: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") throw new NotASessionError(`${file}: its folder is not a folder: check the path`, { file });
    throw unreadable(file, error);
  }
}

function kindFault(file: string, stats: fs.Stats): string | undefined {
  if (stats.isSymbolicLink()) return "is a symbolic link: name the session file that it points to";
  if (stats.isDirectory()) return "is a folder: name a session file in it";
  if (!stats.isFile()) return "is not a plain file (a pipe, socket or device): name a session file";
  if (hasOtherNames(file, stats)) return `has ${stats.nlink} names (hard links): copy it, then use the copy`;
  return undefined;
}

/** What must be kept was synced before; the descriptor is free whatever the disk answers. */
export function release(descriptor: number | undefined): void {
  if (descriptor === undefined) return;
  try {
    fs.closeSync(descriptor);
  } catch {
    // Nothing hangs on it any more.
  }
}

/** This puts the names in a folder on disk. It throws StorageError. */
export async function syncFolder(
  folder: string,
  sync: (descriptor: number) => unknown = (descriptor) => fs.fsyncSync(descriptor),
): Promise<void> {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(folder, fs.constants.O_RDONLY);
    await sync(descriptor);
  } catch (error) {
    // Windows cannot open folders; it needs no sync of them.
    if (process.platform === "win32") return;
    throw failedTo("sync the folder", folder, error, "check the disk and try again", "unknown");
  } finally {
    release(descriptor);
  }
}

export function rewrittenWhileRead(file: string): StorageError {
  return new StorageError(`${file} was rewritten while it was read: try again`, "not-written", { file });
}

export function goneAt(file: string): StorageError {
  return new StorageError(`${file} is gone, or no longer a session: put it back`, "not-written", { file });
}

export function unreadable(file: string, cause: unknown): StorageError {
  const { code } = cause as NodeJS.ErrnoException;
  const isDenied = code === "EACCES" || code === "EPERM";
  return failedTo("read", file, cause, isDenied ? "check its permissions" : "check the disk and try again");
}

/** The operating system failed to do `what` with a file. `advice`: what to do next. */
export function failedTo(
  what: string,
  file: string,
  cause: unknown,
  advice: string,
  fate: Fate = "not-written",
  option?: Advice,
): StorageError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new StorageError(`cannot ${what} ${file} (${code ?? message}): ${advice}`, fate, { file }, cause, option);
}
