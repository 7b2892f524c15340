/** A copy goes here: under the session id of its source. */
import { StorageError } from "../errors.ts";
import type { SessionFileOptions } from "../store/session-file/session-file-options.ts";
import { idInAddress, isKeepable } from "../store/session-id.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { type Address, parseAddress, storeAt } from "./addresses.ts";

/** This is one end of a copy: a path, an address or a store. */
export type CopyEnd = string | URL | JournalStore;

/** These are the options of `copyJournal`, which apply to both ends. */
export type CopyOptions = Pick<SessionFileOptions, "namespace" | "mirror" | "durability" | "seal">;

export type TargetOptions = CopyOptions & Pick<SessionFileOptions, "lock">;

/** The store at an address that is no store itself; an address of many sessions may leave out `#session`. */
export async function targetAt(to: string | URL, source: JournalStore, options: TargetOptions): Promise<JournalStore> {
  const sessionId = await source.sessionId();
  const address = parseAddress(to);
  requireCopyable(source.where, sessionId, await isKeptBy(address.kind, sessionId));
  if (address.kind === "file" || address.session !== undefined) return storeAt(to, { ...options, sessionId });
  const place = address.kind === "sqlite" ? `sqlite:${address.database}` : address.address;
  return storeAt(`${place}#${idInAddress(sessionId)}`, options);
}

/** So much of an id is named. */
const shownMax = 100;

async function isKeptBy(kind: Address["kind"], sessionId: string): Promise<boolean> {
  if (kind === "file") return true;
  if (kind !== "nats" || !isKeepable(sessionId)) return isKeepable(sessionId);
  const { isBrokerId } = await import("../store/jetstream/names.ts");
  return isBrokerId(sessionId);
}

/** A copy has the id of its source, and the chain begins with it: there is no other under which it would hold. */
function requireCopyable(where: string, sessionId: string, isKept: boolean): void {
  if (sessionId !== "" && isKept) return;
  const shown = sessionId.length > shownMax ? `${sessionId.slice(0, shownMax)}…` : sessionId;
  const fault =
    sessionId === ""
      ? "has no session id in its header"
      : `has the session id ${JSON.stringify(shown)}, which cannot be kept there`;
  const advice = `copy the file itself, or fork it (session-journal fork) into a session that has ${sessionId === "" ? "one" : "another"}, and copy that`;
  throw new StorageError(`${where} ${fault}; nothing was copied: ${advice}`, "not-written", { file: where });
}
