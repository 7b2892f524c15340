/** What we use of `@modelcontextprotocol/sdk`, each part loaded when it is needed. */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

export type ProtocolServer = Server;
export type ProtocolTransport = Transport;
export type Sdk = Awaited<ReturnType<typeof loadSdk>>;

/** A server, and the schemas of what a client asks. */
export function loadSdk() {
  return orWhatToInstall(async () => {
    const [server, types] = await Promise.all([
      import("@modelcontextprotocol/sdk/server/index.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
    return { ...server, ...types };
  });
}

export function loadStdio() {
  return orWhatToInstall(() => import("@modelcontextprotocol/sdk/server/stdio.js"));
}

export function loadStreamableHttp() {
  return orWhatToInstall(() => import("@modelcontextprotocol/sdk/server/streamableHttp.js"));
}

/** The server that a host in this process connects. */
export function loadMcpServer() {
  return orWhatToInstall(() => import("@modelcontextprotocol/sdk/server/mcp.js"));
}

async function orWhatToInstall<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    throw new Error("an MCP server needs a package that is not installed: npm install @modelcontextprotocol/sdk", {
      cause,
    });
  }
}
