/** The journals of the sessions that a host has going, each opened when it is first needed. */
import { join } from "node:path";
import type { Journal } from "../journal/public.ts";
import { makeFolders } from "../make-folders.ts";
import { type ComposedPrompt, type ComposeOptions, composePrompt } from "../prompt/compose.ts";
import type { ScratchpadConfig } from "../prompt/config.ts";
import { createNudges, type Nudges } from "../prompt/nudges.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import type { RunOptions, Tool } from "../tool/tool.ts";
import { toolsFor } from "../tool/tools.ts";
import { callTool, named, type ToolReply } from "./tool-call.ts";

/** `store` is closed with the journal, if it was handed in. */
export interface Opened {
  readonly journal: Journal;
  readonly store?: JournalStore;
}

export interface Session extends Opened {
  readonly nudges: Nudges;
  /** It is true if the host compacted the conversation since the last message. */
  compacted: boolean;
  call(toolName: string, input: unknown, options?: RunOptions): Promise<ToolReply>;
}

export class Sessions {
  readonly #config: ScratchpadConfig;
  readonly #toolPrefix: string;
  readonly #sessions = new Map<string, Promise<Session>>();

  /** The host puts `toolPrefix` before the names of tools. */
  constructor(config: ScratchpadConfig, toolPrefix = "") {
    this.#config = config;
    this.#toolPrefix = toolPrefix;
  }

  /** The result is the session of that id, which is opened once. An opening that failed is tried again by the next call. */
  of(sessionId: string, open: () => Promise<Opened>): Promise<Session> {
    const known = this.#sessions.get(sessionId);
    if (known !== undefined) return known;
    const opening = open().then((opened) => sessionOf(opened, this.#config, this.#toolPrefix));
    this.#sessions.set(sessionId, opening);
    opening.catch(() => {
      // It may have been closed meanwhile, and opened anew.
      if (this.#sessions.get(sessionId) === opening) this.#sessions.delete(sessionId);
    });
    return opening;
  }

  /** Closes the journal of one session, or all. */
  async close(sessionId?: string): Promise<void> {
    const ids = sessionId === undefined ? [...this.#sessions.keys()] : [sessionId];
    const closing = ids.map((id) => this.#sessions.get(id));
    for (const id of ids) this.#sessions.delete(id);
    for (const opening of closing) {
      const session = await opening?.catch(() => undefined);
      await session?.journal.close();
      await session?.store?.close();
    }
  }
}

function sessionOf(opened: Opened, config: ScratchpadConfig, toolPrefix: string): Session {
  const tools = toolsFor(opened.journal, config);
  return {
    ...opened,
    nudges: createNudges({ ...config.nudges, fromJournal: config.record, ...toolNameOf(tools, toolPrefix) }),
    compacted: false,
    call: async (name, input, options) => callTool(named(tools, name), input, options),
  };
}

/** Composes what goes to the model now. A compaction is told again by the next call if this one fails. */
export async function composeFor(
  session: Session,
  options: Omit<ComposeOptions, "journal" | "message" | "compacted">,
): Promise<ComposedPrompt> {
  const { journal, compacted } = session;
  session.compacted = false;
  try {
    return await composePrompt({ ...options, journal, message: "", compacted });
  } catch (error) {
    session.compacted ||= compacted;
    throw error;
  }
}

function toolNameOf([first]: readonly Tool[], prefix: string): { readonly toolName?: string } {
  return first === undefined ? {} : { toolName: prefix + first.name };
}

/** Opens the session file at that path. */
export type OpenFile = (file: string) => Promise<Journal>;

/** The journal lies there, beside a host with another transcript format. An id that names no file throws a TypeError. */
export function companionFile(folder: string, sessionId: string): string {
  if (typeof sessionId !== "string" || !/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(sessionId))
    throw new TypeError(`session id ${JSON.stringify(sessionId)} cannot name a file`);
  return join(folder, `${sessionId}.jsonl`);
}

/** This opens `<folder>/<session id>.jsonl`, and creates the folder. */
export async function openCompanion(folder: string, sessionId: string, open: OpenFile): Promise<Opened> {
  const file = companionFile(folder, sessionId);
  makeFolders(folder, 0o700);
  return { journal: await open(file) };
}
