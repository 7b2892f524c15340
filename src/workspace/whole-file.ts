/** Puts a text in its place, whole or not at all. */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { open, rm } from "node:fs/promises";
import path from "node:path";
import { StorageError } from "../errors.ts";

/**
 * Writes a temporary file, syncs it, renames it, syncs the folder. A symbolic link at `file` is replaced, not followed.
 * `mayReplace` is asked in the same breath as the renaming; false: nothing was written. `mode` has the
 * permissions, which are by default the owner's alone. Throws what the operating system does.
 */
export async function writeWholeFile(
  file: string,
  text: string,
  { mayReplace = () => true, mode = 0o600 }: { readonly mayReplace?: () => boolean; readonly mode?: number } = {},
): Promise<boolean> {
  const folder = path.dirname(file);
  const temporary = path.join(folder, `.${randomUUID()}.tmp`);
  try {
    const handle = await open(temporary, "wx", mode);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (mayReplace()) fs.renameSync(temporary, file);
    else {
      await rm(temporary);
      return false;
    }
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
  return true;
}

const beginningBytes = 128;

/** The first bytes as text; undefined where nothing is there. Throws what the operating system does. */
export async function beginningOf(file: string): Promise<string | undefined> {
  const handle = await open(file, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(beginningBytes), 0, beginningBytes, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** What the system says does not tell what to do. */
export function notWritten(file: string, cause: unknown): StorageError {
  const { code } = cause as NodeJS.ErrnoException;
  const message = `cannot write ${file} (${code}): check that its folder exists, its permissions, and the space on the disk`;
  return new StorageError(message, "not-written", { file }, cause);
}

/** Where a folder cannot be synced, its file system needs no such thing. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, "r");
    await handle.sync().finally(() => handle.close());
  } catch {
    // The file of before may come back after a crash, whole as well.
  }
}
