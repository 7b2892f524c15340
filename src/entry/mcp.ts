/** `session-journal/mcp`: a journal as a Model Context Protocol server. */
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
