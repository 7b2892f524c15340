/** Copies between addresses: opens both ends, under one session id. */
import { randomUUID } from "node:crypto";
import path from "node:path";
import type { ForeignSession } from "../event/foreign.ts";
import type { Copied } from "../journal/copy.ts";
import { parseOptions } from "../options.ts";
import { sessionFileParsers } from "../store/session-file/session-file-options.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { isStore, parseAddress, storeAt } from "./addresses.ts";
import { type CopyEnd, type CopyOptions, type TargetOptions, targetAt } from "./copy-target.ts";
import { madeWhole } from "./made-whole.ts";

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
    if (isStore(to)) return await copied(source, to, parsed);
    const address = parseAddress(to);
    if (address.kind !== "file") return await copiedAt(to, source, parsed);
    const done = await madeWhole(address.path, parsed.durability, (file, alone) =>
      copiedAt(file, source, { ...parsed, ...alone }),
    );
    return { ...done, to: path.resolve(address.path) };
  } finally {
    if (!isStore(from)) await source.close();
  }
}

async function copiedAt(to: string | URL, source: JournalStore, options: TargetOptions): Promise<Copied> {
  const target = await targetAt(to, source, options);
  try {
    return await copied(source, target, options);
  } finally {
    await target.close();
  }
}

async function copied(source: JournalStore, target: JournalStore, options: CopyOptions): Promise<Copied> {
  const foreign = await source.foreign({ whole: true });
  if (foreign !== undefined) return imported(source, foreign, target, options);
  const { copyRecords } = await import("../journal/copy.ts");
  return copyRecords(source, target);
}

async function imported(source: JournalStore, foreign: ForeignSession, target: JournalStore, { seal }: CopyOptions) {
  const { importSession } = await import("./import-session.ts");
  return importSession(source, foreign, target, { now: () => new Date(), ids: randomUUID, seal });
}
