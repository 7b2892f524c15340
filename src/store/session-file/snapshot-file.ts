/** Puts a snapshot in its place, whole or not at all, and gets it from there. */
import fs from "node:fs";
import { promisify } from "node:util";
import { StorageError } from "../../errors.ts";
import { isLink, makeSideFolder, release, type SidePaths } from "./session-path.ts";

/** A larger one is none. */
const snapshotBytesMax = 256 << 20;

/** Who began to write a snapshot so long ago died over it. */
const abandonedMs = 60_000;

const noFollow = fs.constants.O_NOFOLLOW ?? 0;

const fsync = promisify(fs.fsync);

/** Undefined: none, or none that can be read. */
export function readSnapshotFile({ folder, snapshot }: SidePaths): string | undefined {
  if (isLink(folder)) return undefined;
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(snapshot, fs.constants.O_RDONLY | noFollow | (fs.constants.O_NONBLOCK ?? 0));
    const stats = fs.fstatSync(descriptor);
    return stats.isFile() && stats.size <= snapshotBytesMax ? fs.readFileSync(descriptor, "utf8") : undefined;
  } catch {
    return undefined;
  } finally {
    release(descriptor);
  }
}

/** Tells one snapshot from the next without reading it; undefined where there is none. */
export function markOfSnapshot({ snapshot }: SidePaths): string | undefined {
  try {
    const { ino, mtimeMs, size } = fs.lstatSync(snapshot);
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    return undefined;
  }
}

/**
 * Writes a temporary file, syncs it, renames it, syncs the folder. False: another writer is about to do the same. Throws
 * what the operating system does.
 */
async function writeSnapshotFile({ folder, snapshot }: SidePaths, text: string): Promise<boolean> {
  const failure = makeSideFolder(folder);
  if (failure !== undefined) throw failure;
  const temporary = `${snapshot}.tmp`;
  const descriptor = create(temporary);
  if (descriptor === undefined) return false;
  try {
    await finish(descriptor, text);
    fs.renameSync(temporary, snapshot);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
  await syncNames(folder);
  return true;
}

async function syncNames(folder: string): Promise<void> {
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(folder, fs.constants.O_RDONLY);
    await fsync(descriptor);
  } catch (error) {
    // Windows cannot open folders; it needs no sync of them.
    if (process.platform !== "win32") throw error;
  } finally {
    release(descriptor);
  }
}

/** One name for all, so that a writer that dies leaves one such file at most. */
function create(temporary: string): number | undefined {
  const { O_WRONLY, O_CREAT, O_EXCL } = fs.constants;
  try {
    return fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | noFollow, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const stats = fs.lstatSync(temporary, { throwIfNoEntry: false });
    if (stats !== undefined && Date.now() - stats.mtimeMs > abandonedMs) fs.rmSync(temporary, { force: true });
    return undefined;
  }
}

async function finish(descriptor: number, text: string): Promise<void> {
  try {
    fs.writeFileSync(descriptor, text);
    await fsync(descriptor);
  } finally {
    release(descriptor);
  }
}

/** Throws StorageError. */
export async function saveSnapshot(paths: SidePaths, text: string): Promise<void> {
  try {
    await writeSnapshotFile(paths, text);
  } catch (error) {
    const file = paths.snapshot;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StorageError(
      `cannot write ${file} (${code ?? message}): check the folder's permissions and the disk; the journal works without`,
      "not-written",
      { file },
      error,
    );
  }
}
