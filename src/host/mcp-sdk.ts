/** What we use of `@modelcontextprotocol/sdk`, each part loaded when it is needed. */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

export type ProtocolServer = Server;
export type ProtocolTransport = Transport;
export type Sdk = Awaited<ReturnType<typeof loadSdk>>;

// Each import handles its own failure, so that a bundler takes a missing package for a warning and not for an error.

/** The result has a server, and the schemas of what a client asks. */
export async function loadSdk() {
  const [server, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/index.js").catch(whatToInstall),
    import("@modelcontextprotocol/sdk/types.js").catch(whatToInstall),
  ]);
  return { ...server, ...types };
}

export function loadStdio() {
  return import("@modelcontextprotocol/sdk/server/stdio.js").catch(whatToInstall);
}

export function loadStreamableHttp() {
  return import("@modelcontextprotocol/sdk/server/streamableHttp.js").catch(whatToInstall);
}

/** The result has the server that a host in this process connects. */
export function loadMcpServer() {
  return import("@modelcontextprotocol/sdk/server/mcp.js").catch(whatToInstall);
}

function whatToInstall(cause: unknown): never {
  throw new Error("an MCP server needs a package that is not installed: npm install @modelcontextprotocol/sdk", {
    cause,
  });
}
