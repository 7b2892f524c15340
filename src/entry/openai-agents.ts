/** `session-journal/openai-agents`: tools for the OpenAI Agents SDK. */
export { type AgentToolOptions, type AgentToolsOptions, agentTools } from "../host/openai-agents.ts";
