/** This file has the tools of a scratchpad in the words of the Model Context Protocol. */
import { given } from "../options.ts";
import type { Tool } from "../tool/tool.ts";
import { wrongParams } from "./mcp-faults.ts";
import { loadMcpServer, loadSdk, type ProtocolServer, type Sdk } from "./mcp-sdk.ts";
import type { ToolReply } from "./tool-call.ts";

/** This is the `_meta` of a call. */
export type CallMeta = Readonly<Record<string, unknown>>;

export type CallByName = (toolName: string, input: unknown, meta: CallMeta) => Promise<ToolReply>;

/** `tools` are those to list; calls of them go to `call`, under their own names. */
export function answerTools(sdk: Sdk, server: ProtocolServer, tools: readonly Tool[], call: CallByName): void {
  server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({ tools: tools.map(toolShape) }));
  server.setRequestHandler(sdk.CallToolRequestSchema, async ({ params: { name, arguments: input, _meta } }) =>
    resultOf(await call(toolNamed(sdk, tools, name).name, input, _meta ?? {})),
  );
}

export interface ToolServerOptions {
  /** The instructions are shown to the model beside the tools. */
  readonly instructions?: string;
  readonly version?: string;
}

/** The server has tools alone. A host in this process connects it. */
export async function toolServer(
  tools: readonly Tool[],
  call: CallByName,
  { instructions, version = "0" }: ToolServerOptions = {},
) {
  const [sdk, { McpServer }] = await Promise.all([loadSdk(), loadMcpServer()]);
  const mcp = new McpServer(
    { name: "session-journal", title: "Session journal", version },
    { capabilities: { tools: {} }, ...given({ instructions }) },
  );
  answerTools(sdk, mcp.server, tools, call);
  return mcp;
}

function toolNamed(sdk: Sdk, tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((one) => one.name === name || one.aliases.includes(name));
  if (tool !== undefined) return tool;
  const names = tools.map((one) => one.name).join(", ") || "none";
  throw wrongParams(sdk, `unknown tool ${name}: there is ${names}`);
}

function toolShape({ name, description, inputSchema, outputSchema, readsOnly }: Tool) {
  const title = titleOf(name);
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema, required: [...inputSchema.required], additionalProperties: false },
    outputSchema: { ...outputSchema, required: [...outputSchema.required] },
    annotations: {
      title,
      readOnlyHint: readsOnly,
      destructiveHint: !readsOnly,
      idempotentHint: readsOnly,
      openWorldHint: false,
    },
    // Claude Code leaves tools of a server out of the first message unless it is asked not to.
    _meta: { "anthropic/alwaysLoad": true },
  };
}

/** The title of `scratchpad_read` is "Scratchpad read". */
function titleOf(name: string): string {
  const words = name.replaceAll(/[_.]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The protocol wants the text as a part of its own. */
function resultOf({ text, output, isError }: ToolReply) {
  return { content: [{ type: "text" as const, text }], ...(output && { structuredContent: output }), isError };
}
