/**
 * This entry point makes the tools of a scratchpad for the Vercel AI SDK.
 *
 * @module session-journal/ai-sdk
 */
export { type AiTool, type AiToolsOptions, aiTools } from "../host/ai-sdk.ts";
