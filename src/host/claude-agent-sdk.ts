/**
 * The Claude Agent SDK: a tool server in this process, and hooks that show the block and begin turns. The SDK keeps its
 * transcripts in a format of its own, so the journal is a companion of the session.
 */
import { given, requireOption, requireOptions } from "../options.ts";
import { parseConfig, type ScratchpadConfig } from "../prompt/config.ts";
import { renderGuidance } from "../prompt/guidance.ts";
import { toolServer } from "./mcp-tools.ts";
import { composeFor, type OpenFile, openCompanion, type Session, Sessions } from "./sessions.ts";
import { listTools, type ToolReply } from "./tool-call.ts";

/** These are the options of `claudeScratchpad`. */
export interface ClaudeOptions {
  /** This is the folder of the journals: `<folder>/<session id>.jsonl`. */
  readonly folder: string;
  /** `parseConfig` takes the same. `send: "on-change"` suits this host, whose model sees earlier messages as they were sent. */
  readonly config?: unknown;
}

/** This is what is used of a hook's input. */
export interface ClaudeHookInput {
  readonly session_id: string;
  readonly prompt_id?: string;
  readonly source?: string;
}

export type ShowingEvent = "SessionStart" | "UserPromptSubmit";

/** This is what a hook of the Claude Agent SDK returns. */
export interface ClaudeHookOutput<Event extends ShowingEvent = ShowingEvent> {
  hookSpecificOutput?: { hookEventName: Event; additionalContext: string };
}

/** This is a list of hooks as the Claude Agent SDK takes it. */
export interface ClaudeMatcher<Output> {
  hooks: ((input: ClaudeHookInput) => Promise<Output>)[];
}

/** A scratchpad serves one `query`, and others that resume its session. Spread `options` into the options of the query. */
export interface ClaudeScratchpad {
  readonly options: {
    mcpServers: { [serverName]: { type: "sdk"; name: string; instance: Awaited<ReturnType<typeof toolServer>> } };
    allowedTools: string[];
    hooks: {
      SessionStart: ClaudeMatcher<ClaudeHookOutput<"SessionStart">>[];
      UserPromptSubmit: ClaudeMatcher<ClaudeHookOutput<"UserPromptSubmit">>[];
      PreCompact: ClaudeMatcher<ClaudeHookOutput<never>>[];
    };
  };
  /** Closes the journals. */
  close(): Promise<void>;
}

const serverName = "scratchpad";
/** The SDK puts this before the names of a server's tools. */
const toolPrefix = `mcp__${serverName}__`;

/** Throws a TypeError for a wrong option or configuration. */
export async function claudeScratchpadWith(open: OpenClaudeFile, options: ClaudeOptions): Promise<ClaudeScratchpad> {
  requireOptions(options, "folder", "config");
  requireOption(typeof options.folder === "string", options.folder, "folder", "the path of a folder");
  const config = parseConfig(options.config);
  const host = new ClaudeHost(config, options.folder, (file) => open(file, config));
  const tools = listTools(config);
  const [first] = tools;
  const guidance = first && renderGuidance({ ...config, toolName: toolPrefix + first.name });
  const instance = await toolServer(tools, (name, input, meta) => host.call(name, input, meta), {
    ...given({ instructions: guidance }),
  });
  return {
    options: {
      mcpServers: { [serverName]: { type: "sdk", name: serverName, instance } },
      allowedTools: tools.map(({ name }) => toolPrefix + name),
      hooks: {
        SessionStart: [{ hooks: [(input) => host.start(input)] }],
        UserPromptSubmit: [{ hooks: [(input) => host.prompt(input)] }],
        PreCompact: [{ hooks: [(input) => host.compact(input)] }],
      },
    },
    close: () => host.close(),
  };
}

/** Opens the session file at that path. */
export type OpenClaudeFile = (file: string, config: ScratchpadConfig) => ReturnType<OpenFile>;

class ClaudeHost {
  readonly #config: ScratchpadConfig;
  readonly #folder: string;
  readonly #open: OpenFile;
  readonly #sessions: Sessions;
  /** The one that a hook named last: calls of tools do not say whose they are. */
  #current: string | undefined;

  constructor(config: ScratchpadConfig, folder: string, open: OpenFile) {
    this.#config = config;
    this.#folder = folder;
    this.#open = open;
    this.#sessions = new Sessions(config, toolPrefix);
  }

  async call(toolName: string, input: unknown, meta: Readonly<Record<string, unknown>>): Promise<ToolReply> {
    if (this.#current === undefined) return { text: "no session has begun: nothing was done", isError: true };
    const command = meta["claudecode/toolUseId"];
    const session = await this.#session(this.#current);
    return session.call(toolName, input, typeof command === "string" ? { command } : {});
  }

  async prompt({ session_id, prompt_id }: ClaudeHookInput): Promise<ClaudeHookOutput<"UserPromptSubmit">> {
    if (!this.#config.enabled) return {};
    const session = await this.#session(session_id);
    await session.journal.beginTurn(prompt_id === undefined ? {} : { id: prompt_id });
    return shown("UserPromptSubmit", await this.#compose(session));
  }

  /** After a compaction the agent goes on by itself, without a prompt that could show it the block. */
  async start({ session_id, source }: ClaudeHookInput): Promise<ClaudeHookOutput<"SessionStart">> {
    if (!this.#config.enabled || source !== "compact") return {};
    const session = await this.#session(session_id);
    session.compacted = true;
    return shown("SessionStart", await this.#compose(session));
  }

  async compact({ session_id }: ClaudeHookInput): Promise<ClaudeHookOutput<never>> {
    if (this.#config.enabled) (await this.#session(session_id)).compacted = true;
    return {};
  }

  close(): Promise<void> {
    return this.#sessions.close();
  }

  #session(sessionId: string): Promise<Session> {
    this.#current = sessionId;
    return this.#sessions.of(sessionId, () => openCompanion(this.#folder, sessionId, this.#open));
  }

  async #compose(session: Session): Promise<string> {
    const { nudges } = session;
    const { system = "", forModel } = await composeFor(session, { ...this.#config, nudges });
    return [system, forModel].filter((text) => text !== "").join("\n\n");
  }
}

function shown<Event extends ShowingEvent>(hookEventName: Event, additionalContext: string): ClaudeHookOutput<Event> {
  return additionalContext === "" ? {} : { hookSpecificOutput: { hookEventName, additionalContext } };
}
