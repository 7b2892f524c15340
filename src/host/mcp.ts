/**
 * This is a Model Context Protocol server: it has the tools of a face, what a scratchpad holds as resources, and the block as a prompt.
 * `@modelcontextprotocol/sdk` is loaded when a server is started.
 */
import type { Readable, Writable } from "node:stream";
import { requireOptions } from "../options.ts";
import { parseConfig, type ScratchpadConfig } from "../prompt/config.ts";
import { renderGuidance } from "../prompt/guidance.ts";
import { requireToolParts } from "../tool/tool.ts";
import { tellWrongParams, wrongParams } from "./mcp-faults.ts";
import { type HttpOptions, type HttpServing, serveOverHttp } from "./mcp-http.ts";
import { answerResources, blockUri, tellChanges } from "./mcp-resources.ts";
import { loadSdk, loadStdio, type ProtocolServer, type ProtocolTransport, type Sdk } from "./mcp-sdk.ts";
import { answerTools, type CallMeta } from "./mcp-tools.ts";
import { listOnRequest, type McpJournal, shownOnRequest, toolsOnRequest } from "./mcp-views.ts";
import { callTool, named, type ToolReply } from "./tool-call.ts";

/** These are the settings that both ways of serving share. */
export interface McpSettings {
  /** This is a configuration as `parseConfig` takes it. The budgets in force are the journal's. */
  readonly config?: unknown;
  /** This is the name under which changes are recorded. The default is the journal's own actor. */
  readonly actor?: string;
  /** This is what the server calls its version. */
  readonly version?: string;
}

/** These are the options of {@link serveMcp}. */
export interface McpOptions extends McpSettings {
  /** The defaults are `process.stdin` and `process.stdout`. */
  readonly input?: Readable;
  readonly output?: Writable;
}

/** These are the options of {@link serveMcpHttp}. */
export interface McpHttpOptions extends McpSettings, HttpOptions {}

/** The journals of a server come from this. */
export interface McpSource {
  readonly config: ScratchpadConfig;
  readonly version?: string;
  /** This says how the host shows the block. It is "on-request" if the host does not. */
  readonly send: "on-request" | ScratchpadConfig["send"];
  /** That of the conversation that asks; without `meta`, of the one that called last. */
  open(meta?: CallMeta): Promise<McpJournal>;
  call(toolName: string, input: unknown, meta: CallMeta): Promise<ToolReply>;
}

/**
 * Serves a scratchpad to an MCP client on standard input and output until the client hangs up. The journal stays open.
 *
 * @param journal The journal that is served.
 * @param options The configuration, the actor, and other streams than the standard ones.
 * @throws TypeError for a wrong configuration.
 * @example
 * await serveMcp(await openJournal("session.jsonl"));
 */
export async function serveMcp(journal: McpJournal, options: McpOptions = {}): Promise<void> {
  requireOptions(options, "config", "actor", "version", "input", "output");
  await serveSource(sourceOf(journal, options), options);
}

/** This serves any source in the same way. */
export async function serveSource(
  source: McpSource,
  { input = process.stdin, output = process.stdout }: Pick<McpOptions, "input" | "output"> = {},
): Promise<void> {
  const { StdioServerTransport } = await loadStdio();
  const transport = new StdioServerTransport(input, output);
  closeOnceAnswered(transport, input);
  closeOnceUnheard(transport, output);
  answerMalformed(transport, output);
  await serveOn(await loadSdk(), source, transport);
}

/** Nothing says which request it was (JSON-RPC 2.0, section 5.1). */
function answerMalformed(transport: ProtocolTransport, output: Writable): void {
  transport.onerror = (error) => {
    const problem = problemOf(error);
    if (problem !== undefined) output.write(`${JSON.stringify({ jsonrpc: "2.0", id: null, error: problem })}\n`);
  };
}

/** The result is undefined for what is no fault of a message. */
function problemOf(error: Error): { readonly code: number; readonly message: string } | undefined {
  if (error instanceof SyntaxError)
    return { code: -32700, message: `Parse error: this line is no JSON (${error.message})` };
  if (error.name === "ZodError")
    return { code: -32600, message: "Invalid Request: this line is no message of JSON-RPC 2.0" };
  // The SDK hangs up, for it cannot know where the next message begins.
  if (/maximum size/.test(error.message))
    return { code: -32600, message: "Invalid Request: a message may have 10 MB, and this server ends" };
  return undefined;
}

/** A client that writes its requests and hangs up gets every answer first. */
function closeOnceAnswered(transport: ProtocolTransport, input: Readable): void {
  const unanswered = new Set<unknown>();
  let hasEnded = false;
  const settle = (id?: unknown) => {
    unanswered.delete(id);
    if (hasEnded && unanswered.size === 0) void transport.close();
  };
  transport.onmessage = (message) => {
    if (!("method" in message)) return;
    if ("id" in message) unanswered.add(message.id);
    else if (message.method === "notifications/cancelled") settle(message.params?.["requestId"]);
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    await send(message, options);
    if (!("method" in message)) settle(message.id);
  };
  // A stream that breaks, such as a socket, closes without an end.
  for (const event of ["end", "close"]) {
    input.once(event, () => {
      hasEnded = true;
      settle();
    });
  }
}

/** What the client asked for before it stopped to listen is done all the same. */
function closeOnceUnheard(transport: ProtocolTransport, output: Writable): void {
  const close = () => void transport.close();
  // It stays: that a write failed may be heard of only later, and an error that nobody listens to ends the process.
  output.on("error", close);
  output.once("close", close);
}

/**
 * Serves a scratchpad over Streamable HTTP on 127.0.0.1, at `/mcp`, to clients that send the token. The journal stays open.
 *
 * @param journal The journal that is served.
 * @param options The configuration, the actor, the port and the token.
 * @throws TypeError for a wrong option or configuration, and the system's error if the port is taken.
 * @example
 * const { url, token, close } = await serveMcpHttp(journal, { port: 0 });
 */
export async function serveMcpHttp(journal: McpJournal, options: McpHttpOptions = {}): Promise<HttpServing> {
  requireOptions(options, "config", "actor", "version", "port", "token");
  const source = sourceOf(journal, options);
  const sdk = await loadSdk();
  return serveOverHttp(options, (transport) => serveOn(sdk, source, transport));
}

function sourceOf(journal: McpJournal, { config: given, actor, version }: McpSettings): McpSource {
  requireToolParts(journal, {});
  const config = { ...parseConfig(given), limits: journal.limits };
  const tools = toolsOnRequest(journal, config, actor === undefined ? {} : { actor });
  return {
    config,
    ...(version === undefined ? {} : { version }),
    send: "on-request",
    open: async () => journal,
    call: async (name, input) => callTool(named(tools, name), input),
  };
}

/** Serves until the transport is closed. */
async function serveOn(sdk: Sdk, source: McpSource, transport: ProtocolTransport): Promise<void> {
  const { config } = source;
  const server = newServer(sdk, source);
  answerTools(sdk, server, listOnRequest(config), source.call);
  answerResources(sdk, server, source.open, config);
  const stopTelling = tellChanges(sdk, server, source.open);
  if (config.enabled) answerPrompts(sdk, server, source.open, config);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  tellWrongParams(sdk, transport);
  await server.connect(transport);
  await closed;
  stopTelling();
}

function newServer({ Server }: Sdk, { config, version = "0", send }: McpSource): ProtocolServer {
  const { enabled } = config;
  return new Server(
    { name: "session-journal", title: "Session journal", version },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true },
        ...(enabled && { prompts: {} }),
      },
      ...(enabled && { instructions: `${summary}\n\n${renderGuidance({ ...config, nudges: {}, send })}` }),
    },
  );
}

/** Codex shows the first line alone until its model searches for tools. */
const summary = "Your working memory for this session, which survives context compaction.";

const prompt = {
  name: "scratchpad",
  title: "Session scratchpad",
  description: `What the session's scratchpad holds, to go before a message; also at ${blockUri}.`,
};

function answerPrompts(sdk: Sdk, server: ProtocolServer, open: McpSource["open"], config: ScratchpadConfig): void {
  server.setRequestHandler(sdk.ListPromptsRequestSchema, () => ({ prompts: [prompt] }));
  server.setRequestHandler(sdk.GetPromptRequestSchema, async ({ params: { name } }) => {
    if (name !== prompt.name) {
      throw wrongParams(sdk, `unknown prompt ${name}: use ${prompt.name}`);
    }
    const journal = await open();
    await journal.refresh();
    const text = await shownOnRequest(journal, config, "prompt");
    return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text } }] };
  });
}
