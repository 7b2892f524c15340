/**
 * This entry point is an extension of the pi coding agent.
 *
 * @module session-journal/pi
 */

import { type PiExtension, type PiOptions, piExtension } from "../host/pi.ts";
import type { PiApi } from "../host/pi-api.ts";
import { parseName } from "../journal/options.ts";
import { openJournal } from "../open/open-journal.ts";
import { mirrorOf } from "../open/open-options.ts";
import { given } from "../options.ts";
import { configFromEnvironment } from "../prompt/config.ts";
import { type HostSessionOptions, hostSessionStore } from "../store/host/host-session-store.ts";

export type { PiExtension, PiOptions } from "../host/pi.ts";
export type {
  PiApi,
  PiColor,
  PiCommand,
  PiCompaction,
  PiComponent,
  PiContext,
  PiEntry,
  PiHandler,
  PiMessage,
  PiMessages,
  PiPrompt,
  PiSession,
  PiTheme,
  PiTool,
  PiToolResult,
  PiUi,
} from "../host/pi-api.ts";

/** `store` says how the journal is kept in pi's session file, for example `{ fold: "branch" }`. */
export interface PiExtensionOptions extends PiOptions {
  readonly actor?: string;
  readonly store?: HostSessionOptions;
}

/**
 * `pi install` loads this extension. Variables of the environment that begin with `SESSION_SCRATCHPAD_` configure it.
 *
 * @param pi The interface that pi hands to its extensions.
 * @throws TypeError for a variable with a wrong name or value.
 * @example
 * export { default } from "session-journal/pi";
 */
export default function installedScratchpad(pi: PiApi): void {
  scratchpadExtension({ config: configFromEnvironment(process.env) })(pi);
}

/**
 * Makes an extension of the pi coding agent. A file that pi loads needs nothing but this as its default export.
 *
 * @param options The configuration, and when to warn before a compaction.
 * @throws TypeError for a wrong option.
 * @example
 * export default scratchpadExtension({ config: { face: "notepad" } });
 */
export function scratchpadExtension({ actor, store, ...options }: PiExtensionOptions = {}): PiExtension {
  if (actor !== undefined) parseName("actor", actor);
  return piExtension(async (pi, session, config) => {
    const journalStore = hostSessionStore(
      {
        append: (customType, data) => pi.appendEntry(customType, data),
        entries: () => session.getEntries(),
        leafId: () => session.getLeafId(),
        get sessionId() {
          return session.getSessionId();
        },
        file: session.getSessionFile(),
      },
      { mirror: mirrorOf(config), ...store },
    );
    const journal = await openJournal(journalStore, {
      limits: config.limits,
      ...given({ actor }),
    });
    return { journal, store: journalStore };
  }, options);
}
