/** `session-journal/mcp`: a journal as a Model Context Protocol server. */
export { type McpJournal, type McpOptions, serveMcp, stateUri } from "../host/mcp.ts";
