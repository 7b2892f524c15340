/** This file finds the sessions of all clients on this machine. */
import fs from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { flag, given, type OptionParsers, parseOptions, requireOption } from "../options.ts";
import { Breaths } from "./breaths.ts";
import { SessionCache } from "./cache.ts";
import { type Client, cacheFile, isClaudeName, isSameFolder, type Machine, rootsOf } from "./clients.ts";
import type { FoundSession, SessionPlace } from "./found-session.ts";
import { folderHashOf, headOf, idInName, type SessionHead } from "./heads.ts";
import { openCodeSessions } from "./opencode.ts";
import { byTime, inOrder, isOurs } from "./order.ts";
import { readable, type SessionFile, sessionFilesIn, sessionFilesLyingIn } from "./session-files.ts";
import { type FileSummary, summaryOf } from "./summary.ts";

/** These are the options of {@link findSessions}. */
export interface FindOptions {
  /** Only sessions that were begun in this folder, or whose files lie in it, are listed. The default is the folder of the process. */
  readonly folder?: string;
  /** With true, the sessions of every folder are listed. The default is false. */
  readonly all?: boolean;
  /** This is the user's home folder. The default is that of the system. */
  readonly home?: string;
  /** Says where clients were told to keep their sessions: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
  /** Remember in the user's cache folder what was read: true. */
  readonly cache?: boolean;
  readonly clock?: () => Date;
}

const titles: Readonly<Record<Client, string>> = {
  ...{ "claude-code": "Claude Code", codex: "Codex", "gemini-cli": "Gemini CLI", droid: "Factory Droid" },
  ...{ pi: "pi", opencode: "OpenCode", "session-journal": "session-journal" },
};

const parsers: OptionParsers<FindOptions> = {
  folder: (value, name) => requireOption(typeof value === "string" && value !== "", value, name, "a path"),
  all: flag,
  home: (value, name) => requireOption(typeof value === "string" && value !== "", value, name, "a path"),
  env: (value, name) => requireOption(typeof value === "object" && value !== null, value, name, "an object of texts"),
  platform: (value, name) => requireOption(typeof value === "string", value, name, "one of Node's platforms"),
  cache: flag,
  clock: (value, name) => requireOption(typeof value === "function", value, name, "a function"),
};

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
  const finder = new Finder(options);
  const found: FoundSession[] = [];
  for (const { file, head } of finder.files()) for (const each of await finder.read(file, head)) found.push(each);
  finder.remember();
  return inOrder([...found, ...(await finder.ofOpenCode())]);
}

/** The result is the machine that the options describe, by default this one. */
export function machineOf({ env = process.env, platform = process.platform, home }: FindOptions): Machine {
  return { home: home ?? (env["HOME"] || env["USERPROFILE"] || homedir()), env, platform };
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

interface ReadFile {
  readonly file: SessionFile;
  readonly head: SessionHead;
}

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

class Finder {
  readonly #machine: Machine;
  readonly #folders: readonly string[] | undefined;
  /** Session files that lie in this folder are listed, too, whatever folder they say they are of. */
  readonly #here: string;
  readonly #cache: SessionCache;

  constructor(options: FindOptions = {}) {
    const parsed = parseOptions(options, parsers);
    const { folder = process.cwd(), clock = () => new Date() } = parsed;
    this.#machine = machineOf(parsed);
    this.#folders = parsed.all === true ? undefined : withRealPath(folder);
    this.#here = path.resolve(folder);
    this.#cache = new SessionCache(parsed.cache === false ? undefined : cacheFile(this.#machine), clock().getTime());
  }

  /** The files belong to the folder that is asked for. With `wantsId`, files whose name says another id are passed over. */
  *files(wantsId?: (id: string) => boolean): Generator<ReadFile> {
    const wantsName = (name: string): boolean =>
      this.#folders === undefined || this.#folders.some((folder) => isClaudeName(name, folder, this.#machine));
    const roots = rootsOf(this.#machine).map((root) => `${root.path}${path.sep}`);
    if (!roots.some((root) => `${this.#here}${path.sep}`.startsWith(root))) yield* this.#filesHere();
    for (const root of rootsOf(this.#machine).filter(({ client }) => client !== "opencode")) {
      for (const file of sessionFilesIn(root, wantsName)) {
        if (wantsId?.(idInName(file) ?? "") === false && idInName(file) !== undefined) continue;
        const head = this.head(file);
        if (head !== undefined && this.#isWanted(file, head)) yield { file, head };
      }
    }
  }

  *#filesHere(): Generator<ReadFile> {
    for (const file of sessionFilesLyingIn(this.#here)) {
      const head = this.head(file);
      if (head !== undefined) yield { file, head };
    }
  }

  head(file: SessionFile): SessionHead | undefined {
    return this.#cache.head(file, () => readable(() => headOf(file)));
  }

  async read(file: SessionFile, head: SessionHead): Promise<FoundSession[]> {
    const summary = await this.#cache.summary(file, () => summaryOf(file.file).catch(() => undefined));
    if (summary === undefined || (summary.turns === 0 && summary.version === 0)) return [];
    const own = foundIn(placeOf(file, head), summary);
    const inside = summary.agents ?? [];
    return [
      own,
      ...inside.map(({ session, ...agent }) => {
        const place = { ...placeOf(file, head), session, where: `${file.file}#agent-${session}`, parent: own.session };
        return foundIn(place, { ...agent, ...versionOf(summary) });
      }),
    ];
  }

  async ofOpenCode(): Promise<FoundSession[]> {
    const databases = rootsOf(this.#machine).filter(({ client }) => client === "opencode");
    const found = (await Promise.all(databases.map((root) => openCodeSessions(root.path)))).flat();
    return found.filter(
      ({ cwd = "" }) => this.#folders?.some((folder) => isSameFolder(cwd, folder, this.#machine)) ?? true,
    );
  }

  remember(): void {
    this.#cache.save((file) => fs.existsSync(file));
  }

  #isWanted({ client, file }: SessionFile, { cwd, folderHash }: SessionHead): boolean {
    if (this.#folders === undefined) return true;
    return this.#folders.some((folder) => {
      if (client === "gemini-cli") return folderHash === folderHashOf(folder) || isRootOf(file, folder, this.#machine);
      if (cwd !== undefined && isSameFolder(cwd, folder, this.#machine)) return true;
      // The name of Claude Code's folder counts, but where it stands for another folder as well.
      return client === "claude-code" && (cwd === undefined || !isClaudeName(cwd, folder, this.#machine));
    });
  }
}

/** Gemini CLI's folders with a readable name hold the path that they stand for. */
function isRootOf(file: string, folder: string, machine: Machine): boolean {
  const chats = file.lastIndexOf(`${path.sep}chats${path.sep}`);
  const root = readable(() => fs.readFileSync(path.join(file.slice(0, chats), ".project_root"), "utf8"));
  return root !== undefined && isSameFolder(root.trim(), folder, machine);
}

/** Clients note the path that they were started with, or where it leads. */
function withRealPath(folder: string): string[] {
  const whole = path.resolve(folder);
  const real = readable(() => fs.realpathSync(whole));
  return real === undefined || real === whole ? [whole] : [whole, real];
}

function placeOf({ client, file, mtimeMs }: SessionFile, { session, cwd, parent }: SessionHead): SessionPlace {
  return {
    client,
    title: titles[client],
    session,
    where: file,
    at: new Date(mtimeMs).toISOString(),
    ...given({ cwd, parent }),
  };
}

function foundIn(place: SessionPlace, summary: FileSummary): FoundSession {
  const { turns, progress, firstMessage } = summary;
  return {
    ...place,
    ...versionOf(summary),
    turns,
    ...given({ progress, firstMessage }),
  };
}

function versionOf({ clientVersion }: FileSummary): { readonly clientVersion?: string } {
  return clientVersion === undefined ? {} : { clientVersion };
}
