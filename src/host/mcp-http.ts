/** This file serves Streamable HTTP on the loopback address: there is one server of the protocol for each client that says hello. */
import { randomBytes, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { requireOption } from "../options.ts";
import { isToken, listenOnLoopback, strangeName } from "./loopback.ts";
import { loadStreamableHttp, type ProtocolTransport } from "./mcp-sdk.ts";

/** These are the options of serving over HTTP. */
export interface HttpOptions {
  /** The default is 0, which takes a free port. */
  readonly port?: number;
  /** This is the token that a client must send, of at least 16 characters. The default is a random one. */
  readonly token?: string;
}

/** This is a server that runs. */
export interface HttpServing {
  /** This is the address to which clients connect: `http://127.0.0.1:<port>/mcp`. */
  readonly url: string;
  readonly token: string;
  /** Hangs up on all clients, and ends. */
  close(): Promise<void>;
}

const path = "/mcp";
/** Clients that left without a word are forgotten once there are more, the longest silent first. */
const clientsMax = 64;
const tokenCharsMin = 16;
export const tokenRule = `at least ${tokenCharsMin} visible ASCII characters, without a space`;

export function mayBeToken(token: unknown): token is string {
  return typeof token === "string" && token.length >= tokenCharsMin && /^[\x21-\x7e]+$/.test(token);
}

/** `serve` answers a client until its transport is closed. */
export async function serveOverHttp(
  { port = 0, token = randomBytes(32).toString("base64url") }: HttpOptions,
  serve: (transport: ProtocolTransport) => Promise<void>,
): Promise<HttpServing> {
  const isPort = Number.isSafeInteger(port) && port >= 0 && port <= 65_535;
  requireOption(isPort, port, "port", "a whole number from 0 to 65535");
  if (!mayBeToken(token)) throw new TypeError(`token must be ${tokenRule}`);
  const [{ createServer }, clients] = [await import("node:http"), await clientsOf(serve)];
  const server = createServer((request, response) => {
    const refusal = refusalOf(request, token);
    if (refusal !== undefined) return refuse(response, refusal);
    void clients.answer(request, response).catch(() => refuse(response, { status: 500, message: "internal error" }));
  });
  const listening = await listenOnLoopback(server, port);
  return {
    url: `http://127.0.0.1:${listening.port}${path}`,
    token,
    close: async () => {
      await clients.close();
      await listening.close();
    },
  };
}

interface Refusal {
  readonly status: number;
  readonly message: string;
}

function refusalOf(request: IncomingMessage, token: string): Refusal | undefined {
  const { headers, url = "" } = request;
  const strange = strangeName(request);
  if (strange !== undefined) return { status: 403, message: strange };
  const [, shown = ""] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? "") ?? [];
  if (!isToken(shown, token)) {
    return { status: 401, message: "show the token: Authorization: Bearer <token>" };
  }
  if (url.split("?", 1)[0] !== path) return { status: 404, message: `nothing is served here: use ${path}` };
  return undefined;
}

function refuse(response: ServerResponse, { status, message }: Refusal): void {
  if (response.headersSent) return void response.end();
  const headers = { "content-type": "application/json", ...(status === 401 && { "www-authenticate": "Bearer" }) };
  response.writeHead(status, headers);
  response.end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }));
}

async function clientsOf(serve: (transport: ProtocolTransport) => Promise<void>) {
  const { StreamableHTTPServerTransport } = await loadStreamableHttp();
  type HttpTransport = InstanceType<typeof StreamableHTTPServerTransport>;
  /** By the id of the protocol's session; the one that was heard of last is the last. */
  const known = new Map<string, HttpTransport>();

  const accept = (): HttpTransport => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => {
        known.set(id, transport);
      },
    });
    // Its accessors are typed as ones that may be undefined, which the interface leaves out.
    void serve(transport as ProtocolTransport).then(() => {
      if (transport.sessionId !== undefined) known.delete(transport.sessionId);
    });
    return transport;
  };

  return {
    async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const id = request.headers["mcp-session-id"];
      const name = typeof id === "string" ? id : "";
      const transport = known.get(name);
      if (id !== undefined && transport === undefined) {
        return refuse(response, { status: 404, message: "this session has ended: initialize again" });
      }
      if (transport !== undefined) {
        known.delete(name);
        known.set(name, transport);
        return transport.handleRequest(request, response);
      }
      const fresh = accept();
      await fresh.handleRequest(request, response);
      const [oldest] = known.values();
      // It was no hello, or one too many.
      if (fresh.sessionId === undefined) await fresh.close();
      else if (known.size > clientsMax) await oldest?.close();
    },
    async close(): Promise<void> {
      for (const transport of [...known.values()]) await transport.close();
    },
  };
}
