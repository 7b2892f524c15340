/** This file names the session files of this machine, and reads one by one what each says. */
import fs from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { flag, given, type OptionParsers, parseOptions, requireOption } from "../options.ts";
import { SessionCache } from "./cache.ts";
import { type Client, cacheFile, isClaudeName, isSameFolder, type Machine, rootsOf } from "./clients.ts";
import type { FoundSession, SessionPlace } from "./found-session.ts";
import { folderHashOf, headOf, idInName, type SessionHead } from "./heads.ts";
import { openCodeSessions } from "./opencode.ts";
import { readable, type SessionFile, sessionFilesIn, sessionFilesLyingIn } from "./session-files.ts";
import { type FileSummary, summaryOf } from "./summary.ts";

/** These are the options of `findSessions`. */
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

/** The result is the machine that the options describe, by default this one. */
export function machineOf({ env = process.env, platform = process.platform, home }: FindOptions): Machine {
  return { home: home ?? (env["HOME"] || env["USERPROFILE"] || homedir()), env, platform };
}

export interface ReadFile {
  readonly file: SessionFile;
  readonly head: SessionHead;
}

export class Finder {
  /** These files say that they are sessions, and could not be read as such. */
  readonly unread = new Set<string>();
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
    return readable(() => this.#cache.head(file, () => headOf(file)));
  }

  async read(file: SessionFile, head: SessionHead): Promise<FoundSession[]> {
    const summary = await this.#cache.summary(file, () => summaryOf(file.file)).catch(() => undefined);
    if (summary === undefined) this.unread.add(file.file);
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

export function placeOf({ client, file, mtimeMs }: SessionFile, { session, cwd, parent }: SessionHead): SessionPlace {
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
