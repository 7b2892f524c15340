/**
 * This is a plugin of OpenClaw. OpenClaw keeps its transcripts in a database of its own, so the journal is a companion of the session; the
 * block goes to the model with the message of the user, and is not saved with it.
 */

import { existsSync } from "node:fs";
import type { ObjectSchema } from "../event/json-schema.ts";
import { given } from "../options.ts";
import { parseConfig, type ScratchpadConfig } from "../prompt/config.ts";
import { renderGuidance } from "../prompt/guidance.ts";
import type { Tool } from "../tool/tool.ts";
import { companionFile, composeFor, type OpenFile, openCompanion, type Session, Sessions } from "./sessions.ts";
import { listTools } from "./tool-call.ts";

/** This is what is used of OpenClaw's `OpenClawPluginApi`. */
export interface OpenClawApi {
  /** This is `plugins.entries.session-journal.config`: `folder`, `actor`, and what `parseConfig` takes. */
  readonly pluginConfig?: Readonly<Record<string, unknown>>;
  readonly runtime: { readonly state: { resolveStateDir(): string } };
  resolvePath(path: string): string;
  /** The function is called for each run with its session. */
  registerTool(create: (context: OpenClawContext) => OpenClawTool | null, options: { readonly name: string }): void;
  on(hook: "before_prompt_build", handler: OpenClawHandler<OpenClawPrompt, OpenClawPromptParts | undefined>): void;
  on(hook: "llm_output", handler: OpenClawHandler<{ readonly assistantTexts: readonly string[] }, undefined>): void;
  on(hook: "after_compaction", handler: OpenClawHandler<{ readonly previousSessionId?: string }, undefined>): void;
  on(hook: "session_end", handler: OpenClawHandler<object, undefined>): void;
  on(hook: "gateway_stop", handler: () => Promise<void>): void;
}

export type OpenClawHandler<Event, Result> = (event: Event, context: OpenClawContext) => Promise<Result>;

/** This is what is used of the contexts of tools and hooks. */
export interface OpenClawContext {
  readonly sessionId?: string;
  /** Stays when a session goes on under another id. */
  readonly sessionKey?: string;
  readonly runId?: string;
  readonly trigger?: string;
}

export interface OpenClawPrompt {
  readonly prompt: string;
  /** This is the same if one message is prepared twice. */
  readonly currentUserMessageId?: string;
}

/** These are the parts that a plugin of OpenClaw adds to a prompt. */
export interface OpenClawPromptParts {
  /** Goes to the system prompt. */
  readonly appendSystemContext?: string;
  /** Goes before the message. */
  readonly prependContext?: string;
}

/** This is a tool as OpenClaw takes it. */
export interface OpenClawTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  /** The model sees the tool at once, without a search for tools. */
  readonly catalogMode: "direct-only";
  execute(
    toolCallId: string,
    input: unknown,
  ): Promise<{ readonly content: { readonly type: "text"; readonly text: string }[]; readonly details: object }>;
}

/** Opens the session file at that path. */
export type OpenClawFile = (file: string, config: ScratchpadConfig, actor: string | undefined) => ReturnType<OpenFile>;

/** Throws a TypeError for a wrong configuration. */
export function registerOpenClaw(api: OpenClawApi, open: OpenClawFile): void {
  const { folder, actor, ...settings } = api.pluginConfig ?? {};
  const config = parseConfig(settings);
  if (!config.enabled) return;
  const place =
    folder === undefined ? `${api.runtime.state.resolveStateDir()}/session-journal` : api.resolvePath(String(folder));
  const signedBy = actor === undefined ? undefined : String(actor);
  new OpenClawHost(config, place, (file) => open(file, config, signedBy)).register(api);
}

/** These are prompts that the host itself sends in the middle of a conversation. */
const sentByHost: readonly string[] = ["heartbeat", "overflow"];

class OpenClawHost {
  readonly #config: ScratchpadConfig;
  readonly #folder: string;
  readonly #open: OpenFile;
  readonly #sessions: Sessions;
  /**
   * This maps a session to the one that went on under another id after a compaction. The tools of a run keep the id they began
   * with.
   */
  readonly #successors = new Map<string, string>();
  /** This has the newest session of each session key. */
  readonly #ids = new Map<string, string>();
  /** The prompt that began the newest turn of a session. */
  readonly #begun = new Map<string, string | undefined>();

  constructor(config: ScratchpadConfig, folder: string, open: OpenFile) {
    this.#config = config;
    this.#folder = folder;
    this.#open = open;
    this.#sessions = new Sessions(config);
  }

  register(api: OpenClawApi): void {
    for (const tool of listTools(this.#config))
      api.registerTool(({ sessionId }) => (sessionId === undefined ? null : this.#tool(tool, sessionId)), {
        name: tool.name,
      });
    api.on("before_prompt_build", (event, context) => this.#prompt(event, context));
    api.on("llm_output", async ({ assistantTexts }, { sessionId }) => {
      if (sessionId !== undefined && this.#begun.has(sessionId))
        (await this.#session(sessionId)).nudges.assistantSaid(assistantTexts.join("\n"));
      return undefined;
    });
    api.on(
      "after_compaction",
      async ({ previousSessionId }, { sessionKey = "", sessionId = this.#ids.get(sessionKey) }) => {
        // Where a run is compacted of itself, the host tells the session's key alone.
        if (sessionId !== undefined) await this.#compacted(sessionId, previousSessionId ?? sessionId);
        return undefined;
      },
    );
    api.on("session_end", async (_event, { sessionId }) => {
      if (sessionId !== undefined) await this.#sessions.close(sessionId);
      return undefined;
    });
    api.on("gateway_stop", () => this.#sessions.close());
  }

  #tool({ name, description, inputSchema }: Tool, sessionId: string): OpenClawTool {
    return {
      name,
      label: name,
      description,
      parameters: inputSchema,
      catalogMode: "direct-only",
      execute: async (toolCallId, input) => {
        const session = await this.#session(sessionId);
        const { text, output, isError } = await session.call(name, input, { command: toolCallId });
        // By a false `ok` the host tells a failed call.
        const details = isError ? { ...output, ok: false } : (output ?? {});
        return { content: [{ type: "text", text }], details };
      },
    };
  }

  async #prompt(event: OpenClawPrompt, context: OpenClawContext): Promise<OpenClawPromptParts | undefined> {
    const { sessionId, sessionKey, trigger } = context;
    // Before a compaction the host has a session of its own save memories, without our tools.
    if (sessionId === undefined || trigger === "memory") return undefined;
    if (sessionKey !== undefined) this.#ids.set(sessionKey, sessionId);
    const session = await this.#session(sessionId);
    const isNew = await this.#beginTurn(sessionId, session, event.currentUserMessageId ?? context.runId, context);
    const { journal, nudges, compacted } = session;
    const guidance = renderGuidance({ ...this.#config, limits: journal.limits });
    const { system, forModel } = await composeFor(session, {
      ...this.#config,
      guidance,
      // Each call of `hints` counts as a turn: not where one message is prepared again.
      nudges: isNew || compacted ? nudges : undefined,
    });
    return {
      ...given({ appendSystemContext: system }),
      ...(forModel === "" ? {} : { prependContext: forModel }),
    };
  }

  /** The result is false if that prompt has had its turn, or is the host's. */
  async #beginTurn(
    sessionId: string,
    { journal }: Session,
    promptId: string | undefined,
    { trigger = "user" }: OpenClawContext,
  ): Promise<boolean> {
    const isKnown = promptId !== undefined && this.#begun.get(sessionId) === promptId;
    if (isKnown || sentByHost.includes(trigger)) return false;
    this.#begun.set(sessionId, promptId);
    await journal.beginTurn(promptId === undefined ? {} : { id: promptId });
    return true;
  }

  /** Some compactions begin a session of another id: its journal is a fork of the one before. */
  async #compacted(sessionId: string, previousId: string): Promise<void> {
    if (sessionId !== previousId) {
      const previous = await this.#session(previousId);
      const file = companionFile(this.#folder, sessionId);
      if (!existsSync(file))
        await this.#sessions.of(sessionId, async () => ({ journal: await previous.journal.fork(file) }));
      this.#begun.set(sessionId, this.#begun.get(previousId));
      this.#successors.set(previousId, sessionId);
      await this.#sessions.close(previousId);
    }
    // Sessions of the host's own are compacted too: they get no journal.
    if (existsSync(companionFile(this.#folder, sessionId))) (await this.#session(sessionId)).compacted = true;
  }

  #session(sessionId: string): Promise<Session> {
    const successor = this.#successors.get(sessionId);
    if (successor !== undefined) return this.#session(successor);
    return this.#sessions.of(sessionId, () => openCompanion(this.#folder, sessionId, this.#open));
  }
}
