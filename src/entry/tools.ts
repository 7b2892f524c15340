/**
 * This entry point makes the tools that an agent can call, for any runtime.
 *
 * @module session-journal/tools
 */
export type { JsonSchema, ObjectSchema } from "../event/json-schema.ts";
export {
  type Notepad,
  type NotepadContent,
  type NotepadOptions,
  type NotepadOutcome,
  notepad,
  notepadTools,
} from "../tool/notepad.ts";
export { type PadAnswer, type PadOptions, padTools } from "../tool/pad.ts";
export {
  type ScratchpadAnswer,
  type ScratchpadToolName,
  type ScratchpadToolOptions,
  scratchpadTool,
} from "../tool/scratchpad.ts";
export { type SingleKeyToolOptions, singleKeyTool } from "../tool/single-key.ts";
export {
  type SingleKeyScratchpads,
  type SingleKeyScratchpadsOptions,
  singleKeyScratchpads,
} from "../tool/single-key-sessions.ts";
export type { RunOptions, Tool, ToolJournal, ToolOptions } from "../tool/tool.ts";
export { type FaceToolOptions, toolsFor } from "../tool/tools.ts";
