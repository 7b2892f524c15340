// The thinnest MCP server: what start-up.mjs compares ours with.
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const server = new Server({ name: "bench", version: "0" }, { capabilities: { tools: {} } });
process.stdin.once("end", () => void server.close());
await server.connect(new StdioServerTransport());
