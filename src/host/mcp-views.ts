/** What a client of the Model Context Protocol asks for where other hosts show it by themselves. */
import { type Face, renderBlock } from "../prompt/block.ts";
import type { ScratchpadConfig } from "../prompt/config.ts";
import { withoutForgery } from "../prompt/forgery.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { NotepadContent } from "../tool/notepad.ts";
import type { Tool, ToolJournal } from "../tool/tool.ts";
import { toolsFor } from "../tool/tools.ts";

/** As `toolsFor`; the single key, which other hosts put before each message, has a tool to read it. */
export function toolsOnRequest(
  journal: ToolJournal,
  config: ScratchpadConfig,
  options: { readonly actor?: string },
): readonly Tool[] {
  const tools = toolsFor(journal, config, options);
  if (config.face !== "single-key") return tools;
  return tools.flatMap((tool) => {
    const name = `${tool.name}_read`;
    return [
      { ...tool, description: `${persisting} It is not shown to you by itself: ${name} reads it.` },
      reader(name, journal),
    ];
  });
}

const persisting = "Persist important working state (plans, findings, decisions) that survives context compaction.";

function reader(name: string, journal: ToolJournal): Tool<NotepadContent> {
  return {
    name,
    aliases: [],
    description: "Read the session scratchpad: what you saved in it, which survives context compaction.",
    inputSchema: { type: "object", properties: {}, required: [] },
    outputSchema: { type: "object", properties: { content: { type: "string" } }, required: ["content"] },
    readsOnly: true,
    run: async () => {
      await journal.refresh();
      return { content: journal.state.notes };
    },
    text: ({ content }) => content || "(empty)",
  };
}

/** The block of `face`; of a pad, which has none, its entries. */
export function renderOnRequest(state: ScratchpadState, face: Face): string {
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
