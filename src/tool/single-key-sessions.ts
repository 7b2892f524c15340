/** The single key of many sessions, by their ids: for a host whose core asks for a session's text at one place. */
import type { Answer } from "../action/answer.ts";
import { wellFormed } from "../action/text.ts";
import type { Journal } from "../journal/public.ts";
import { given, requireOption } from "../options.ts";
import { type SingleKeyToolOptions, singleKeyTool } from "./single-key.ts";
import { type RunOptions, requireToolOptions, type Tool } from "./tool.ts";

/** These are the options of {@link singleKeyScratchpads}. */
export interface SingleKeyScratchpadsOptions extends SingleKeyToolOptions {
  /** Opens the journal of a session, once. With `mirror: "single-key"` older runtimes find its text. */
  readonly open: (sessionId: string) => Promise<Journal>;
}

/** These are the scratchpads of a host of the first generation, by session id. */
export interface SingleKeyScratchpads {
  /** Opens the session, and reads what others wrote into it since. Call this before each message. */
  resume(sessionId: string): Promise<void>;
  /** This is the text that was last read or written. It is undefined if nothing is written, or the session was not resumed. */
  getScratchpadContent(sessionId: string): string | undefined;
  /** This does the same as a call of the tool: the budget holds, and the answer's `message` is for the model. */
  setScratchpadContent(
    sessionId: string,
    content: string,
    mode?: "replace" | "append",
    options?: RunOptions,
  ): Promise<Answer>;
  /** This returns the tool of that session. */
  tool(sessionId: string): Promise<Tool<Answer>>;
  /** Closes the journal of one session, or all. */
  close(sessionId?: string): Promise<void>;
}

/**
 * Keeps the journals of a host of the first generation by session id. If `open` throws, the call rejects with that error, and
 * the next call tries again.
 *
 * @param options The function that opens the journal of a session, and the budget.
 * @throws TypeError for a wrong option.
 * @example
 * const scratchpads = singleKeyScratchpads({ open: (id) => openJournal(`${id}.jsonl`, { mirror: "single-key" }) });
 */
export function singleKeyScratchpads(options: SingleKeyScratchpadsOptions): SingleKeyScratchpads {
  requireToolOptions(options, "open", "name", "maxTokens", "countTokens");
  const { open, ...settings } = options;
  requireOption(typeof open === "function", open, "open", "a function that opens the journal of a session id");
  return new Scratchpads(open, settings);
}

interface OpenSession {
  readonly journal: Journal;
  readonly tool: Tool<Answer>;
}

interface KnownSession {
  readonly opening: Promise<OpenSession>;
  opened?: OpenSession;
}

class Scratchpads implements SingleKeyScratchpads {
  readonly #open: (sessionId: string) => Promise<Journal>;
  readonly #settings: SingleKeyToolOptions;
  readonly #sessions = new Map<string, KnownSession>();

  constructor(open: (sessionId: string) => Promise<Journal>, settings: SingleKeyToolOptions) {
    this.#open = open;
    this.#settings = settings;
  }

  async resume(sessionId: string): Promise<void> {
    const { journal } = await this.#session(sessionId);
    await journal.refresh();
  }

  getScratchpadContent(sessionId: string): string | undefined {
    return wellFormed(this.#sessions.get(sessionId)?.opened?.journal.state.notes ?? "") || undefined;
  }

  async setScratchpadContent(
    sessionId: string,
    content: string,
    mode?: "replace" | "append",
    options?: RunOptions,
  ): Promise<Answer> {
    const { tool } = await this.#session(sessionId);
    return tool.run({ content, ...given({ mode }) }, options);
  }

  async tool(sessionId: string): Promise<Tool<Answer>> {
    return (await this.#session(sessionId)).tool;
  }

  async close(sessionId?: string): Promise<void> {
    const ids = sessionId === undefined ? [...this.#sessions.keys()] : [sessionId];
    const closing = ids.map((id) => this.#sessions.get(id));
    // At once: who calls from now on opens it again.
    for (const id of ids) this.#sessions.delete(id);
    for (const known of closing) {
      const session = await known?.opening.catch(() => undefined);
      await session?.journal.close();
    }
  }

  #session(sessionId: string): Promise<OpenSession> {
    const known = this.#sessions.get(sessionId);
    if (known !== undefined) return known.opening;
    const session: KnownSession = { opening: this.#begin(sessionId) };
    this.#sessions.set(sessionId, session);
    session.opening.then(
      (opened) => {
        session.opened = opened;
      },
      () => {
        if (this.#sessions.get(sessionId) === session) this.#sessions.delete(sessionId);
      },
    );
    return session.opening;
  }

  async #begin(sessionId: string): Promise<OpenSession> {
    const journal = await this.#open(sessionId);
    return { journal, tool: singleKeyTool(journal, this.#settings) };
  }
}
