/** `session-journal/pi`: an extension of the pi coding agent. */
import { type PiExtension, type PiOptions, piExtension } from "../host/pi.ts";
import { openJournal } from "../open.ts";
import { mirrorOf } from "../open-options.ts";
import { type HostSessionOptions, hostSessionStore } from "../store/host-session.ts";

export type { PiApi, PiContext, PiExtension, PiMessage, PiOptions, PiSession, PiTool } from "../host/pi.ts";

/** `store`: how the journal is kept in pi's session file, such as `{ fold: "branch" }`. */
export interface PiExtensionOptions extends PiOptions {
  readonly actor?: string;
  readonly store?: HostSessionOptions;
}

/** `export default scratchpadExtension()` in a file that pi loads is all it takes. Throws a TypeError for a wrong option. */
export function scratchpadExtension({ actor, store, ...options }: PiExtensionOptions = {}): PiExtension {
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
      ...(actor === undefined ? {} : { actor }),
    });
    return { journal, store: journalStore };
  }, options);
}
