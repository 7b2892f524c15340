/**
 * An extension of the pi coding agent. The journal lives in pi's own session file, through pi's own append; the block
 * goes to the model with the newest message of the user, and is never saved.
 */
import { requireOptions } from "../errors.ts";
import { type CompactionGuard, createCompactionGuard } from "../prompt/compaction.ts";
import { composePrompt } from "../prompt/compose.ts";
import { parseConfig, type ScratchpadConfig } from "../prompt/config.ts";
import { renderGuidance } from "../prompt/guidance.ts";
import type { ObjectSchema, Tool } from "../tool/tool.ts";
import { type Opened, type Session, Sessions } from "./sessions.ts";
import { listTools } from "./tool-call.ts";

export interface PiOptions {
  /** As `parseConfig` takes it. */
  readonly config?: unknown;
  /** Tokens that pi keeps free for an answer: its setting `compaction.reserveTokens`. Default 16384, as pi's. */
  readonly reserveTokens?: number;
  /** The share of the rest of the window at which the agent is warned of a compaction. Default 0.85. */
  readonly warnAt?: number;
}

/** What is used of pi's `ExtensionAPI`, of 0.73 and of later releases. */
export interface PiApi {
  on(event: "before_agent_start", handler: PiHandler<PiPrompt, { readonly systemPrompt: string } | undefined>): unknown;
  on(event: "context", handler: PiHandler<PiMessages, object>): unknown;
  on(event: "message_end", handler: PiHandler<{ readonly message: PiMessage }, undefined>): unknown;
  on(event: "turn_end", handler: PiHandler<object, undefined>): unknown;
  on(
    event: "session_before_compact",
    handler: PiHandler<{ readonly type: string; readonly reason?: string }, { readonly cancel: true } | undefined>,
  ): unknown;
  on(event: "session_compact", handler: PiHandler<object, undefined>): unknown;
  on(event: "session_shutdown", handler: PiHandler<object, undefined>): unknown;
  registerTool(tool: PiTool): void;
  appendEntry(customType: string, data?: unknown): unknown;
  sendMessage(message: PiNotice, options: { readonly deliverAs: "steer" }): unknown;
}

type PiHandler<Event, Result> = (event: Event, context: PiContext) => Promise<Result>;

export interface PiContext {
  readonly sessionManager: PiSession;
  getContextUsage(): { readonly tokens: number | null; readonly contextWindow: number } | undefined;
}

export interface PiSession {
  getSessionId(): string;
  getSessionFile(): string | undefined;
  getLeafId(): string | null;
  getEntries(): readonly { readonly id: string; readonly type: string }[];
}

interface PiPrompt {
  readonly prompt: string;
  readonly systemPrompt: string;
}

interface PiMessages {
  readonly messages: PiMessage[];
}

/** User, assistant, tool result or one of pi's own kinds. */
export interface PiMessage {
  readonly role: string;
  readonly timestamp: number;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[];
}

interface PiNotice {
  readonly customType: string;
  readonly content: string;
  readonly display: boolean;
}

export interface PiTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  execute(
    toolCallId: string,
    input: unknown,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    context: PiContext,
  ): Promise<{ readonly content: { readonly type: "text"; readonly text: string }[]; readonly details: unknown }>;
}

/** Opens the journal of the session that pi is in. */
export type OpenPiSession = (
  pi: Pick<PiApi, "appendEntry">,
  session: PiSession,
  config: ScratchpadConfig,
) => Promise<Opened>;

/** What pi calls with its API. */
export type PiExtension = (pi: PiApi) => void;

/** Throws a TypeError for a wrong option or configuration. */
export function piExtension(open: OpenPiSession, options: PiOptions): PiExtension {
  requireOptions(options, "config", "reserveTokens", "warnAt");
  const config = parseConfig(options.config);
  if (!config.enabled) return () => undefined;
  return (pi) => new Extension(pi, config, options, open).register();
}

class Extension {
  readonly #pi: PiApi;
  readonly #config: ScratchpadConfig;
  readonly #options: PiOptions;
  readonly #open: OpenPiSession;
  readonly #sessions: Sessions;
  /** What goes before the message of that time, for as long as it is the newest one. */
  #shown: { readonly timestamp: number | undefined; readonly prefix: string } | undefined;
  #guard: { readonly windowTokens: number; readonly guard: CompactionGuard } | undefined;
  /** The agent was sent a warning, and has not had its turn since. */
  #warningIsUnheard = false;

  constructor(pi: PiApi, config: ScratchpadConfig, options: PiOptions, open: OpenPiSession) {
    this.#pi = pi;
    this.#config = config;
    this.#options = options;
    this.#open = open;
    this.#sessions = new Sessions(config);
  }

  register(): void {
    const pi = this.#pi;
    for (const tool of listTools(this.#config)) pi.registerTool(this.#piTool(tool));
    pi.on("before_agent_start", (event, context) => this.#start(event, context));
    pi.on("context", async ({ messages }, context) => ({ messages: await this.#withBlock(messages, context) }));
    pi.on("message_end", async ({ message }, context) => {
      if (message.role === "assistant") (await this.#session(context)).nudges.assistantSaid(textOf(message));
      return undefined;
    });
    pi.on("turn_end", async (_event, context) => this.#watch(context));
    pi.on("session_before_compact", async ({ reason }) => this.#delayCompaction(reason));
    pi.on("session_compact", async (_event, context) => {
      (await this.#session(context)).compacted = true;
      this.#guard?.guard.compacted();
      this.#warningIsUnheard = false;
      this.#shown = undefined;
      return undefined;
    });
    pi.on("session_shutdown", async () => {
      await this.#sessions.close();
      return undefined;
    });
  }

  #piTool({ name, description, inputSchema }: Tool): PiTool {
    return {
      name,
      label: name,
      description,
      parameters: inputSchema,
      execute: async (toolCallId, input, _signal, _onUpdate, context) => {
        const { call } = await this.#session(context);
        const { text, output, isError } = await call(name, input, { command: toolCallId });
        // What a tool throws is what pi marks as an error for the model.
        if (isError) throw new Error(text);
        return { content: [{ type: "text", text }], details: output };
      },
    };
  }

  #session({ sessionManager }: PiContext): Promise<Session> {
    return this.#sessions.of(sessionManager.getSessionId(), () => this.#open(this.#pi, sessionManager, this.#config));
  }

  async #start({ systemPrompt }: PiPrompt, context: PiContext): Promise<{ systemPrompt: string } | undefined> {
    const { system, prefix } = await this.#compose(context);
    this.#shown = { timestamp: undefined, prefix };
    return system === undefined ? undefined : { systemPrompt: `${systemPrompt}\n\n${system}` };
  }

  async #withBlock(messages: PiMessage[], context: PiContext): Promise<PiMessage[]> {
    const at = messages.findLastIndex(({ role }) => role === "user");
    const message = messages[at];
    if (message === undefined) return messages;
    const { timestamp } = message;
    // A message that came while the agent was at work was not announced by before_agent_start.
    const known = this.#shown !== undefined && (this.#shown.timestamp ?? timestamp) === timestamp;
    const prefix = known && this.#shown ? this.#shown.prefix : (await this.#compose(context)).prefix;
    this.#shown = { timestamp, prefix };
    return prefix === "" ? messages : messages.with(at, prefixed(message, prefix));
  }

  async #compose(context: PiContext): Promise<{ readonly system?: string; readonly prefix: string }> {
    const session = await this.#session(context);
    const { journal, nudges, compacted } = session;
    session.compacted = false;
    const guidance = renderGuidance({ ...this.#config, limits: journal.limits });
    const composed = await composePrompt({ ...this.#config, journal, message: "", guidance, nudges, compacted });
    const { system, forModel } = composed;
    return { ...(system === undefined ? {} : { system }), prefix: forModel };
  }

  /** The warning reaches the agent with its next step, or gives it one where it would have stopped. */
  #watch(context: PiContext): undefined {
    this.#warningIsUnheard = false;
    const { tokens, contextWindow } = context.getContextUsage() ?? { tokens: null, contextWindow: 0 };
    if (tokens === null || contextWindow <= 0) return undefined;
    const step = this.#guardFor(contextWindow).reading(tokens);
    if (step.do !== "warn") return undefined;
    const notice = { customType: "session-journal:compaction-warning", content: step.text, display: false };
    this.#pi.sendMessage(notice, { deliverAs: "steer" });
    this.#warningIsUnheard = true;
    return undefined;
  }

  /** Newer clients compact between two turns: once, and only where the window has room for one more. */
  #delayCompaction(reason: string | undefined): { readonly cancel: true } | undefined {
    const delays = this.#warningIsUnheard && reason === "threshold";
    this.#warningIsUnheard = false;
    return delays ? { cancel: true } : undefined;
  }

  #guardFor(windowTokens: number): CompactionGuard {
    if (this.#guard?.windowTokens === windowTokens) return this.#guard.guard;
    const { reserveTokens = 16_384, warnAt = 0.85 } = this.#options;
    const { face } = this.#config;
    const reserve = reserveTokens < windowTokens ? reserveTokens : 0;
    const guard = createCompactionGuard({ windowTokens, reserveTokens: reserve, warnAt, face });
    this.#guard = { windowTokens, guard };
    return guard;
  }
}

function prefixed(message: PiMessage, prefix: string): PiMessage {
  const { content = "" } = message;
  if (typeof content === "string") return { ...message, content: `${prefix}\n\n${content}` };
  const [first, ...rest] = content;
  const isText = first?.type === "text";
  const text = isText ? `${prefix}\n\n${first.text}` : prefix;
  return { ...message, content: [{ type: "text", text }, ...(isText ? rest : content)] };
}

function textOf({ content = "" }: PiMessage): string {
  if (typeof content === "string") return content;
  return content.map(({ text = "" }) => text).join("\n");
}
