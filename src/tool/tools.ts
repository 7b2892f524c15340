import { given } from "../options.ts";
import { requireFace } from "../prompt/block.ts";
import type { ScratchpadConfig } from "../prompt/config.ts";
import { notepadTools } from "./notepad.ts";
import { padTools } from "./pad.ts";
import { type ScratchpadToolName, scratchpadTool } from "./scratchpad.ts";
import { singleKeyTool } from "./single-key.ts";
import type { Tool, ToolJournal, ToolOptions } from "./tool.ts";

/** These are the options of {@link toolsFor}. */
export interface FaceToolOptions extends ToolOptions {
  /** This names the one tool of three spaces, or of the single key. Notepad and pad have several tools with fixed names. */
  readonly toolName?: ScratchpadToolName;
}

/**
 * Makes the tools of the configured face. There are none where the scratchpad is switched off.
 *
 * @param journal The journal that the tools write to.
 * @param options The name of the tool, and what else it is made of.
 * @param config The result of `parseConfig`, or a part of it. What is left out is as there.
 * @throws TypeError for an option or a face that does not exist.
 * @example
 * const tools = toolsFor(journal, parseConfig({ face: "notepad" }));
 */
export function toolsFor(
  journal: ToolJournal,
  { enabled = true, face = "scratchpad", maxTokens }: Partial<Pick<ScratchpadConfig, "enabled" | "face" | "maxTokens">>,
  { toolName, ...options }: FaceToolOptions = {},
): readonly Tool[] {
  if (!enabled) return [];
  const named = toolName === undefined ? options : { ...options, name: toolName };
  switch (requireFace(face)) {
    case "scratchpad":
      return [scratchpadTool(journal, named)];
    case "single-key":
      return [singleKeyTool(journal, { ...named, ...given({ maxTokens }) })];
    case "notepad":
      return notepadTools(journal, options);
    case "pad":
      return padTools(journal, options);
  }
}
