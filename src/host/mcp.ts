/**
 * A Model Context Protocol server on standard input and output: the tools of a face, the state as a resource that
 * tells of its changes, and the block as a prompt. `@modelcontextprotocol/sdk` is loaded when a server is started.
 */
import type { Readable, Writable } from "node:stream";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { requireOptions } from "../errors.ts";
import type { Face } from "../prompt/block.ts";
import { parseConfig, type ScratchpadConfig } from "../prompt/config.ts";
import { renderGuidance } from "../prompt/guidance.ts";
import type { Tool, ToolJournal } from "../tool/tool.ts";
import { renderOnRequest, toolsOnRequest } from "./mcp-views.ts";
import { callTool, type ToolReply } from "./tool-call.ts";

export interface McpJournal extends ToolJournal {
  readonly turn: number;
  /** Calls `listener` after each change, of other processes too, and answers how to stop. */
  onChange(listener: () => void): () => void;
}

export interface McpOptions {
  /** As `parseConfig` takes it; the budgets in force are the journal's. */
  readonly config?: unknown;
  /** Who writes. Default: the journal's own actor. */
  readonly actor?: string;
  /** What the server calls its version. */
  readonly version?: string;
  /** Default `process.stdin` and `process.stdout`. */
  readonly input?: Readable;
  readonly output?: Writable;
}

/** The resource that holds version, turn and state as JSON. */
export const stateUri = "session-journal://state";

const promptName = "scratchpad";

/** Serves until the client hangs up. The journal stays open. Throws a TypeError for a wrong configuration. */
export async function serveMcp(journal: McpJournal, options: McpOptions = {}): Promise<void> {
  requireOptions(options, "config", "actor", "version", "input", "output");
  const { input = process.stdin, output = process.stdout, actor } = options;
  const config = parseConfig(options.config);
  const tools = toolsOnRequest(journal, config, actor === undefined ? {} : { actor });
  const sdk = await loadSdk();
  const server = newServer(sdk, journal, config, options.version);
  answerTools(sdk, server, tools);
  answerResources(sdk, server, journal);
  const stopTelling = tellChanges(sdk, server, journal);
  if (config.enabled) answerPrompts(sdk, server, journal, config.face);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  input.once("end", () => void server.close());
  await server.connect(new sdk.StdioServerTransport(input, output));
  await closed;
  stopTelling();
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

async function loadSdk() {
  try {
    const [server, stdio, types] = await Promise.all([
      import("@modelcontextprotocol/sdk/server/index.js"),
      import("@modelcontextprotocol/sdk/server/stdio.js"),
      import("@modelcontextprotocol/sdk/types.js"),
    ]);
    return { ...server, ...stdio, ...types };
  } catch (cause) {
    throw new Error("an MCP server needs a package that is not installed: npm install @modelcontextprotocol/sdk", {
      cause,
    });
  }
}

function newServer({ Server }: Sdk, { limits }: McpJournal, config: ScratchpadConfig, version = "0"): Server {
  const { enabled } = config;
  return new Server(
    { name: "session-journal", version },
    {
      capabilities: {
        tools: {},
        resources: { subscribe: true },
        ...(enabled && { prompts: {} }),
      },
      ...(enabled && { instructions: renderGuidance({ ...config, limits, nudges: {}, send: "on-request" }) }),
    },
  );
}

function answerTools(sdk: Sdk, server: Server, tools: readonly Tool[]): void {
  server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({ tools: tools.map(toolShape) }));
  server.setRequestHandler(sdk.CallToolRequestSchema, async ({ params: { name, arguments: input } }) =>
    resultOf(await callTool(toolNamed(sdk, tools, name), input)),
  );
}

function toolNamed({ McpError, ErrorCode }: Sdk, tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((one) => one.name === name || one.aliases.includes(name));
  if (tool !== undefined) return tool;
  const names = tools.map((one) => one.name).join(", ") || "none";
  throw new McpError(ErrorCode.InvalidParams, `unknown tool ${name}: there is ${names}`);
}

function toolShape({ name, description, inputSchema, outputSchema, readsOnly }: Tool) {
  return {
    name,
    description,
    inputSchema: { ...inputSchema, required: [...inputSchema.required] },
    outputSchema: { ...outputSchema, required: [...outputSchema.required] },
    annotations: { readOnlyHint: readsOnly, destructiveHint: !readsOnly, openWorldHint: false },
  };
}

/** With the text as a part of its own: what the protocol calls a result. */
function resultOf({ text, output, isError }: ToolReply) {
  return { content: [{ type: "text" as const, text }], ...(output && { structuredContent: output }), isError };
}

export interface ToolServerOptions {
  /** Shown to the model beside the tools. */
  readonly instructions?: string;
  readonly version?: string;
  /** What each tool carries for the host that lists it. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A server of tools alone, which a host in this process connects. `meta` of a call is the protocol's `_meta`. */
export async function toolServer(
  tools: readonly Tool[],
  call: (toolName: string, input: unknown, meta: Readonly<Record<string, unknown>>) => Promise<ToolReply>,
  { instructions, version = "0", meta = {} }: ToolServerOptions = {},
) {
  const [sdk, { McpServer }] = await Promise.all([loadSdk(), import("@modelcontextprotocol/sdk/server/mcp.js")]);
  const mcp = new McpServer(
    { name: "session-journal", version },
    { capabilities: { tools: {} }, ...(instructions === undefined ? {} : { instructions }) },
  );
  mcp.server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({
    tools: tools.map((tool) => ({ ...toolShape(tool), _meta: meta })),
  }));
  mcp.server.setRequestHandler(sdk.CallToolRequestSchema, async ({ params: { name, arguments: input, _meta } }) =>
    resultOf(await call(toolNamed(sdk, tools, name).name, input, _meta ?? {})),
  );
  return mcp;
}

function answerResources(sdk: Sdk, server: Server, journal: McpJournal): void {
  server.setRequestHandler(sdk.ListResourcesRequestSchema, () => ({ resources: [stateResource] }));
  server.setRequestHandler(sdk.ReadResourceRequestSchema, async ({ params: { uri } }) => {
    mustBeState(sdk, uri);
    await journal.refresh();
    const { version, turn, state } = journal;
    return { contents: [{ uri, mimeType: stateResource.mimeType, text: JSON.stringify({ version, turn, state }) }] };
  });
}

const stateResource = {
  uri: stateUri,
  name: "state",
  description: "Version, turn and state of the session's scratchpad, as JSON.",
  mimeType: "application/json",
};

/** Tells a client that asked for it of every change; answers how to stop. */
function tellChanges(sdk: Sdk, server: Server, journal: McpJournal): () => void {
  let stop: (() => void) | undefined;
  const tell = (): void => {
    // A client that has hung up misses nothing.
    server.sendResourceUpdated({ uri: stateUri }).catch(() => undefined);
  };
  const stopTelling = (): void => {
    stop?.();
    stop = undefined;
  };
  server.setRequestHandler(sdk.SubscribeRequestSchema, ({ params: { uri } }) => {
    mustBeState(sdk, uri);
    stop ??= journal.onChange(tell);
    return {};
  });
  server.setRequestHandler(sdk.UnsubscribeRequestSchema, () => {
    stopTelling();
    return {};
  });
  return stopTelling;
}

function mustBeState({ McpError, ErrorCode }: Sdk, uri: string): void {
  if (uri !== stateUri) throw new McpError(ErrorCode.InvalidParams, `unknown resource ${uri}: there is ${stateUri}`);
}

function answerPrompts(sdk: Sdk, server: Server, journal: McpJournal, face: Face): void {
  const prompt = { name: promptName, description: "What the session's scratchpad holds, to go before a message." };
  server.setRequestHandler(sdk.ListPromptsRequestSchema, () => ({ prompts: [prompt] }));
  server.setRequestHandler(sdk.GetPromptRequestSchema, async ({ params: { name } }) => {
    if (name !== promptName) {
      throw new sdk.McpError(sdk.ErrorCode.InvalidParams, `unknown prompt ${name}: use ${promptName}`);
    }
    await journal.refresh();
    const text = renderOnRequest(journal.state, face);
    return { description: prompt.description, messages: [{ role: "user", content: { type: "text", text } }] };
  });
}
