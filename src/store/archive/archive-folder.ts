/** This file makes the folder into which many sessions are archived, one after the other. */
import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, rm } from "node:fs/promises";
import path from "node:path";
import { syncFolder } from "../session-file/session-path.ts";

/** Nothing takes so long to be archived. */
const abandonedMs = 86_400_000;

/** Makes the folder, readable by its owner only, with those above it that are missing, and puts the names of all of them on disk. */
export async function makeArchiveFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const top = path.dirname(path.resolve(first));
  for (let made = path.resolve(folder); made !== top; made = path.dirname(made)) await syncFolder(path.dirname(made));
}

/** The result is a new name for what is not whole yet. It is short whatever the archive is called. */
export function unfinishedIn(folder: string): string {
  return path.join(folder, `.${randomUUID()}.unfinished`);
}

/**
 * Removes what was left of archives that were interrupted, for it has the texts of sessions. What is younger may be somebody's who is at work.
 * What cannot be removed stays: no archive hangs on it.
 */
export async function removeUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((each) => unfinished.test(each))) {
    const left = path.join(folder, name);
    const stats = await lstat(left).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > abandonedMs)
      await rm(left, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** The first versions put the name of the archive before it. */
const unfinished = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.unfinished$/;
