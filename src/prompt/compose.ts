/** One message, as the model gets it and as the history keeps it. */

import type { Shown } from "../event/shown.ts";
import { flag, requireChoice, requireOption, requireOptions } from "../options.ts";
import { type Face, renderBlock, requireFace } from "./block.ts";
import type { ScratchpadConfig } from "./config.ts";
import { type SendMode, sendModes } from "./guidance.ts";
import type { JournalView } from "./journal-view.ts";
import { hintLine, type Nudge, type Nudges } from "./nudges.ts";

/** These are the options of {@link composePrompt}. */
export interface ComposeOptions {
  readonly journal: JournalView;
  /** This is what the user wrote. */
  readonly message: string;
  /** This is what the host wants said before it. */
  readonly steer?: string;
  /** With false, the scratchpad is switched off, and nothing of it appears. The default is true. */
  readonly enabled?: boolean;
  /** The default is "scratchpad". */
  readonly face?: Face;
  /** The default is "every-message". A notepad stands in the system prompt, which has no earlier copies, so it is always sent. */
  readonly send?: SendMode;
  /** The conversation was compacted since the last message: a block sent before is gone. */
  readonly compacted?: boolean;
  readonly nudges?: Nudges;
  /** With true, the journal records what the model is shown: the digest of the block, and hints. The default is false. */
  readonly record?: boolean;
  /** This is a text of `renderGuidance`, for the system prompt. */
  readonly guidance?: string;
}

/** This is the result of {@link composePrompt}. */
export interface ComposedPrompt {
  /** This is what to add to the system prompt; absent when there is nothing. */
  readonly system?: string;
  /** This has the block, hints and steer, and the message, with a blank line between them. */
  readonly forModel: string;
  /** This is the steer and the message. Block and hints are left out, because they are made anew for each message. */
  readonly forHistory: string;
}

/**
 * Reads what is new in the journal, and puts the block, the hints and the message together. As long as the state is the same,
 * the block is the same byte for byte. A whole configuration may be given, too, but for its `nudges`: pass
 * `createNudges(config.nudges)`.
 *
 * @param options The journal, the message, and how the block is shown.
 * @throws TypeError for an option that does not exist: a message must not be lost under another name.
 * @example
 * const { forModel, forHistory } = await composePrompt({ journal, message: "What is next?" });
 */
export async function composePrompt(options: ComposeOptions): Promise<ComposedPrompt> {
  requireOptions(options, ...optionNames, ...ofConfiguration);
  requireParts(options);
  const { message, steer = "", enabled = true } = options;
  const forHistory = paragraphs([steer, message]);
  return enabled ? composed(options, forHistory) : { forModel: forHistory, forHistory };
}

async function composed(options: ComposeOptions, forHistory: string): Promise<ComposedPrompt> {
  const { journal, message, steer = "", face = "scratchpad", nudges } = options;
  // It is gone, whatever becomes of this call.
  if (options.compacted) sent.delete(journal);
  await journal.refresh();
  if (options.compacted) nudges?.compacted();
  const taken = (await nudges?.take(journal)) ?? [];
  const hints = taken.map(hintLine);
  const inSystem = face === "notepad";
  const shown = renderBlock(journal.state, face);
  const block = inSystem ? "" : blockToSend(options, shown);
  const system = paragraphs([options.guidance ?? "", inSystem ? shown : ""]);
  if (options.record) await recordShown(options, shown, block, taken);
  // Not before: of a call that fails, nothing is sent.
  if (options.send === "on-change" && !inSystem) sent.set(journal, shown);
  return {
    ...(system === "" ? {} : { system }),
    forModel: paragraphs([block, [...hints, steer].filter((line) => line !== "").join("\n"), message]),
    forHistory,
  };
}

async function recordShown(
  { journal, face }: ComposeOptions,
  shown: string,
  sentNow: string,
  hints: readonly Nudge[],
): Promise<void> {
  const { version } = journal;
  const place = face === "notepad" ? "system" : sentNow === "" && shown !== "" ? "earlier" : "message";
  const hintsShown: readonly Shown[] = hints.map(({ kind, text }) => ({ nudge: kind, text }));
  await journal.recordShown?.(face === "pad" ? hintsShown : [{ block: shown, place, version }, ...hintsShown]);
}

function requireParts({ journal, message, nudges, face, send, record, ...others }: ComposeOptions): void {
  requireOption(typeof message === "string", message, "message", "a text");
  for (const name of ["steer", "guidance"] as const) {
    const text = others[name];
    requireOption(text === undefined || typeof text === "string", text, name, "a text");
  }
  for (const name of ["enabled", "compacted"] as const) if (others[name] !== undefined) flag(others[name], name);
  if (send !== undefined) requireChoice(sendModes, send, "send");
  requireOption(typeof journal?.refresh === "function", journal, "journal", "a journal, as openJournal gives it");
  const isNudges = nudges === undefined || typeof nudges.take === "function";
  requireOption(isNudges, nudges, "nudges", "what createNudges gives: createNudges(config.nudges)");
  if (face !== undefined) requireFace(face);
  if (record !== undefined) flag(record, "record");
  const canRecord = !record || typeof journal.recordShown === "function";
  requireOption(canRecord, journal, "journal", "a journal that can record, as openJournal gives it");
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
  "record",
  "guidance",
];

/** What else of a configuration comes along, and is for `renderGuidance`. */
const ofConfiguration: readonly Exclude<keyof ScratchpadConfig, keyof ComposeOptions>[] = ["limits", "maxTokens"];

function blockToSend({ journal, send = "every-message" }: ComposeOptions, block: string): string {
  if (send === "every-message") return block;
  if (block === (sent.get(journal) ?? "")) return "";
  const version = `Session Scratchpad version ${journal.version}`;
  return block === "" ? `[${version}: empty]` : `${block}\n[${version}]`;
}

/** The block last sent "on-change", for each handle: a new one knows of no conversation, so it sends again. */
const sent = new WeakMap<JournalView, string>();

function paragraphs(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}
