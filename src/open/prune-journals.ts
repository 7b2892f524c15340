/** Removes journals that nobody has written to for long, but those that are held; archives them first where asked. */

import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { isJournalError, withoutPassword } from "../errors.ts";
import { given } from "../options.ts";
import { makeArchiveFolder } from "../store/archive/archive-folder.ts";
import { removeUnfinished } from "../store/archive/unfinished.ts";
import type { SessionFileOptions } from "../store/session-file/session-file-options.ts";
import type { SessionCatalog, SessionSummary } from "../stream/catalog.ts";
import { parseAddress, placeIn } from "./addresses.ts";
import { archiveJournal } from "./archive-journal.ts";
import { catalogAt } from "./catalog-at.ts";
import { fileNameOf } from "./file-name.ts";

export interface PruneOptions extends Pick<SessionFileOptions, "namespace" | "seal"> {
  /** Journals are removed if all their events and their file are older than this. The time is in milliseconds since 1970. */
  readonly before: number;
  /** Never removed: ids of sessions, their names as they are listed, their paths, or the names of their files; `.jsonl` may be absent. */
  readonly held: ReadonlySet<string>;
  /** A folder into which each is archived before it is removed. */
  readonly archive?: string | undefined;
  /** Nothing is removed, nor archived. */
  readonly isDryRun: boolean;
  /** The result has an error in words of the caller, who may call options by other names. */
  readonly messageOf?: (error: Error) => string;
}

/** This says what became of a journal that is old enough. */
export interface Pruned {
  readonly session: string;
  readonly version: number;
  /** This is the time of its newest event. It is absent if it could not be read. */
  readonly at?: string;
  /** "changed": somebody wrote to it or removed it meanwhile. "kept": it could not be read, archived or removed, for `fault`. */
  readonly fate: "removed" | "would be removed" | "held" | "changed" | "kept";
  /** The session is held by these of its names. */
  readonly heldAs?: readonly string[];
  readonly fault?: string;
  readonly archive?: string;
}

/** Yields one by one those that are old enough, in no promised order. Throws a TypeError for a place that removes by itself. */
export async function* pruneJournals(where: string, options: PruneOptions): AsyncGenerator<Pruned, undefined> {
  const { namespace } = options;
  if (parseAddress(where).kind === "nats")
    throw new TypeError(
      `${withoutPassword(where)} drops old messages by itself: set max_age of its stream (docs/operating-jetstream.md)`,
    );
  const catalog = await catalogAt(where, { create: false, ...given({ namespace }) });
  try {
    if (options.archive !== undefined && !options.isDryRun) await removeUnfinished(options.archive);
    for await (const summary of catalog.list()) {
      const { session, version, fault } = summary;
      if (fault !== undefined) yield { session, version, fate: "kept", fault };
      const at = await lastTouched(catalog, summary);
      if (at === undefined || Date.parse(at) >= options.before) continue;
      const pruned = await prune(catalog, { ...summary, at }, where, options).catch(async (error: Error) => {
        if (await isGone(catalog, session)) return { session, version, at, fate: "changed" as const };
        return { session, version, at, fate: "kept" as const, fault: options.messageOf?.(error) ?? error.message };
      });
      if (pruned !== undefined) yield pruned;
    }
  } finally {
    await catalog.close();
  }
}

type Old = SessionSummary & { readonly at: string };

type Catalog = SessionCatalog<SessionFileOptions>;

/** The result is undefined for one that is not old enough. */
async function prune(catalog: Catalog, old: Old, where: string, options: PruneOptions): Promise<Pruned | undefined> {
  const { session, version, at } = old;
  const pruned = { session, version, at };
  const id = await idOfOld(catalog, session, options);
  if (id === undefined) return undefined;
  const heldAs = heldNames(catalog, session, [id, placeIn(where, session)], options.held);
  if (heldAs.length > 0) return { ...pruned, fate: "held", heldAs };
  if (options.isDryRun) return { ...pruned, fate: "would be removed" };
  const archive = options.archive && (await archived(isFolder(catalog), session, where, options.archive, options));
  // A host writes also while the lock is waited for, which it does not know.
  const isStill = async () => (await lastTouched(catalog, old)) === at;
  const isGone = (await isStill()) && (await catalog.remove?.(old, isStill)) === true;
  return { ...pruned, fate: isGone ? "removed" : "changed", ...given({ archive }) };
}

/** The result has those of `held` that are one of `others`, or name the session as it is listed or its file. */
function heldNames(
  catalog: Catalog,
  session: string,
  others: readonly string[],
  held: ReadonlySet<string>,
): readonly string[] {
  const names = new Set([session, path.basename(session), path.basename(session, ".jsonl"), ...others]);
  const file = isFolder(catalog) ? withoutEnding(path.join(catalog.where, session)) : undefined;
  return [...held].filter((name) => names.has(name) || withoutEnding(path.resolve(name)) === file);
}

async function archived(isFile: boolean, session: string, where: string, folder: string, options: PruneOptions) {
  const { namespace, seal } = options;
  const name = isFile ? withoutEnding(session) : session;
  const target = path.join(folder, fileNameOf(name, ".archive.gz"));
  await makeArchiveFolder(folder);
  // A prune that was interrupted may have archived it, and not removed it.
  await archiveJournal(placeIn(where, session), target, { namespace, seal, mayBeThere: true });
  return target;
}

/** Another prune may have been faster. */
async function isGone(catalog: Catalog, session: string): Promise<boolean> {
  if (isFolder(catalog)) return !existsSync(path.join(catalog.where, session));
  const store = catalog.open(session, { readonly: true, create: false });
  try {
    await store.sessionId();
    return false;
  } catch (error) {
    return isJournalError(error, "not_a_session");
  } finally {
    await store.close();
  }
}

/** The result is undefined for one that is not old: where a clock was wrong, the last event is not the one with the latest time. */
async function idOfOld(
  catalog: Catalog,
  session: string,
  { before, namespace, seal }: PruneOptions,
): Promise<string | undefined> {
  const store = catalog.open(session, { readonly: true, ...given({ namespace, seal }) });
  try {
    for await (const { at } of store.read(0)) if (Date.parse(at) >= before) return undefined;
    return await store.sessionId();
  } finally {
    await store.close();
  }
}

/** A host may write to its file without a word to us. The result is undefined if nothing of ours was ever written there, or it is gone. */
async function lastTouched(
  catalog: SessionCatalog,
  { session, version, at }: SessionSummary,
): Promise<string | undefined> {
  if (version === 0 || at === undefined) return undefined;
  if (!isFolder(catalog)) return at;
  try {
    const { mtime } = await stat(path.join(catalog.where, session));
    return mtime.getTime() > Date.parse(at) ? mtime.toISOString() : at;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function isFolder({ where }: SessionCatalog): boolean {
  return path.isAbsolute(where);
}

function withoutEnding(file: string): string {
  return file.replace(/\.jsonl$/, "");
}
