/** Copies between addresses: opens both ends, under one session id. */
import { randomUUID } from "node:crypto";
import { StorageError } from "../errors.ts";
import type { ForeignSession } from "../event/foreign.ts";
import type { Copied } from "../journal/copy.ts";
import { parseOptions } from "../options.ts";
import { type SessionFileOptions, sessionFileParsers } from "../store/session-file/session-file-options.ts";
import { idInAddress, isKeepable } from "../store/session-id.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { type Address, isStore, parseAddress, storeAt } from "./addresses.ts";

export type CopyEnd = string | URL | JournalStore;

const { namespace, mirror, durability, seal } = sessionFileParsers;

export type CopyOptions = Pick<SessionFileOptions, "namespace" | "mirror" | "durability" | "seal">;

/**
 * Copies a journal, or goes on with a copy that was interrupted, and verifies it; of a session of another client's it makes a
 * journal of ours, as `importSession` does. A target that is not there is made,
 * under the session id of `from`; an address of many sessions may leave out `#session`. Throws as `copyRecords` does,
 * NotASessionError for a file that is not there, and a TypeError for a wrong option.
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

async function targetAt(to: string | URL, source: JournalStore, options: CopyOptions): Promise<JournalStore> {
  const sessionId = await source.sessionId();
  const address = parseAddress(to);
  requireCopyable(source.where, sessionId, address.kind);
  if (address.kind === "file" || address.session !== undefined) return storeAt(to, { ...options, sessionId });
  const place = address.kind === "sqlite" ? `sqlite:${address.database}` : address.address;
  return storeAt(`${place}#${idInAddress(sessionId)}`, options);
}

/** A copy has the id of its source, and the chain begins with it: there is no other under which it would hold. */
function requireCopyable(where: string, sessionId: string, kind: Address["kind"]): void {
  if (sessionId !== "" && (kind === "file" || isKeepable(sessionId))) return;
  const fault =
    sessionId === ""
      ? "has no session id in its header"
      : `has the session id ${JSON.stringify(sessionId)}, which neither a database nor a broker can keep`;
  const advice = `copy the file itself, or fork it (session-journal fork) into a session that has ${sessionId === "" ? "one" : "another"}, and copy that`;
  throw new StorageError(`${where} ${fault}; nothing was copied: ${advice}`, "not-written", { file: where });
}
