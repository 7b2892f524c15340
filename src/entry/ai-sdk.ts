/** `session-journal/ai-sdk`: tools for the Vercel AI SDK. */
export { type AiTool, type AiToolsOptions, aiTools } from "../host/ai-sdk.ts";
