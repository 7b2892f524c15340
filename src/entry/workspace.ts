/**
 * This entry point reads and writes files of an agent's folder: the pad, and the working-memory file.
 *
 * @module session-journal/workspace
 */
export { openPad } from "../open/open-pad.ts";
export type { MissingSection } from "../prompt/working-memory.ts";
export type { Message } from "../prompt/working-memory-messages.ts";
export type { Feeling, ResponseStrategy, RoutingHint, Sentiment } from "../prompt/working-memory-sections.ts";
export type { MemoryQuery, Sources } from "../workspace/built-in.ts";
export type { MemoryKind } from "../workspace/import/kinds.ts";
export { readMemory } from "../workspace/import/read-memory.ts";
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
