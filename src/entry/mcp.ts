/**
 * This entry point serves a journal over the Model Context Protocol.
 *
 * @module session-journal/mcp
 */
export {
  type McpHttpOptions,
  type McpOptions,
  type McpSettings,
  serveMcp,
  serveMcpHttp,
} from "../host/mcp.ts";
export type { HttpOptions, HttpServing } from "../host/mcp-http.ts";
export { blockUri, stateUri } from "../host/mcp-resources.ts";
export type { McpJournal } from "../host/mcp-views.ts";
