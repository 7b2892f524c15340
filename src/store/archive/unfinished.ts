/** What is not whole yet lies under a hidden name of its own beside what it becomes. */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import path from "node:path";

/** Nothing takes so long to be made. */
const abandonedMs = 86_400_000;

/** The first versions put the name of the archive before it. A session file that is made may have a snapshot. */
const unfinished = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.unfinished(\.snapshot\.json(\.tmp)?)?$/;

/** This process makes these now. */
const making = new Set<string>();

const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
let endsAt: ((signal: NodeJS.Signals) => boolean) | undefined;

/**
 * A signal that ends this process takes away from now on what is not whole yet. `isEnd` says which one does. Only a program of ours
 * asks for it: what signals mean to another one is its own affair.
 */
export function endUnfinishedAtSignals(isEnd: (signal: NodeJS.Signals) => boolean): void {
  endsAt = isEnd;
}

/** The result is a new name for what is not whole yet, short whatever it becomes. Whoever asks for it calls {@link endUnfinished} at last. */
export function unfinishedIn(folder: string): string {
  const name = path.join(folder, `.${randomUUID()}.unfinished`);
  // Only now: who listens ends when it gets round to it, and a pattern may take for ever on a text.
  if (endsAt !== undefined && !process.listeners("SIGINT").includes(endAt))
    for (const signal of endingSignals) process.on(signal, endAt);
  making.add(name);
  return name;
}

/** Takes away what lies under the hidden name, and its snapshot. */
export function endUnfinished(name: string): void {
  const snapshot = path.join(path.dirname(name), ".session-journal", `${path.basename(name)}.snapshot.json`);
  try {
    for (const left of [name, snapshot, `${snapshot}.tmp`]) remove(left);
  } finally {
    making.delete(name);
    // Not at once: a signal that has come already would be told to nobody.
    if (making.size === 0 && endsAt !== undefined) setImmediate(listenNoMore);
  }
}

/** Where nothing lies, why nothing could be made there is for others to say. */
function remove(left: string): void {
  try {
    fs.rmSync(left, { recursive: true, force: true });
  } catch (error) {
    if (fs.existsSync(left)) throw error;
  }
}

function listenNoMore(): void {
  if (making.size === 0) for (const signal of endingSignals) process.off(signal, endAt);
}

function endAt(signal: NodeJS.Signals): void {
  if (endsAt?.(signal) !== true) return;
  for (const name of making) {
    try {
      endUnfinished(name);
    } catch {}
  }
  listenNoMore();
  process.kill(process.pid, signal);
}

/** Whoever makes a file gives it its name and then takes the hidden one away, or is killed in between: that one is no other name. */
export function hasOtherNames(file: string, stats: fs.Stats): boolean {
  return stats.nlink > 2 || (stats.nlink === 2 && unfinishedNameOf(file, stats) === undefined);
}

/** Takes the hidden name away that is left to a file. What cannot be removed stays: nothing hangs on it. */
export function takeUnfinishedName(file: string): void {
  try {
    const stats = fs.lstatSync(file);
    const name = stats.nlink === 2 ? unfinishedNameOf(file, stats) : undefined;
    if (name !== undefined) fs.rmSync(name);
  } catch {}
}

function unfinishedNameOf(file: string, { dev, ino }: fs.Stats): string | undefined {
  const folder = path.dirname(file);
  const isIt = (name: string): boolean => {
    if (unfinished.exec(name)?.index !== 0 || name === path.basename(file)) return false;
    const other = fs.lstatSync(path.join(folder, name), { throwIfNoEntry: false });
    return other?.dev === dev && other.ino === ino;
  };
  try {
    const name = fs.readdirSync(folder).find(isIt);
    return name && path.join(folder, name);
  } catch {
    return undefined;
  }
}

/**
 * Removes what was left by who was interrupted, for it has the texts of sessions. What is younger may be somebody's who is at work. What
 * cannot be removed stays: nothing hangs on it.
 */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const left of await abandonedIn(folder, (at) => at !== undefined))
    await rm(left, { recursive: true, force: true }).catch(() => undefined);
}

/** The same in a folder that is not ours: only hidden files that session files were made of go. */
export async function removeUnfinishedFiles(folder: string): Promise<void> {
  for (const left of await abandonedIn(folder, (at) => at === 0)) await rm(left).catch(() => undefined);
}

/** `isOurs` is told where in a name the part of ours begins. */
async function abandonedIn(folder: string, isOurs: (at: number | undefined) => boolean): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const abandoned: string[] = [];
  for (const name of names.filter((each) => isOurs(unfinished.exec(each)?.index))) {
    const left = path.join(folder, name);
    const stats = await lstat(left).catch(() => undefined);
    if (stats !== undefined && Date.now() - stats.mtimeMs > abandonedMs) abandoned.push(left);
  }
  return abandoned;
}
