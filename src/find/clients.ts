/**
 * This file has the rules for the folders in which the clients of this machine keep their sessions. It is
 * pure.
 */
import path from "node:path";

/** This says whose sessions can be found; `session-journal`: journals of ours that agents' plugins keep. */
export type Client = "claude-code" | "codex" | "gemini-cli" | "droid" | "pi" | "opencode" | "session-journal";

export interface Machine {
  /** This is the user's home folder. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** A folder in which a client keeps sessions, however deep; OpenCode's is a database. */
export interface Root {
  readonly client: Client;
  readonly path: string;
}

export function rootsOf(machine: Machine): readonly Root[] {
  const { home, env } = machine;
  const { join } = pathsOf(machine);
  const folder = (name: string, ...usual: string[]): string => {
    const given = env[name];
    if (given === undefined || given === "") return join(home, ...usual);
    return /^~(?=[\\/]|$)/.test(given) ? join(home, given.slice(1)) : given;
  };
  const codex = folder("CODEX_HOME", ".codex");
  return [
    { client: "claude-code", path: join(folder("CLAUDE_CONFIG_DIR", ".claude"), "projects") },
    { client: "codex", path: join(codex, "sessions") },
    { client: "codex", path: join(codex, "archived_sessions") },
    { client: "gemini-cli", path: join(home, ".gemini", "tmp") },
    { client: "droid", path: join(home, ".factory", "sessions") },
    { client: "pi", path: join(folder("PI_CODING_AGENT_DIR", ".pi", "agent"), "sessions") },
    { client: "opencode", path: join(folder("XDG_DATA_HOME", ".local", "share"), "opencode", "opencode.db") },
    { client: "session-journal", path: folder("SESSION_JOURNAL_HOME", ".session-journal") },
  ];
}

/** This file may remember what was found. */
export function cacheFile(machine: Machine): string {
  const { join } = pathsOf(machine);
  const { env, home, platform } = machine;
  const usual = platform === "win32" && env["LOCALAPPDATA"] ? env["LOCALAPPDATA"] : join(home, ".cache");
  return join(env["XDG_CACHE_HOME"] || usual, "session-journal", "sessions.json");
}

/** So much of a longer folder's name Claude Code keeps; a digest follows. */
const claudeNameMax = 200;

/** Whether Claude Code keeps the sessions of `folder` under `name`: with `/ . \ :`, and by now all but letters and digits, replaced. */
export function isClaudeName(name: string, folder: string, { platform }: Pick<Machine, "platform">): boolean {
  const [given, wanted] = [name, folder].map((text) => {
    const flat = text.replace(/[^A-Za-z0-9]/g, "-");
    return platform === "win32" ? flat.toLowerCase() : flat;
  }) as [string, string];
  return wanted.length > claudeNameMax ? given.startsWith(wanted.slice(0, claudeNameMax)) : given === wanted;
}

/** Windows takes both slashes, and no notice of capitals. */
export function isSameFolder(one: string, other: string, machine: Pick<Machine, "platform">): boolean {
  const paths = pathsOf(machine);
  const [a, b] = [one, other].map((folder) => {
    const plain = paths.normalize(folder).replace(/(?<=[^\\/:])[\\/]+$/, "");
    return machine.platform === "win32" ? plain.toLowerCase() : plain;
  });
  return a === b;
}

function pathsOf({ platform }: Pick<Machine, "platform">): path.PlatformPath {
  return platform === "win32" ? path.win32 : path.posix;
}
