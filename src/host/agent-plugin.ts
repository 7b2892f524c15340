/**
 * The hooks and the MCP server of a plugin share this: which scratchpad a conversation has. The hooks of Claude Code and Codex know the
 * conversation. A server does not: Claude Code starts it under an id that a resumed or cleared conversation does not have. So the hook
 * writes down, under the process of the client that both belong to, which file it is.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, parse } from "node:path";
import { fields } from "../event/fields.ts";
import type { Journal } from "../journal/public.ts";
import { makeFolders } from "../make-folders.ts";
import { withoutHalf } from "../options.ts";
import { composePrompt } from "../prompt/compose.ts";
import { configFromEnvironment, type ScratchpadConfig } from "../prompt/config.ts";
import { createNudges } from "../prompt/nudges.ts";
import { companionFile } from "./sessions.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Opens the session file at that path. */
export type OpenScratchpad = (file: string, config: ScratchpadConfig) => Promise<Journal>;

/** What is used of a hook's input; both clients send the same names. */
interface HookInput {
  readonly session_id: string;
  readonly hook_event_name: string;
  readonly cwd: string;
  readonly source?: string;
  /** This is the id that Claude Code and Codex give to a prompt. */
  readonly prompt_id?: string;
  readonly turn_id?: string;
}

export interface HookOutput {
  readonly hookSpecificOutput?: { readonly hookEventName: string; readonly additionalContext: string };
}

/** Claude Code puts longer texts into a file, of which the model sees the beginning. */
const contextUnitsMax = 9_000;

/** Answers one call of a hook. Throws a TypeError for what is no input of one, and for a wrong setting. */
export async function answerHook(input: unknown, env: Environment, open: OpenScratchpad): Promise<HookOutput> {
  const hook = parseHookInput(input);
  const config = configFromEnvironment(env);
  if (!config.enabled) return {};
  const { session_id: session, hook_event_name: event, source } = hook;
  const client = setting(env, "CLAUDE_PID");
  if (event === "SessionEnd") {
    if (client !== undefined) forget(env, client);
    return {};
  }
  const file = scratchpadFile(env, session, setting(env, "CLAUDE_PROJECT_DIR") ?? hook.cwd);
  for (const key of [session, client]) if (key !== undefined) remember(env, key, file);
  if (event === "SessionStart" && source !== "compact" && source !== "resume") return {};
  return shown(event, await composed(hook, config, file, open));
}

/** What the model is to see; a prompt begins a turn first. */
async function composed(
  { hook_event_name: event, source, prompt_id, turn_id }: HookInput,
  config: ScratchpadConfig,
  file: string,
  open: OpenScratchpad,
): Promise<string> {
  makeFolders(dirname(file), 0o700);
  const journal = await open(file, config);
  try {
    const id = prompt_id ?? turn_id;
    if (event === "UserPromptSubmit") await journal.beginTurn(id === undefined ? {} : { id });
    const { system = "", forModel } = await composePrompt({
      ...config,
      journal,
      message: "",
      nudges: createNudges({ ...config.nudges, fromJournal: config.record }),
      compacted: source === "compact",
      send: "every-message",
    });
    return [system, forModel].filter((text) => text !== "").join("\n\n");
  } finally {
    await journal.close();
  }
}

function shown(hookEventName: string, text: string): HookOutput {
  if (text === "") return {};
  const beginning = text.length > contextUnitsMax ? withoutHalf(text.slice(0, contextUnitsMax)) : text;
  const rest = text.length - beginning.length;
  const additionalContext =
    rest === 0 ? text : `${beginning}\n[${rest} more chars of the scratchpad are not shown: read it with its tool.]`;
  return { hookSpecificOutput: { hookEventName, additionalContext } };
}

function parseHookInput(input: unknown): HookInput {
  const given = fields(input);
  for (const name of ["session_id", "hook_event_name", "cwd"]) {
    if (typeof given[name] !== "string") throw new TypeError(`the input of a hook has ${name}, a text`);
  }
  for (const name of ["source", "prompt_id", "turn_id"]) {
    if (given[name] !== undefined && typeof given[name] !== "string") throw new TypeError(`${name} must be a text`);
  }
  return given as unknown as HookInput;
}

/** The file belongs to the conversation, or, with `SESSION_JOURNAL_SCOPE=project`, to the project that `folder` lies in. */
function scratchpadFile(env: Environment, session: string, folder: string): string {
  const scope = setting(env, "SESSION_JOURNAL_SCOPE") ?? "conversation";
  switch (scope) {
    case "conversation":
      return companionFile(join(homeOf(env), "conversations"), session);
    case "project":
      return join(projectOf(folder), ".session-journal", "scratchpad.jsonl");
    default:
      throw new TypeError(`SESSION_JOURNAL_SCOPE is conversation or project, not ${JSON.stringify(scope)}`);
  }
}

/** The nearest folder upwards that is a repository; without one, `folder`. */
function projectOf(folder: string): string {
  const { root } = parse(folder);
  for (let at = folder; at !== root; at = dirname(at)) if (existsSync(join(at, ".git"))) return at;
  return folder;
}

/** The result is the file that the hook of this conversation, or of this process of the client, wrote down. */
export function rememberedFile(env: Environment, key: string): string | undefined {
  try {
    return readFileSync(recordOf(env, key), "utf8");
  } catch {
    return undefined;
  }
}

/** Where no hook has run, as when hooks are switched off. */
export function fileWithoutHook(env: Environment, session: string): string {
  return scratchpadFile(env, session, setting(env, "CLAUDE_PROJECT_DIR") ?? process.cwd());
}

/** The file is renamed into place: the server may read at the same time. */
function remember(env: Environment, key: string, file: string): void {
  // The server finds a conversation's own file by itself, unless a record of before names another.
  const isOwn = file === companionFile(join(homeOf(env), "conversations"), key);
  if (isOwn) forget(env, key);
  if (isOwn || rememberedFile(env, key) === file) return;
  const record = recordOf(env, key);
  makeFolders(dirname(record), 0o700);
  const next = `${record}.${process.pid}`;
  writeFileSync(next, file, { mode: 0o600 });
  renameSync(next, record);
}

function forget(env: Environment, key: string): void {
  rmSync(recordOf(env, key), { force: true });
}

function recordOf(env: Environment, key: string): string {
  return companionFile(join(homeOf(env), "running"), key).replace(/\.jsonl$/, "");
}

function homeOf(env: Environment): string {
  const given = setting(env, "SESSION_JOURNAL_HOME") ?? "~/.session-journal";
  // No shell reads the settings of a client.
  return /^~(?=[\\/]|$)/.test(given) ? join(homedir(), given.slice(1)) : given;
}

/** An empty variable is one that is not set: the files of an empty home would lie in the project. */
export function setting(env: Environment, name: string): string | undefined {
  return env[name] || undefined;
}
