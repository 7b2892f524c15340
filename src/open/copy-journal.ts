/** Copies between addresses: opens both ends, under one session id. */
import { randomUUID } from "node:crypto";
import type { ForeignSession } from "../event/foreign.ts";
import type { Copied } from "../journal/copy.ts";
import { parseOptions } from "../options.ts";
import { sessionFileParsers } from "../store/session-file/session-file-options.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { isStore, storeAt } from "./addresses.ts";
import { type CopyEnd, type CopyOptions, targetAt } from "./copy-target.ts";

const { namespace, mirror, durability, seal } = sessionFileParsers;

/**
 * Copies a journal to another place, or goes on with a copy that was interrupted, and compares both ends. The session of another
 * client becomes a journal of ours.
 *
 * @param from The source: a path, an address or a store.
 * @param to The target. It is made where it is not there, under the session id of `from`; an address of many sessions may leave
 *   out `#session`.
 * @param options How the ends are opened.
 * @throws NotASessionError where `from` is not there.
 * @throws VersionConflictError where `to` holds something else than the beginning of this journal.
 * @throws PointError where the beginning of `from` was dropped, as its owner wants: a copy would have another state.
 * @throws FoldPolicyError for a journal that is folded by branch.
 * @throws StorageError where `from` was written with another seal, or a backend fails.
 * @throws TypeError for an option that does not exist.
 * @example
 * const { version, events } = await copyJournal("session.jsonl", "sqlite:backup.db");
 */
export async function copyJournal(from: CopyEnd, to: CopyEnd, options: CopyOptions = {}): Promise<Copied> {
  const parsed = parseOptions(options, { namespace, mirror, durability, seal });
  const source = isStore(from) ? from : await storeAt(from, { ...parsed, readonly: true, create: false });
  try {
    const target = isStore(to) ? to : await targetAt(to, source, parsed);
    try {
      const foreign = await source.foreign({ whole: true });
      if (foreign !== undefined) return await imported(source, foreign, target, parsed);
      const { copyRecords } = await import("../journal/copy.ts");
      return await copyRecords(source, target);
    } finally {
      if (!isStore(to)) await target.close();
    }
  } finally {
    if (!isStore(from)) await source.close();
  }
}

async function imported(source: JournalStore, foreign: ForeignSession, target: JournalStore, { seal }: CopyOptions) {
  const { importSession } = await import("./import-session.ts");
  return importSession(source, foreign, target, { now: () => new Date(), ids: randomUUID, seal });
}
