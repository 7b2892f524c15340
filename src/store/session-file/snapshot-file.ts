/** Puts a snapshot in its place, whole or not at all, and gets it from there. */
import { isAscii } from "node:buffer";
import fs from "node:fs";
import { promisify } from "node:util";
import { getHeapStatistics } from "node:v8";
import { because } from "../../diagnostics.ts";
import { failedTo, linkFault, makeSideFolder, release, type SidePaths, syncFolder } from "./session-path.ts";

/** A larger one is none. */
const snapshotBytesMax = 256 << 20;

/** Who began to write a snapshot so long ago died over it. */
const abandonedMs = 60_000;

const noFollow = fs.constants.O_NOFOLLOW ?? 0;

const fsync = (descriptor: number): Promise<void> => promisify(fs.fsync)(descriptor);

/** The result is undefined if there is no snapshot, or none that can be read. */
export function readSnapshotFile({ folder, snapshot }: SidePaths): string | undefined {
  if (linkFault(folder) !== undefined) return undefined;
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(snapshot, fs.constants.O_RDONLY | noFollow | (fs.constants.O_NONBLOCK ?? 0));
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFile() || stats.size > snapshotBytesMax) return undefined;
    const bytes = fs.readFileSync(descriptor);
    // Every process can hold so little, and Node loads a good deal before it says how much memory there is.
    if (bytes.length <= 1 << 20) return bytes.toString();
    const [encoding, held] = isAscii(bytes) ? (["latin1", 1] as const) : (["utf8", 2] as const);
    // A process dies where its heap is full, and not over a cache. What the text says takes as much again.
    if (2 * held * bytes.length > getHeapStatistics().heap_size_limit / 2) {
      because("the snapshot %s is ignored: it takes too much of the memory that this process may use", snapshot);
      return undefined;
    }
    return bytes.toString(encoding);
  } catch {
    return undefined;
  } finally {
    release(descriptor);
  }
}

/** Tells one snapshot from the next without reading it; "" where there is none. Who only reads saves none over it, and need not look. */
export function markOfSnapshot({ snapshot }: SidePaths): string {
  try {
    const { ino, mtimeMs, size } = fs.lstatSync(snapshot);
    return `${ino} ${mtimeMs} ${size}`;
  } catch {
    return "";
  }
}

/** Writes a temporary file, syncs it, renames it, syncs the folder. The result is false if another writer does the same. Throws StorageError. */
export async function saveSnapshot({ folder, snapshot }: SidePaths, pieces: Iterable<string>): Promise<boolean> {
  try {
    const failure = makeSideFolder(folder);
    if (failure !== undefined) throw failure;
    const temporary = `${snapshot}.tmp`;
    const descriptor = create(temporary);
    if (descriptor === undefined) return false;
    try {
      await finish(descriptor, pieces);
      fs.renameSync(temporary, snapshot);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
    await syncFolder(folder, fsync);
    return true;
  } catch (error) {
    throw failedTo("write", snapshot, error, "check the folder's permissions and the disk; the journal works without");
  }
}

/** All writers use one name, so that one that dies leaves one such file at most. The result is undefined if another one is writing it. */
function create(temporary: string): number | undefined {
  const stats = fs.lstatSync(temporary, { throwIfNoEntry: false });
  if (stats !== undefined && Date.now() - stats.mtimeMs > abandonedMs) fs.rmSync(temporary, { force: true });
  try {
    return fs.openSync(temporary, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return undefined;
  }
}

async function finish(descriptor: number, pieces: Iterable<string>): Promise<void> {
  try {
    for (const piece of pieces) fs.writeFileSync(descriptor, piece);
    await fsync(descriptor);
  } finally {
    release(descriptor);
  }
}
