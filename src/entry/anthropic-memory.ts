/**
 * This entry point serves the entries of a journal as the files of Anthropic's memory tool.
 *
 * @module session-journal/anthropic-memory
 */
export { type MemoryHandlers, type MemoryJournal, memoryHandlers } from "../host/anthropic-memory.ts";
