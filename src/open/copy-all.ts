/** Moves a place: every journal of a folder, a database or a broker, one after the other. */
import fs from "node:fs";
import path from "node:path";
import { isJournalError, withoutPassword } from "../errors.ts";
import type { Copied } from "../journal/copy.ts";
import { makeFolders } from "../make-folders.ts";
import { parseAddress, placeIn } from "./addresses.ts";
import { catalogAt } from "./catalog-at.ts";
import { copyJournal } from "./copy-journal.ts";
import type { CopyOptions } from "./copy-target.ts";
import { fileNameOf } from "./file-name.ts";

/** One of these became of a journal of the place. */
export type CopiedOne =
  | { readonly session: string; readonly copied: Copied }
  | { readonly session: string; readonly fault: string };

/**
 * Copies every journal of `from` to `to` as `copyJournal` does, and yields one by one what became of it. Done again, it takes
 * what is missing and compares the rest. One that cannot be copied keeps none of the others. What lies in `to` already is no
 * source. Throws a TypeError for what is no place of many sessions.
 */
export async function* copyAll(
  from: string,
  to: string,
  options: CopyOptions = {},
): AsyncGenerator<CopiedOne, undefined> {
  const { namespace, seal } = options;
  const isFile = parseAddress(from).kind === "file";
  requirePlace(to);
  const isCopy = copiesIn(from, to);
  const catalog = await catalogAt(from, { readonly: true, create: false, namespace, seal });
  try {
    for await (const { session, version, fault, isDamaged = false } of catalog.list()) {
      if (isCopy(session)) continue;
      if (fault !== undefined) yield { session, fault };
      if (version === 0 && !isDamaged) continue;
      try {
        yield {
          session,
          copied: await copyJournal(placeIn(from, session), await targetOf(to, session, isFile), options),
        };
      } catch (error) {
        if (!isJournalError(error)) throw error;
        yield { session, fault: error.message };
      }
    }
  } finally {
    await catalog.close();
  }
}

function requirePlace(to: string): void {
  const address = parseAddress(to);
  if (address.kind !== "file" && address.session !== undefined)
    throw new TypeError(`${withoutPassword(to)} names one session: leave out # and what follows`);
  if (address.kind === "file" && address.path.endsWith(".jsonl"))
    throw new TypeError(`${to} is the name of a single session: name a folder, a database or a broker`);
}

/** A folder of copies may lie in the folder that is copied: what is in it is copied there no deeper each time. */
function copiesIn(from: string, to: string): (session: string) => boolean {
  const [source, target] = [parseAddress(from), parseAddress(to)];
  if (source.kind !== "file" || target.kind !== "file") return () => false;
  if (!fs.existsSync(source.path) || !fs.existsSync(target.path)) return () => false;
  const way = path.relative(fs.realpathSync(source.path), fs.realpathSync(target.path));
  const isInside = way !== "" && way.split(path.sep)[0] !== ".." && !path.isAbsolute(way);
  return (session) => isInside && session.startsWith(`${way}${path.sep}`);
}

/** In a folder, files are called as they were in another one, or after their session. */
async function targetOf(to: string, session: string, isFile: boolean): Promise<string> {
  const address = parseAddress(to);
  if (address.kind !== "file") return to;
  const target = path.join(address.path, isFile ? session : fileNameOf(session, ".jsonl"));
  makeFolders(path.dirname(target));
  return target;
}
