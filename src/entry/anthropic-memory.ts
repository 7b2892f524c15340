/** `session-journal/anthropic-memory`: entries as the files of Anthropic's memory tool. */
export { type MemoryHandlers, type MemoryJournal, memoryHandlers } from "../host/anthropic-memory.ts";
