/** `session-journal/workspace`: what lies in files of a folder. */
export { openPad } from "../open/open-pad.ts";
export type { MissingSection } from "../prompt/working-memory.ts";
export type { Message } from "../prompt/working-memory-messages.ts";
export type { Feeling, ResponseStrategy, RoutingHint, Sentiment } from "../prompt/working-memory-sections.ts";
export type { MemoryQuery, Sources } from "../workspace/built-in.ts";
export type { Pad } from "../workspace/pad.ts";
export type { PadFinding, PadFindingCode } from "../workspace/pad-finding.ts";
export type { Provider, ProviderInput } from "../workspace/providers.ts";
export {
  type AssembleOptions,
  assembleWorkingMemory,
  readWorkingMemory,
  type WorkingMemory,
  type WorkingMemoryFile,
  type WorkingMemoryJournal,
} from "../workspace/working-memory.ts";
