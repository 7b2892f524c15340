/** Copies between addresses: opens both ends, under one session id. */
import { parseOptions } from "./errors.ts";
import type { Copied } from "./journal/copy.ts";
import { type SessionFileOptions, sessionFileParsers } from "./store/session-file/session-file-options.ts";
import type { JournalStore } from "./store/store.ts";
import { isStore, parseAddress, storeAt } from "./store/store-at.ts";

export type CopyEnd = string | URL | JournalStore;

const { namespace, mirror, durability, seal } = sessionFileParsers;

export type CopyOptions = Pick<SessionFileOptions, "namespace" | "mirror" | "durability" | "seal">;

/**
 * Copies a journal, or goes on with a copy that was interrupted, and verifies it. A target that is not there is made,
 * under the session id of `from`; an address of many sessions may leave out `#session`. Throws as `copyRecords` does,
 * NotASessionError for a file that is not there, and a TypeError for a wrong option.
 */
export async function copyJournal(from: CopyEnd, to: CopyEnd, options: CopyOptions = {}): Promise<Copied> {
  const parsed = parseOptions(options, { namespace, mirror, durability, seal });
  const source = isStore(from) ? from : await storeAt(from, { ...parsed, readonly: true, create: false });
  try {
    const target = isStore(to) ? to : await targetAt(to, await source.sessionId(), parsed);
    try {
      const { copyRecords } = await import("./journal/copy.ts");
      return await copyRecords(source, target);
    } finally {
      if (!isStore(to)) await target.close();
    }
  } finally {
    if (!isStore(from)) await source.close();
  }
}

async function targetAt(to: string | URL, sessionId: string, options: CopyOptions): Promise<JournalStore> {
  const address = parseAddress(to);
  if (address.kind === "file" || address.session !== undefined) return storeAt(to, { ...options, sessionId });
  return storeAt(`${to}#${sessionId}`, options);
}
