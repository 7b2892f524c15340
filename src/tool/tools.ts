import type { ScratchpadConfig } from "../prompt/config.ts";
import { notepadTools } from "./notepad.ts";
import { padTools } from "./pad.ts";
import { scratchpadTool } from "./scratchpad.ts";
import { singleKeyTool } from "./single-key.ts";
import type { Tool, ToolJournal } from "./tool.ts";

/** The tools of the configured face; none when the scratchpad is switched off. */
export function toolsFor(
  journal: ToolJournal,
  { enabled, face, maxTokens }: Pick<ScratchpadConfig, "enabled" | "face" | "maxTokens">,
  options: { readonly actor?: string } = {},
): readonly Tool[] {
  if (!enabled) return [];
  switch (face) {
    case "scratchpad":
      return [scratchpadTool(journal, options)];
    case "single-key":
      return [singleKeyTool(journal, { ...options, maxTokens })];
    case "notepad":
      return notepadTools(journal, options);
    case "pad":
      return padTools(journal, options);
  }
}
