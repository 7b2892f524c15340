/** Which session is meant: the one that is named, by its place or by the beginning of its id, or the newest of this folder. */
import { existsSync, statSync } from "node:fs";
import type { SessionPlace } from "../find/found-session.ts";
import type { Environment } from "./output.ts";
import { UsageError } from "./usage.ts";
import type { Access, Verb } from "./verb.ts";
import { ago } from "./words.ts";

/** An id is neither a path with an extension nor an address. The number sign separates a session from its subagent. */
const idPattern = /^([\w-]{4,})(#agent-[\w-]+)?$/;
/** So little of an id begins too many. */
const shortPattern = /^[\w-]{1,3}$/;

/**
 * The result has the words behind the verb, with the session first. If none is named, it is the newest of this folder, and `tell` gets a
 * line that says so.
 */
export async function withSession(
  words: readonly string[],
  verb: Verb,
  env: Environment,
  tell: (line: string) => void,
): Promise<readonly string[]> {
  const [first] = words;
  const isNamed = first !== undefined && (verb.isParameter?.(first) !== true || existsSync(first));
  if (verb.takesNewest !== true || isNamed) return words;
  const { newestSession } = await import("../find/find-sessions.ts");
  const newest = await newestSession({ env });
  if (newest === undefined) return words;
  const named = `${newest.where} (${newest.title}, ${ago(newest.at, new Date())})`;
  const scratchpad = await scratchpadFor(newest, env);
  if (scratchpad === undefined) tell(`${named}: the newest session of this folder`);
  else tell(`${scratchpad}: the scratchpad of the newest session of this folder, ${named}`);
  return [scratchpad ?? newest.where, ...words];
}

/**
 * A session that is named by the beginning of its id, by its place; anything else as it is. `tell` gets a line about a scratchpad that
 * the plugin keeps for the session.
 */
export async function placeNamed(
  where: string,
  access: Access,
  env: Environment,
  tell: (line: string) => void = () => undefined,
): Promise<string> {
  const [, beginning, agent = ""] = idPattern.exec(where) ?? [];
  const isMaking = access === "create" || access === "serve" || access === "preview";
  if (shortPattern.test(where) && !isMaking && !existsSync(where))
    throw absent(where, "at least 4 characters of its id");
  if (beginning === undefined || existsSync(where)) return where;
  const { sessionsById } = await import("../find/find-sessions.ts");
  const [found, ...others] = await sessionsById(beginning, { env });
  if (found !== undefined && others.length > 0) throw ambiguous(beginning, [found, ...others]);
  if (found !== undefined) {
    const scratchpad = agent === "" ? await scratchpadFor(found, env) : undefined;
    if (scratchpad !== undefined) tell(`${found.where} is ${found.title}'s own file; its scratchpad is ${scratchpad}`);
    return `${found.where}${agent}`;
  }
  if (isMaking) return where;
  await requireUnpacked(beginning, env);
  throw absent(where, "the beginning of its id");
}

/** Throws for a session that is there, but that this runtime cannot read. */
async function requireUnpacked(beginning: string, env: Environment): Promise<void> {
  const { canUnpack } = await import("../store/lens/packed-bytes.ts");
  if (canUnpack()) return;
  const [{ rootsOf }, { machineOf }] = await Promise.all([import("../find/clients.ts"), import("../find/finder.ts")]);
  const { packedBelow } = await import("../find/session-files.ts");
  const { unpackingAdvice } = await import("../store/lens/zstd-frames.ts");
  const { idInName } = await import("../find/heads.ts");
  const wants = (file: string) => idInName({ client: "codex", file })?.startsWith(beginning) === true;
  for (const { client, path } of rootsOf(machineOf({ env })))
    if (client === "codex" && packedBelow(path, wants) > 0)
      throw new UsageError(
        `${beginning} begins the id of a session in ${path} that Codex has compressed (.jsonl.zst): Node 22.15 and newer read it, or ${unpackingAdvice}`,
      );
}

function absent(where: string, id: string): UsageError {
  return new UsageError(
    `${where} does not exist: check the path, or name a session by ${id} (session-journal ls --all lists all sessions)`,
  );
}

async function scratchpadFor(place: SessionPlace, env: Environment): Promise<string | undefined> {
  const { scratchpadOf } = await import("../find/scratchpad-of.ts");
  return scratchpadOf(place, { env });
}

const namedMax = 5;

function ambiguous(beginning: string, found: readonly SessionPlace[]): UsageError {
  const [first, ...others] = found;
  if (others.every(({ session }) => session === first?.session)) return inSeveralFiles(beginning, found);
  const named = found
    .slice(0, namedMax)
    .map(({ session, title, at }) => `${session} (${title}, ${ago(at, new Date())})`);
  const more = found.length > namedMax ? ` and ${found.length - namedMax} more` : "";
  return new UsageError(
    `${beginning} is the beginning of ${found.length} ids: ${named.join(", ")}${more}; write more characters of the id`,
  );
}

function inSeveralFiles(beginning: string, found: readonly SessionPlace[]): UsageError {
  const named = found.slice(0, namedMax).map(({ where, at }) => `${where} (${ago(at, new Date())})`);
  const more = found.length > namedMax ? ` and ${found.length - namedMax} more` : "";
  return new UsageError(
    `${beginning} is the id of the sessions in ${found.length} files: ${named.join(", ")}${more}; name one by its path`,
  );
}

/** What cannot be looked at is none: whoever opens it says why. */
export function isFolder(place: string): boolean {
  try {
    return statSync(place).isDirectory();
  } catch {
    return false;
  }
}

/** The result is true for the address of a database or a broker. Anything else is a path. */
export function isAddress(place: string): boolean {
  return /^(?:sqlite|nats|postgres(?:ql)?):/.test(place);
}
