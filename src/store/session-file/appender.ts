/**
 * Puts bytes at the end of the file: one write, then, where durability asks for it, one sync. A sync that failed proves
 * nothing about what was written before it, not even when it is tried again: the kernel has marked those pages clean. So
 * what was written since the last good sync is remembered, and counts as lost until it was appended again.
 */
import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { syncing } from "../../channels.ts";
import { traced } from "../../diagnostics.ts";
import { type Fate, StorageError } from "../../errors.ts";
import type { CommitData } from "../../event/commit.ts";
import { checkCommit } from "../../line/chain.ts";
import { headerLine, type NewSession } from "../../line/encode.ts";
import { commitLineBytesMax } from "../../line/format.ts";
import type { LogPages, Step } from "../../stream/log.ts";
import { commitsIn } from "./mirror-repair.ts";
import { type FileIdentity, isSameFile } from "./session-bytes.ts";
import { failedTo, plainFile, release, syncFolder } from "./session-path.ts";
import type { SessionReader } from "./session-reader.ts";

/** This says when an answer is given: when the change is on the disk, or when the operating system has it. */
export type Durability = "fsync" | "os";

const fdatasync = promisify(fs.fdatasync);

/** A turn through the pool of threads costs as much as a sync of a fast disk. */
const promptSyncMsMax = 1;

const appendFlags =
  fs.constants.O_WRONLY | fs.constants.O_APPEND | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0);

export class Appender {
  readonly #file: string;
  readonly #durability: Durability;
  #descriptor: number | undefined;
  #identity: FileIdentity | undefined;
  /** The folder was synced since the file was opened. */
  #isNamed = false;
  /** The last sync took so long. */
  #syncMs = Number.POSITIVE_INFINITY;

  constructor(file: string, durability: Durability) {
    this.#file = file;
    this.#durability = durability;
  }

  /** Appends `bytes` in one write to the file that `identity` names; false: the path leads to another by now. With `wholeBytes`, what counts is there. */
  append(bytes: Buffer, identity: FileIdentity, wholeBytes: number): boolean {
    const descriptor = this.#open(identity);
    if (descriptor === undefined) return false;
    let written = 0;
    try {
      written = fs.writeSync(descriptor, bytes, 0, bytes.length);
    } catch (error) {
      throw this.#failed("write to", "not-written", error);
    }
    if (written === bytes.length) return true;
    this.#endTornLine(descriptor);
    const cause = new Error(`${written} of ${bytes.length} bytes were written`);
    throw this.#failed("write to", written >= wholeBytes ? "unknown" : "not-written", cause);
  }

  /**
   * Resolves when everything that was appended is on disk, as far as `durability` promises: under its name, too, which may be new, for
   * hosts that create or replace the file do not sync. The result is undefined if it is there already. A disk that was fast is waited for
   * at once, a slow one while other work goes on.
   */
  sync(): Promise<void> | undefined {
    const descriptor = this.#descriptor;
    // @guard sync
    if (descriptor === undefined || this.#durability === "os") return undefined;
    if (!this.#isNamed || this.#syncMs > promptSyncMsMax || syncing.hasSubscribers) return this.#sync(descriptor);
    const start = performance.now();
    try {
      fs.fdatasyncSync(descriptor);
    } catch (error) {
      return Promise.reject(this.#failed("sync", "unknown", error));
    }
    this.#syncMs = performance.now() - start;
    return undefined;
  }

  async #sync(descriptor: number): Promise<void> {
    const isPrompt = this.#syncMs <= promptSyncMsMax;
    const task = async () => (isPrompt ? fs.fdatasyncSync(descriptor) : fdatasync(descriptor));
    const start = performance.now();
    try {
      await traced(syncing, () => ({ where: this.#file }), task);
    } catch (error) {
      throw this.#failed("sync", "unknown", error);
    }
    this.#syncMs = performance.now() - start;
    // @guard sync-name
    if (!this.#isNamed) await syncFolder(path.dirname(this.#file));
    this.#isNamed = true;
  }

  /** This syncs what others appended, too. The result is false if the path leads to another file by now. */
  async syncAll(identity: FileIdentity): Promise<boolean> {
    if (this.#durability === "os") return true;
    if (this.#open(identity) === undefined) return false;
    await this.sync();
    return true;
  }

  close(): void {
    release(this.#descriptor);
    this.#descriptor = undefined;
    this.#identity = undefined;
    this.#isNamed = false;
  }

  /** The result is undefined if what is there is not what was read, and may be another session. */
  #open(identity: FileIdentity): number | undefined {
    if (this.#descriptor !== undefined && this.#identity && isSameFile(this.#identity, identity))
      return this.#descriptor;
    this.close();
    try {
      this.#descriptor = fs.openSync(this.#file, appendFlags);
      this.#identity = fs.fstatSync(this.#descriptor);
      if (isSameFile(this.#identity, identity)) return this.#descriptor;
      this.close();
      return undefined;
    } catch (error) {
      throw this.#failed("open", "not-written", error);
    }
  }

  /** So that the next line of the host's is not swallowed. */
  #endTornLine(descriptor: number): void {
    try {
      fs.writeSync(descriptor, "\n");
    } catch {
      // The next writer ends it.
    }
  }

  #failed(what: string, fate: Fate, cause: unknown): StorageError {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOSPC" || code === "EDQUOT")
      return failedTo(what, this.#file, cause, "free some space and try again", fate);
    if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
      const option = { option: "readonly", said: ", or open it with readonly: true" } as const;
      return failedTo(what, this.#file, cause, `check its permissions${option.said}`, fate, option);
    }
    return failedTo(what, this.#file, cause, "check the disk and try again with the same command", fate);
  }
}

/** An empty file may be one whose creator, or a host that rewrites it, is about to write its header. */
const emptyMs = 100;

/** Creates the file with its header, for its owner only, and syncs the folder, else its name could be lost. Does nothing where a file holds something. */
export async function createSession(file: string, session: NewSession, durability: Durability): Promise<void> {
  const header = headerLine(session);
  if (await writeHeader(file, header, durability, fs.constants.O_EXCL)) return;
  for (const deadline = performance.now() + emptyMs; performance.now() < deadline; await sleep(1)) {
    if (plainFile(file)?.size !== 0) return;
  }
  await writeHeader(file, header, durability, 0);
}

async function writeHeader(file: string, header: string, durability: Durability, exclusive: number): Promise<boolean> {
  const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW = 0 } = fs.constants;
  let descriptor: number | undefined;
  try {
    descriptor = fs.openSync(file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | exclusive, 0o600);
    if (fs.fstatSync(descriptor).size > 0) return false;
    if (exclusive !== 0) forgetLost(fs.fstatSync(descriptor));
    writeWhole(descriptor, Buffer.from(header));
    if (durability === "fsync") fs.fsyncSync(descriptor);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    const advice = code === "ENOENT" ? "create its folder first" : "check the folder's permissions and the disk";
    throw failedTo("create", file, error, advice);
  } finally {
    release(descriptor);
  }
  // @guard sync-new-name
  if (durability === "fsync") await syncFolder(path.dirname(file));
  return true;
}

/** The beginning of a header would be no session for ever: all of it is written, or nothing. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  let written = 0;
  try {
    while (written < bytes.length) {
      const count = fs.writeSync(descriptor, bytes, written);
      if (count === 0) throw new Error(`${written} of ${bytes.length} bytes were written`);
      written += count;
    }
  } catch (error) {
    emptyAgain(descriptor, written);
    throw error;
  }
}

/** A disk that has just failed may fail once more. Where nothing was written, others may be writing their header to the empty file. */
function emptyAgain(descriptor: number, written: number): void {
  if (written === 0) return;
  for (let attempt = 0; attempt < 8; attempt++) {
    try {
      if (fs.fstatSync(descriptor).size === written) fs.ftruncateSync(descriptor, 0);
      return;
    } catch {}
  }
}

/** Commits that a failed sync may have lost, for every handle of this process: by file, namespace and session. */
const lost = new Map<string, readonly CommitData[]>();

/** Where values may be lost that were copied there, and the path. No second line may have their ids: a host goes by these from line to line. */
const lostValues = new Map<string, string>();

/** A new file may have the number of one that was removed, which is the beginning of a key. */
function forgetLost({ dev, ino }: FileIdentity): void {
  for (const all of [lost, lostValues])
    for (const key of all.keys()) if (key.startsWith(`${dev}:${ino} `)) all.delete(key);
}

interface Unsynced {
  readonly file: string;
  /** This was appended, and is known if nothing can be read. */
  readonly own: Extract<Step, { type: "append" }> | undefined;
  readonly reader: SessionReader;
  /** They are the whole file. */
  readonly pages: LogPages;
}

/** What was written since the last good sync is to be appended again, whoever wrote it. */
export async function noteLost(key: string, { file, own, reader, pages }: Unsynced): Promise<void> {
  const commits = own === undefined ? [] : commitsIn(own);
  if (own?.records.some(({ kind }) => kind === "value") === true) lostValues.set(key, file);
  note(key, commits, []);
  note(key, commits, await unsyncedIn(reader, pages).catch(() => []));
}

/** `found` stand in the file in this order, which decides which of them count. If `own` are not among them, they are the newest. */
function note(key: string, own: readonly CommitData[], found: readonly CommitData[]): void {
  const ids = new Set(found.map(({ id }) => id));
  const all = [...(lost.get(key) ?? []).filter(({ id }) => !ids.has(id)), ...found, ...own];
  if (all.length > 0) lost.set(key, [...new Map(all.map((data) => [data.id, data])).values()]);
}

export function isAnyLost(): boolean {
  return lost.size > 0 || lostValues.size > 0;
}

/** Throws StorageError where what may be lost cannot be appended again. */
export function lostIn(key: string): readonly CommitData[] | undefined {
  const file = lostValues.get(key);
  if (file === undefined) return lost.get(key);
  const message = `${file} may lack values that were copied there before a sync failed, and nothing was written: move it away, and copy to its place again`;
  throw new StorageError(message, "not-written", { file });
}

/** Another handle's sync may have failed meanwhile. */
export function noteKept(key: string, kept: readonly CommitData[]): void {
  const rest = (lost.get(key) ?? []).filter((data) => !kept.includes(data));
  if (rest.length > 0) lost.set(key, rest);
  else lost.delete(key);
}

/** What stands further back the system has written by itself long ago. */
const unsyncedBytesMax = 2 * commitLineBytesMax;

/** The result has the commits that stand behind what was synced last, but for those that were changed since. */
async function unsyncedIn({ offset, synced }: SessionReader, pages: LogPages): Promise<CommitData[]> {
  const commits: CommitData[] = [];
  const from = Math.max(synced, offset - unsyncedBytesMax);
  for await (const { entries } of pages)
    for (const entry of entries)
      if (entry.kind === "commit" && (entry.offset ?? 0) >= from && checkCommit(entry.data) !== "wrong")
        commits.push(entry.data);
  return commits;
}
