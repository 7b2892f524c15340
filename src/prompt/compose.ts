/** One message, as the model gets it and as the history keeps it. */
import { requireOption, requireOptions } from "../options.ts";
import { type Face, renderBlock, requireFace } from "./block.ts";
import type { ScratchpadConfig } from "./config.ts";
import type { SendMode } from "./guidance.ts";
import type { JournalView } from "./journal-view.ts";
import type { Nudges } from "./nudges.ts";

export interface ComposeOptions {
  readonly journal: JournalView;
  /** What the user wrote. */
  readonly message: string;
  /** What the host wants said before it. */
  readonly steer?: string;
  /** False: the scratchpad is switched off, and nothing of it appears. Default true. */
  readonly enabled?: boolean;
  /** Default "scratchpad". */
  readonly face?: Face;
  /** Default "every-message". A notepad stands in the system prompt, which has no earlier copies: it is always sent. */
  readonly send?: SendMode;
  /** The conversation was compacted since the last message: a block sent before is gone. */
  readonly compacted?: boolean;
  readonly nudges?: Nudges;
  /** A text of `renderGuidance`, for the system prompt. */
  readonly guidance?: string;
}

export interface ComposedPrompt {
  /** What to add to the system prompt; absent when there is nothing. */
  readonly system?: string;
  /** Block, hints and steer, message, with a blank line between them. */
  readonly forModel: string;
  /** Steer and message: neither block nor hints, which are made anew for each message. */
  readonly forHistory: string;
}

/**
 * Reads the journal on, and composes. The block is the same byte for byte as long as its state is. A whole configuration
 * may be given, too, but for its `nudges`: pass `createNudges(config.nudges)`. Throws a TypeError for a wrong option: a message must not be lost under another name.
 */
export async function composePrompt(options: ComposeOptions): Promise<ComposedPrompt> {
  requireOptions(options, ...optionNames, ...ofConfiguration);
  const { journal, message, steer = "", enabled = true, face = "scratchpad", nudges } = options;
  requireOption(typeof message === "string", message, "message", "a text");
  requireOption(typeof journal?.refresh === "function", journal, "journal", "a journal, as openJournal gives it");
  const isNudges = nudges === undefined || typeof nudges.hints === "function";
  requireOption(isNudges, nudges, "nudges", "what createNudges gives: createNudges(config.nudges)");
  requireFace(face);
  const forHistory = paragraphs([steer, message]);
  if (!enabled) return { forModel: forHistory, forHistory };
  await journal.refresh();
  if (options.compacted) nudges?.compacted();
  const hints = (await nudges?.hints(journal)) ?? [];
  const inSystem = face === "notepad";
  const block = inSystem ? "" : blockToSend(options, face);
  const system = paragraphs([options.guidance ?? "", inSystem ? renderBlock(journal.state, face) : ""]);
  return {
    ...(system === "" ? {} : { system }),
    forModel: paragraphs([block, [...hints, steer].filter((line) => line !== "").join("\n"), message]),
    forHistory,
  };
}

const optionNames: readonly (keyof ComposeOptions)[] = [
  "journal",
  "message",
  "steer",
  "enabled",
  "face",
  "send",
  "compacted",
  "nudges",
  "guidance",
];

/** What else of a configuration comes along, and is for `renderGuidance`. */
const ofConfiguration: readonly Exclude<keyof ScratchpadConfig, keyof ComposeOptions>[] = ["limits", "maxTokens"];

function blockToSend({ journal, send = "every-message", compacted = false }: ComposeOptions, face: Face): string {
  const block = renderBlock(journal.state, face);
  if (send === "every-message") return block;
  const last = compacted ? "" : (sent.get(journal) ?? "");
  sent.set(journal, block);
  if (block === last) return "";
  const version = `Session Scratchpad version ${journal.version}`;
  return block === "" ? `[${version}: empty]` : `${block}\n[${version}]`;
}

/** The block last sent "on-change", for each handle: a new one knows of no conversation, so it sends again. */
const sent = new WeakMap<JournalView, string>();

function paragraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}
