/** A client of the Model Context Protocol asks for these. Other hosts show them by themselves. */
import { wellFormed } from "../action/text.ts";
import type { ObjectSchema } from "../event/json-schema.ts";
import type { Journal } from "../journal/public.ts";
import { type Face, renderBlock } from "../prompt/block.ts";
import type { ScratchpadConfig } from "../prompt/config.ts";
import { withoutForgery } from "../prompt/forgery.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { Tool, ToolJournal } from "../tool/tool.ts";
import { toolsFor } from "../tool/tools.ts";
import { notOpened } from "./tool-call.ts";

/** This is what a server needs of a journal. */
export interface McpJournal extends ToolJournal, Pick<Journal, "at" | "diff"> {
  readonly turn: number;
  /** Calls `listener` after each change, of other processes too, and answers how to stop. */
  onChange(listener: () => void): () => void;
  /** Records what the client was shown. */
  recordShown?: Journal["recordShown"];
}

/** The result is the block for a client that asked for it. It is recorded if that is configured. */
export async function shownOnRequest(
  journal: McpJournal,
  { face, record }: Pick<ScratchpadConfig, "face" | "record">,
  place: "resource" | "prompt",
): Promise<string> {
  const { version, state } = journal;
  const block = renderOnRequest(state, face);
  if (record) await journal.recordShown?.([{ block, place, version }]);
  return block;
}

/** The tools are those of `toolsFor`. A scratchpad that other hosts put before each message has one more tool, which only reads it. */
export function toolsOnRequest(
  journal: ToolJournal,
  config: ScratchpadConfig,
  options: { readonly actor?: string } = {},
): readonly Tool[] {
  const tools = toolsFor(journal, config, options);
  switch (config.face) {
    case "scratchpad":
      return tools.flatMap((tool) => [tool, spacesReader(`${tool.name}_read`, journal)]);
    case "single-key":
      return tools.flatMap((tool) => {
        const name = `${tool.name}_read`;
        const description = `${persisting} It is not shown to you by itself: ${name} reads it.`;
        return [{ ...tool, description }, singleKeyReader(name, journal)];
      });
    case "notepad":
    case "pad":
      return tools;
  }
}

/** The tools are listed before there is a journal. */
export function listOnRequest(config: ScratchpadConfig): readonly Tool[] {
  return toolsOnRequest(notOpened(config), config);
}

const persisting = "Persist important working state (plans, findings, decisions) that survives context compaction.";
const reading = "Read the session scratchpad: what you saved in it, which survives context compaction.";

interface Spaces {
  readonly version: number;
  readonly notes: string;
  readonly plan: string;
  readonly refs: readonly string[];
}

function spacesReader(name: string, journal: ToolJournal): Tool<Spaces> {
  return {
    ...readerNamed(name, {
      version: { type: "integer", minimum: 0 },
      notes: { type: "string" },
      plan: { type: "string" },
      refs: { type: "array", items: { type: "string" }, description: "The oldest first." },
    }),
    run: async () => {
      await journal.refresh();
      const { version, state } = journal;
      const { notes, plan, refs } = state;
      return { version, notes: wellFormed(notes), plan: wellFormed(plan), refs: refs.map(wellFormed) };
    },
    text: ({ notes, plan, refs }) => renderBlock({ ...journal.state, notes, plan, refs }) || "(empty)",
  };
}

function singleKeyReader(name: string, journal: ToolJournal): Tool<{ readonly content: string }> {
  return {
    ...readerNamed(name, { content: { type: "string" } }),
    run: async () => {
      await journal.refresh();
      return { content: wellFormed(journal.state.notes) };
    },
    text: ({ content }) => content || "(empty)",
  };
}

function readerNamed(name: string, properties: ObjectSchema["properties"]) {
  return {
    name,
    aliases: [],
    description: reading,
    inputSchema: { type: "object", properties: {}, required: [], additionalProperties: false },
    outputSchema: { type: "object", properties, required: Object.keys(properties) },
    readsOnly: true,
  } as const;
}

/** The result is the block of `face`. A pad has no block: its entries stand for it. */
function renderOnRequest(state: ScratchpadState, face: Face): string {
  const block = face === "pad" ? entriesBlock(state) : renderBlock(state, face);
  return block || "The session scratchpad is empty.";
}

/** Indented, so that no text can pass for another entry. */
function entriesBlock({ entries }: ScratchpadState): string {
  const keys = Object.keys(entries).sort();
  if (keys.length === 0) return "";
  const texts = keys.map((key) => [`${key}:`, ...linesOf(entries[key] ?? "")].join("\n  "));
  return `[Session Scratchpad]\n${texts.join("\n\n")}\n[End Scratchpad]`;
}

function linesOf(text: string): string[] {
  return withoutForgery(text).split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/);
}
