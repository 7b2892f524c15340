import path from "node:path";
import { takeLock } from "../store/session-file/lock.ts";
import { defaultLock } from "../store/session-file/session-file-options.ts";
import { sidePaths } from "../store/session-file/session-path.ts";
import { Pad } from "../workspace/pad.ts";
import type { Guard } from "../workspace/pad-mirror.ts";
import { openJournal } from "./open-journal.ts";
import { type OpenOptions, parseOpenOptions } from "./open-options.ts";

/** Longer than any reading of a folder that is not stuck. */
const lockWaitMs = 2000;

/**
 * Opens the pad of entries in a folder, and creates it if there is none: one journal, `journal.jsonl`, for all sessions, and
 * each entry also as `<key>.txt`. What a person put, changed or removed there is taken in.
 *
 * @param directory The folder of the pad.
 * @param options The options of `openJournal`; with `readonly`, the files are left out.
 * @throws What `openJournal` throws.
 * @example
 * const pad = await openPad(".scratchpad", { actor: "agent" });
 */
export async function openPad(directory: string, options?: OpenOptions): Promise<Pad> {
  if (typeof directory !== "string" || directory === "") throw new TypeError("name the folder of the pad");
  const { readonly = false, create = true, lock, measure } = parseOpenOptions(options);
  // The program may go to another folder meanwhile.
  const folder = path.resolve(directory);
  return Pad.open(folder, {
    open: (file) => openJournal(file, options),
    guard: lockedGuard(path.join(folder, "pad"), lock?.mode ?? "always"),
    measure,
    readonly,
    create,
  });
}

/** Only one process works at a time. If a lock does not come in time, the work goes on without it, as with sessions. */
function lockedGuard(name: string, mode: "always" | "off"): Guard {
  const { folder, lock, snapshot } = sidePaths(name);
  return async (task) => {
    const paths = { folder, lock, snapshot, hostLock: lock };
    const release = await takeLock(name, paths, { ...defaultLock, mode, waitMs: lockWaitMs });
    try {
      return await task();
    } finally {
      await release?.();
    }
  };
}
