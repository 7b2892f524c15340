/** This file finds the sessions of all clients on this machine. */
import fs from "node:fs";
import { Breaths } from "./breaths.ts";
import { Finder, type FindOptions, placeOf, type ReadFile } from "./finder.ts";
import type { FoundSession, SessionPlace } from "./found-session.ts";
import { openCodeSessions } from "./opencode.ts";
import { byTime, inOrder, isOurs } from "./order.ts";
import { readable, type SessionFile } from "./session-files.ts";

/**
 * Finds the sessions of all clients on this machine that were begun in this folder, newest first, each followed by its
 * subagents. Sessions in which nobody said anything are left out. Reading changes nothing but the cache.
 *
 * @param options The folder, or `all` for every folder.
 * @throws TypeError for a wrong option.
 * @example
 * for (const { title, where } of await findSessions()) console.log(title, where);
 */
export async function findSessions(options?: FindOptions): Promise<FoundSession[]> {
  return (await sessionsAndUnread(options)).found;
}

export interface Findings {
  readonly found: FoundSession[];
  /** These files say that they are sessions, and cannot be read as such. */
  readonly unread: readonly string[];
}

/** Does what `findSessions` does, and says what it left out. */
export async function sessionsAndUnread(options?: FindOptions): Promise<Findings> {
  const finder = new Finder(options);
  const found: FoundSession[] = [];
  for (const { file, head } of finder.files()) for (const each of await finder.read(file, head)) found.push(each);
  finder.remember();
  return { found: inOrder([...found, ...(await finder.ofOpenCode())]), unread: [...finder.unread] };
}

/** This is called while sessions are read. It gets the sessions that were read, and the places of the others. */
export type FoundSoFar = (found: FoundSession[], unread: SessionPlace[]) => void;

/**
 * Finds again and again, and reads only what changed since the last time; nothing is written. While it reads for the first
 * time, `soFar` is handed what is known now and then, the newest sessions first. Rejects soon after `signal` is aborted.
 */
export function sessionFinder(options?: Omit<FindOptions, "cache">): Look {
  const finder = new Finder(options);
  return lookThrough(
    finder,
    () => [...finder.files()],
    () => finder.ofOpenCode(),
  );
}

/** Does the same for files that `filesNow` names, whatever folder they are of; undefined stands for one that is no session. */
export function fileFinder(filesNow: () => Iterable<SessionFile | undefined>): Look {
  const finder = new Finder({ all: true, cache: false });
  let databases: SessionFile[] = [];
  const files = async (signal?: AbortSignal): Promise<ReadFile[]> => {
    const found: ReadFile[] = [];
    databases = [];
    const breaths = new Breaths(signal);
    for (const file of filesNow()) {
      if (file?.file.endsWith(".db") === true) databases.push(file);
      const head = file && finder.head(file);
      if (file !== undefined && head !== undefined) found.push({ file, head });
      if (breaths.isDue()) await breaths.take();
    }
    return found;
  };
  const inDatabases = async () => (await Promise.all(databases.map(({ file }) => openCodeSessions(file)))).flat();
  return lookThrough(finder, files, inDatabases);
}

export type Look = (soFar?: FoundSoFar, signal?: AbortSignal) => Promise<FoundSession[]>;

function lookThrough(
  finder: Finder,
  filesNow: (signal?: AbortSignal) => ReadFile[] | Promise<ReadFile[]>,
  others: () => Promise<FoundSession[]>,
): Look {
  return async (soFar, signal) => {
    const files = (await filesNow(signal)).sort((one, other) => other.file.mtimeMs - one.file.mtimeMs);
    const places = soFar === undefined ? [] : files.map(({ file, head }) => placeOf(file, head));
    const found: FoundSession[] = [];
    const breaths = new Breaths(signal);
    let toldMs = performance.now();
    for (const [index, { file, head }] of files.entries()) {
      for (const each of await finder.read(file, head)) found.push(each);
      const isWindowFull = index + 1 === windowFiles;
      if (!breaths.isDue() && !isWindowFull) continue;
      const nowMs = performance.now();
      if (nowMs - toldMs > tellMs || isWindowFull) {
        soFar?.(inOrder(found), places.slice(index + 1));
        toldMs = nowMs;
      }
      await breaths.take();
    }
    return inOrder([...found, ...(await others())]);
  };
}

/** A window shows no more at once: then it is time to tell of the first ones. */
const windowFiles = 12;
const tellMs = 250;

/** No header is longer. */
const headerBytesMax = 4096;

/** The newest session of the folder that is no subagent's, but for a journal in which nothing was written. */
export async function newestSession(options?: FindOptions): Promise<SessionPlace | undefined> {
  const finder = new Finder(options);
  const inFiles = [...finder.files()].map(({ file, head }) => {
    const place = placeOf(file, head);
    return { place, isEmpty: () => isOurs(place) && isHeaderAlone(file) };
  });
  const ofOpenCode = (await finder.ofOpenCode()).map((place) => ({ place, isEmpty: () => false }));
  const own = [...inFiles, ...ofOpenCode].filter(({ place }) => place.parent === undefined);
  finder.remember();
  return own.sort((one, other) => byTime(one.place, other.place)).find(({ isEmpty }) => !isEmpty())?.place;
}

/** Whoever refused an action made the file, and wrote nothing else. */
function isHeaderAlone({ file, size }: SessionFile): boolean {
  const text = size > headerBytesMax ? undefined : readable(() => fs.readFileSync(file, "latin1"));
  return text !== undefined && !text.trimEnd().includes("\n");
}

/**
 * The result has the sessions of every folder whose id begins so. A client may go on with a session in another file: the newest stands for it, and also
 * for copies of it that lie here. Journals of ours that have one id are each a session.
 */
export async function sessionsById(beginning: string, options?: FindOptions): Promise<SessionPlace[]> {
  const finder = new Finder({ ...options, all: true });
  const places = [...finder.files((id) => id.startsWith(beginning))].map(({ file, head }) => placeOf(file, head));
  finder.remember();
  const all: SessionPlace[] = [...places, ...(await finder.ofOpenCode())];
  const meant = all.filter(({ session }) => session.startsWith(beginning)).sort(byTime);
  const ofClients = new Map<string, SessionPlace>();
  for (const place of meant) if (!isOurs(place) && !ofClients.has(place.session)) ofClients.set(place.session, place);
  return meant.filter((place) => (ofClients.get(place.session) ?? place) === place);
}

/** The result is the sessions of the files, newest first, each with its subagents behind it, but none in which nobody said anything. */
export function sessionsOf(files: Iterable<SessionFile | undefined>): Promise<FoundSession[]> {
  return fileFinder(() => files)();
}
