/**
 * This entry point makes the tools of a scratchpad for the OpenAI Agents SDK.
 *
 * @module session-journal/openai-agents
 */
export { type AgentCall, type AgentToolOptions, type AgentToolsOptions, agentTools } from "../host/openai-agents.ts";
