/**
 * This is an extension of the pi coding agent. The journal lives in pi's own session file, through pi's own append; blocks go to the model
 * with each request, and are never saved.
 */
import { parsePoint } from "../audit/points.ts";
import { isJournalError } from "../errors.ts";
import type { Shown } from "../event/shown.ts";
import { count, requireOption, requireOptions } from "../options.ts";
import { renderBlock } from "../prompt/block.ts";
import { parseConfig, type ScratchpadConfig } from "../prompt/config.ts";
import { renderGuidance } from "../prompt/guidance.ts";
import { hintLine } from "../prompt/nudges.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import type { Tool } from "../tool/tool.ts";
import type { PiApi, PiContext, PiMessage, PiSession, PiTool } from "./pi-api.ts";
import { shownMessage, withBlocks } from "./pi-blocks.ts";
import { PiHistory } from "./pi-history.ts";
import { drawnCall, drawnResult, statusOf, wholeScratchpad } from "./pi-view.ts";
import { PiWarning, warningType } from "./pi-warning.ts";
import { type Opened, type Session, Sessions } from "./sessions.ts";
import { listTools } from "./tool-call.ts";

/** These are the options of pi's extension. */
export interface PiOptions {
  /** This is a configuration as `parseConfig` takes it. */
  readonly config?: unknown;
  /**
   * This is how many tokens pi keeps free for an answer: its setting `compaction.reserveTokens`. The default is 16384, as in
   * pi.
   */
  readonly reserveTokens?: number;
  /** This is the share of the rest of the window at which the agent is warned of a compaction. The default is 0.85. */
  readonly warnAt?: number;
}

/** Opens the journal of the session that pi is in. */
export type OpenPiSession = (
  pi: Pick<PiApi, "appendEntry">,
  session: PiSession,
  config: ScratchpadConfig,
) => Promise<Opened>;

/** This is what pi calls with its API. */
export type PiExtension = (pi: PiApi) => void;

/** Throws a TypeError for a wrong option or configuration. */
export function piExtension(open: OpenPiSession, options: PiOptions): PiExtension {
  requireOptions(options, "config", "reserveTokens", "warnAt");
  const { reserveTokens, warnAt } = options;
  if (reserveTokens !== undefined) count(reserveTokens, "reserveTokens");
  const isShare = warnAt === undefined || (typeof warnAt === "number" && warnAt > 0 && warnAt <= 1);
  requireOption(isShare, warnAt, "warnAt", "a number above 0 and at most 1");
  const config = parseConfig(options.config);
  if (!config.enabled) return () => undefined;
  return (pi) => new Extension(pi, config, options, open).register();
}

/** This is a session, with what the model was shown of it. */
interface Running {
  readonly session: Session;
  readonly history: PiHistory;
  /** Hints are made once for each message of the user, known by its time, and stay where they are. */
  readonly hints: Map<number, readonly string[]>;
}

const statusKey = "session-journal";

class Extension {
  readonly #pi: PiApi;
  readonly #config: ScratchpadConfig;
  readonly #open: OpenPiSession;
  readonly #sessions: Sessions;
  readonly #guidance: string;
  readonly #warning: PiWarning;
  readonly #blocks = new WeakMap<ScratchpadState, string>();
  /** This is the session of the newest request. Handlers that run late have a context that is no longer valid. */
  #running: Running | undefined;

  constructor(pi: PiApi, config: ScratchpadConfig, options: PiOptions, open: OpenPiSession) {
    this.#pi = pi;
    this.#config = config;
    this.#open = open;
    this.#sessions = new Sessions(config);
    const isRepeated = config.send === "every-message" && config.face !== "pad";
    this.#guidance = [renderGuidance(config), ...(isRepeated ? [severalBlocks] : [])].join("\n\n");
    const { reserveTokens = 16_384, warnAt = 0.85 } = options;
    this.#warning = new PiWarning(pi, { face: config.face, reserveTokens, warnAt });
  }

  register(): void {
    const pi = this.#pi;
    for (const tool of listTools(this.#config)) pi.registerTool(this.#piTool(tool));
    pi.registerCommand("scratchpad", {
      description: "Show the scratchpad of this session, or how it was at a point such as t3 or v12",
      handler: (args, context) => this.#show(args.trim(), context),
    });
    pi.on("before_agent_start", async ({ systemPrompt }) => ({ systemPrompt: `${systemPrompt}\n\n${this.#guidance}` }));
    pi.on("context", async ({ messages }, context) => ({ messages: await this.#shown(messages, context) }));
    pi.on("message_end", async ({ message }) => {
      if (message.role === "assistant") this.#running?.session.nudges.assistantSaid(textOf(message));
      return undefined;
    });
    pi.on("turn_end", async ({ toolResults }) => {
      this.#warning.turnEnded(toolResults.length);
      return undefined;
    });
    pi.on("session_before_compact", async ({ reason, preparation }, context) =>
      this.#warning.delays(context, reason, preparation.tokensBefore) ? { cancel: true } : undefined,
    );
    pi.on("session_compact", async () => {
      this.#running?.session.nudges.compacted();
      this.#running?.hints.clear();
      return undefined;
    });
    pi.on("session_start", (_event, context) => this.#showStatus(context));
    pi.on("session_tree", (_event, context) => {
      this.#running?.history.forget();
      return this.#showStatus(context);
    });
    pi.on("session_shutdown", async () => {
      this.#running = undefined;
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
        await this.#showStatus(context);
        // What a tool throws is what pi marks as an error for the model.
        if (isError) throw new Error(text);
        return { content: [{ type: "text", text }], details: output };
      },
      renderCall: (input, theme) => drawnCall(name, input, theme),
      renderResult: (result, { expanded }, theme, { args, isError }) =>
        drawnResult(textOf(result), { input: args, isError, isExpanded: expanded }, theme),
    };
  }

  #session({ sessionManager }: PiContext): Promise<Session> {
    return this.#sessions.of(sessionManager.getSessionId(), () => this.#open(this.#pi, sessionManager, this.#config));
  }

  async #run(context: PiContext): Promise<Running> {
    const session = await this.#session(context);
    if (this.#running?.session === session) return this.#running;
    this.#running = { session, history: new PiHistory(session.journal), hints: new Map() };
    return this.#running;
  }

  async #shown(messages: readonly PiMessage[], context: PiContext): Promise<PiMessage[]> {
    const { session, history, hints } = await this.#run(context);
    const { face, send } = this.#config;
    const events = await history.read();
    const newest = messages.at(-1);
    const warning = this.#warning.due(context, messages);
    if (newest?.role === "user" && !hints.has(newest.timestamp)) {
      const taken = await session.nudges.take(session.journal);
      hints.set(newest.timestamp, taken.map(hintLine));
      await this.#record(
        session,
        taken.map(({ kind, text }) => ({ nudge: kind, text })),
      );
    }
    await this.#recordWarnings(session);
    const wasWritten = events.some(({ state }) => state.notes !== "");
    const shown = withBlocks({
      messages,
      history: events,
      render: (state) => this.#block(state),
      onChange: send === "on-change",
      invitation: face === "notepad" && !wasWritten ? renderBlock(initialState, face) : "",
      hints: ({ timestamp }) => hints.get(timestamp) ?? [],
    });
    if (newest === undefined || warning === undefined) return shown;
    // What the user asks comes last: it is what is to be answered.
    const at = newest.role === "user" ? shown.length - 1 : shown.length;
    return shown.toSpliced(at, 0, shownMessage(warningType, warning, newest.timestamp));
  }

  /** This records what goes with a new message of the user, if that is configured. */
  async #record({ journal }: Session, hints: readonly Shown[]): Promise<void> {
    const { record, face } = this.#config;
    if (!record) return;
    const block: readonly Shown[] = face === "pad" ? [] : [{ block: this.#block(journal.state), place: "message" }];
    await journal.recordShown([...block, ...hints]);
  }

  async #recordWarnings({ journal }: Session): Promise<void> {
    const warnings = this.#warning.taken();
    if (this.#config.record && warnings.length > 0)
      await journal.recordShown(warnings.map((text) => ({ nudge: "compactionWarning", text })));
  }

  /** The model sees no invitation of a notepad in which something was written before. */
  #block(state: ScratchpadState = initialState): string {
    const known = this.#blocks.get(state);
    if (known !== undefined) return known;
    const { face } = this.#config;
    const block = face === "notepad" && state.notes === "" ? "" : renderBlock(state, face);
    this.#blocks.set(state, block);
    return block;
  }

  async #showStatus(context: PiContext): Promise<undefined> {
    if (!context.hasUI) return undefined;
    const { journal } = await this.#session(context);
    await journal.refresh();
    context.ui.setStatus(statusKey, statusOf(journal.state, this.#config, context.ui.theme));
    return undefined;
  }

  async #show(point: string, context: PiContext): Promise<void> {
    const { journal } = await this.#session(context);
    try {
      context.ui.notify(
        wholeScratchpad(await journal.at(parsePoint(point === "" ? "head" : point)), this.#config.face),
        "info",
      );
    } catch (error) {
      if (!isJournalError(error)) throw error;
      context.ui.notify(error.message, "error");
    }
  }
}

const severalBlocks = "Earlier blocks show what it held then: of several blocks the last one counts.";

function textOf({ content = "" }: Pick<PiMessage, "content">): string {
  if (typeof content === "string") return content;
  return content.map(({ text = "" }) => text).join("\n");
}
