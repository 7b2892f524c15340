/** This file makes function tools of the OpenAI Agents SDK. */
import { requireOption } from "../options.ts";
import { parseConfig } from "../prompt/config.ts";
import { requireToolParts, type ToolJournal, type ToolOptions } from "../tool/tool.ts";
import { toolsFor } from "../tool/tools.ts";
import { callTool } from "./tool-call.ts";

/** These are the options of {@link agentTools}. */
export interface AgentToolsOptions<Made> extends ToolOptions {
  /** This is the SDK's own `tool`. */
  readonly tool: (options: AgentToolOptions) => Made;
  /** This is a configuration as `parseConfig` takes it. The budgets in force are the journal's. */
  readonly config?: unknown;
}

/** These are the options of the SDK's own `tool`. */
export interface AgentToolOptions {
  name: string;
  description: string;
  parameters: {
    type: "object";
    properties: Record<string, object>;
    required: string[];
    additionalProperties: true;
  };
  strict: false;
  execute(input: unknown, context?: unknown, details?: AgentCall): Promise<string>;
}

/** This is what the OpenAI Agents SDK says of a call. */
export interface AgentCall {
  readonly toolCall?: { readonly callId: string };
}

/**
 * Makes the tools of the configured face for the OpenAI Agents SDK. A refusal is an answer that the model reads. The id of a
 * call makes it harmless to repeat the call.
 *
 * @param journal The journal that the tools write to.
 * @param options The SDK's own `tool`, and the configuration.
 * @throws TypeError for a wrong option or configuration.
 * @example
 * import { Agent, tool } from "@openai/agents";
 *
 * const agent = new Agent({ name: "Agent", tools: agentTools(journal, { tool }) });
 */
export function agentTools<Made>(journal: ToolJournal, options: AgentToolsOptions<Made>): Made[] {
  requireToolParts(journal, options, "tool", "config");
  const { config, actor, source } = options;
  requireOption(typeof options.tool === "function", options.tool, "tool", "the function of that name in the SDK");
  const tools = toolsFor(journal, parseConfig(config), { actor, source });
  return tools.map((tool) => {
    const { name, description, inputSchema } = tool;
    return options.tool({
      name,
      description,
      parameters: {
        type: "object",
        properties: { ...inputSchema.properties },
        required: [...inputSchema.required],
        additionalProperties: true,
      },
      strict: false,
      execute: async (input, _context, details) => {
        const command = details?.toolCall?.callId;
        return (await callTool(tool, input, command === undefined ? {} : { command })).text;
      },
    });
  });
}
