/** Tools of the Vercel AI SDK, by name, as `generateText`, `streamText` and its agents take them. */
import type { ObjectSchema } from "../event/json-schema.ts";
import { requireOption } from "../options.ts";
import { parseConfig } from "../prompt/config.ts";
import { requireToolParts, type ToolJournal, type ToolOptions } from "../tool/tool.ts";
import { toolsFor } from "../tool/tools.ts";
import { callTool } from "./tool-call.ts";

/** These are the options of {@link aiTools}. */
export interface AiToolsOptions<Schema> extends ToolOptions {
  /** The SDK's own `jsonSchema`, which marks a JSON Schema as one. */
  readonly jsonSchema: (schema: { type: "object"; properties: Record<string, object>; required: string[] }) => Schema;
  /** This is a configuration as `parseConfig` takes it. The budgets in force are the journal's. */
  readonly config?: unknown;
}

/** This is a tool as the Vercel AI SDK takes it. */
export interface AiTool<Schema> {
  readonly description: string;
  readonly inputSchema: Schema;
  execute(input: unknown, options: { readonly toolCallId: string }): Promise<string>;
}

/**
 * Makes the tools of the configured face for the Vercel AI SDK, by name. A refusal is an answer that the model reads. The id
 * of a call makes it harmless to repeat the call.
 *
 * @param journal The journal that the tools write to.
 * @param options The SDK's own `jsonSchema`, and the configuration.
 * @throws TypeError for a wrong option or configuration.
 * @example
 * import { generateText, jsonSchema } from "ai";
 *
 * const { text } = await generateText({ model, prompt: "Plan the release.", tools: aiTools(journal, { jsonSchema }) });
 */
export function aiTools<Schema>(journal: ToolJournal, options: AiToolsOptions<Schema>): Record<string, AiTool<Schema>> {
  requireToolParts(journal, options, "jsonSchema", "config");
  const { config, actor, source, jsonSchema } = options;
  requireOption(typeof jsonSchema === "function", jsonSchema, "jsonSchema", "the function of that name in the SDK");
  const tools = toolsFor(journal, parseConfig(config), { actor, source });
  const offered: Record<string, AiTool<Schema>> = {};
  for (const tool of tools) {
    const aiTool: AiTool<Schema> = {
      description: tool.description,
      inputSchema: jsonSchema(mutable(tool.inputSchema)),
      execute: async (input, { toolCallId }) => (await callTool(tool, input, { command: toolCallId })).text,
    };
    offered[tool.name] = aiTool;
    // Not listed, so that the SDK does not offer it twice; a call under that name is taken all the same.
    for (const alias of tool.aliases) Object.defineProperty(offered, alias, { value: aiTool, enumerable: false });
  }
  return offered;
}

function mutable({ properties, required, ...rest }: ObjectSchema) {
  return { ...rest, properties: { ...properties }, required: [...required] };
}
