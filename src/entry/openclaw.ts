/**
 * This entry point is the plugin that OpenClaw loads. `openclaw.plugin.json` and `package.json` name it.
 *
 * @module session-journal/openclaw
 */

import { type OpenClawApi, registerOpenClaw } from "../host/openclaw.ts";
import { openJournal } from "../open/open-journal.ts";
import { mirrorOf } from "../open/open-options.ts";
import { given } from "../options.ts";

export type {
  OpenClawApi,
  OpenClawContext,
  OpenClawHandler,
  OpenClawPrompt,
  OpenClawPromptParts,
  OpenClawTool,
} from "../host/openclaw.ts";

/** `register` throws a TypeError for a wrong configuration. */
export interface OpenClawPlugin {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  register(api: OpenClawApi): void;
}

const plugin: OpenClawPlugin = {
  id: "session-journal",
  name: "Session journal",
  description: "A scratchpad that survives compaction, kept as a journal of events.",
  register: (api) =>
    registerOpenClaw(api, (file, config, actor) =>
      openJournal(file, { limits: config.limits, mirror: mirrorOf(config), ...given({ actor }) }),
    ),
};

export default plugin;
