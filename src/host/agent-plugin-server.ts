/** This is the MCP server of a plugin: each call goes to the scratchpad that the hooks named for its conversation. */

import { dirname } from "node:path";
import type { Journal } from "../journal/public.ts";
import { makeFolders } from "../make-folders.ts";
import { given } from "../options.ts";
import { configFromEnvironment } from "../prompt/config.ts";
import type { Tool } from "../tool/tool.ts";
import { type Environment, fileWithoutHook, type OpenScratchpad, rememberedFile, setting } from "./agent-plugin.ts";
import { type McpOptions, serveSource } from "./mcp.ts";
import type { CallMeta } from "./mcp-tools.ts";
import { toolsOnRequest } from "./mcp-views.ts";
import { callTool, named } from "./tool-call.ts";

export interface PluginServer extends Pick<McpOptions, "input" | "output" | "version"> {
  readonly env: Environment;
  /** This is the process of the client, to which the hooks belong, too. */
  readonly clientPid: number;
}

interface Scratchpad {
  readonly journal: Journal;
  readonly tools: readonly Tool[];
}

/** The server answers until the client hangs up. A wrong setting throws a TypeError. */
export async function servePlugin(open: OpenScratchpad, server: PluginServer): Promise<void> {
  const { env, clientPid, version, ...streams } = server;
  const config = configFromEnvironment(env);
  const opened = new Map<string, Promise<Scratchpad>>();
  let asked: string | undefined;

  const of = (meta: CallMeta = {}): Promise<Scratchpad> => {
    asked = sessionOf(meta) ?? asked;
    const file = scratchpadOf(env, asked, clientPid);
    const known = opened.get(file);
    if (known !== undefined) return known;
    makeFolders(dirname(file), 0o700);
    const opening = open(file, config).then((journal) => ({ journal, tools: toolsOnRequest(journal, config) }));
    opened.set(file, opening);
    opening.catch(() => opened.delete(file));
    return opening;
  };

  const source = {
    config,
    ...given({ version }),
    send: "every-message" as const,
    open: async (meta?: CallMeta) => (await of(meta)).journal,
    call: async (name: string, input: unknown, meta: CallMeta) => {
      const { tools } = await of(meta);
      const command = meta["claudecode/toolUseId"] ?? meta["callId"];
      return callTool(named(tools, name), input, typeof command === "string" ? { command } : {});
    },
  };
  await serveSource(source, streams);
  for (const scratchpad of opened.values()) await (await scratchpad.catch(() => undefined))?.journal.close();
}

/** Codex says with each call whose it is. */
function sessionOf({ sessionId }: CallMeta): string | undefined {
  return typeof sessionId === "string" ? sessionId : undefined;
}

function scratchpadOf(env: Environment, asked: string | undefined, clientPid: number): string {
  const remembered = rememberedFile(env, asked ?? String(clientPid));
  if (remembered !== undefined) return remembered;
  const session = asked ?? setting(env, "CLAUDE_CODE_SESSION_ID");
  if (session !== undefined) return fileWithoutHook(env, session);
  throw new TypeError("the client does not say which conversation this is: let the hooks of the plugin run");
}
