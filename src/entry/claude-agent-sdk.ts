/**
 * This entry point makes the tools and hooks of a scratchpad for the Claude Agent SDK.
 *
 * @module session-journal/claude-agent-sdk
 */

import { type ClaudeOptions, type ClaudeScratchpad, claudeScratchpadWith } from "../host/claude-agent-sdk.ts";
import { parseName } from "../journal/options.ts";
import { openJournal } from "../open/open-journal.ts";
import { mirrorOf } from "../open/open-options.ts";
import { given, requireOptions } from "../options.ts";

export type {
  ClaudeHookInput,
  ClaudeHookOutput,
  ClaudeMatcher,
  ClaudeOptions,
  ClaudeScratchpad,
  ShowingEvent,
} from "../host/claude-agent-sdk.ts";

/**
 * Makes a scratchpad for queries of the Claude Agent SDK. It needs `@modelcontextprotocol/sdk`, as the SDK itself does.
 *
 * @param options The folder of the journals, and the configuration.
 * @throws TypeError for a wrong option or configuration.
 * @example
 * import { query } from "@anthropic-ai/claude-agent-sdk";
 *
 * const scratchpad = await claudeScratchpad({ folder: "journals" });
 * query({ prompt: "Plan the release.", options: scratchpad.options });
 */
export async function claudeScratchpad(
  options: ClaudeOptions & { readonly actor?: string },
): Promise<ClaudeScratchpad> {
  requireOptions(options, "folder", "config", "actor");
  const { actor, ...more } = options;
  if (actor !== undefined) parseName("actor", actor);
  return claudeScratchpadWith(
    (file, config) => openJournal(file, { limits: config.limits, mirror: mirrorOf(config), ...given({ actor }) }),
    more,
  );
}
