/** This file makes a folder, with those above it that are missing. */
import fs from "node:fs";
import path from "node:path";
import { StorageError } from "./errors.ts";
import { given } from "./options.ts";

/** Answers the topmost folder that was missing, or undefined if all were there. Throws StorageError. */
export function makeFolders(folder: string, mode?: number): string | undefined {
  try {
    return made(folder, mode);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message = `cannot make the folder ${folder} (${code}): check the path, its permissions and the space on the disk`;
    throw new StorageError(message, "not-written", { file: folder }, cause);
  }
}

/**
 * Node's own recursive way never ends where a folder exists and the system says that nothing can be made in it because it does not, as in
 * `/proc`.
 */
function made(folder: string, mode: number | undefined): string | undefined {
  const whole = path.resolve(folder);
  if (isFolder(whole)) return undefined;
  const above = path.dirname(whole);
  // A file there is left for the system to refuse below: it says ENOTDIR, with every Node.
  const first = above === whole || fs.existsSync(above) ? undefined : made(above, mode);
  try {
    fs.mkdirSync(whole, given({ mode }));
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(whole)) throw error;
  }
  return first ?? whole;
}

function isFolder(where: string): boolean {
  return fs.statSync(where, { throwIfNoEntry: false })?.isDirectory() === true;
}
