/** What a failed sync may have lost. A later sync that succeeds proves nothing about it: it is appended again before anything is acknowledged. */
import { StorageError } from "../../errors.ts";
import type { CommitData } from "../../event/commit.ts";
import { checkCommit } from "../../line/chain.ts";
import { commitLineBytesMax } from "../../line/format.ts";
import type { LogPages, Step } from "../../stream/log.ts";
import { commitsIn } from "./mirror-repair.ts";
import type { FileIdentity } from "./session-bytes.ts";
import type { SessionReader } from "./session-reader.ts";

/** Commits that a failed sync may have lost, for every handle of this process: by file, namespace and session. */
const lost = new Map<string, readonly CommitData[]>();

/** Where values may be lost that were copied there, and the path. No second line may have their ids: a host goes by these from line to line. */
const lostValues = new Map<string, string>();

/** A new file may have the number of one that was removed, which is the beginning of a key. */
export function forgetLost({ dev, ino }: FileIdentity): void {
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
