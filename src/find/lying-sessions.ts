/** The sessions of other clients whose files lie somewhere, and not where their clients keep them. */
import path from "node:path";
import { foreignFileAt, foreignFilesBelow, rememberedClients } from "./files-below.ts";
import { fileFinder, type Look, sessionsOf } from "./find-sessions.ts";
import { entriesOf } from "./folder/session-files.ts";
import type { FoundSession } from "./found-session.ts";
import { headOf } from "./heads.ts";
import { type SessionFile, sessionFileAt } from "./session-files.ts";

/** The files lie in `folder` or below it. Those that are `known`, by their paths in it, are something else. */
export function sessionsBelow(folder: string, known: (way: string) => boolean): Promise<FoundSession[]> {
  return sessionsOf(foreignFilesBelow(folder, known));
}

/** Finds them again and again, as `sessionFinder` does. */
export function finderBelow(folder: string): Look {
  const clientAt = rememberedClients();
  return fileFinder(() => foreignFilesBelow(folder, () => false, clientAt));
}

/**
 * The result is the session in a file, with its subagents; a journal of ours is one, too. It is empty if nobody said anything in it, and
 * undefined if the file is no session.
 */
export async function sessionsAt(file: string): Promise<FoundSession[] | undefined> {
  const [own] = [...foreignFileAt(file), ...sessionFileAt("session-journal", { file })];
  const session = own && headOf(own)?.session;
  if (own === undefined || session === undefined) return undefined;
  return sessionsOf([own, ...(own.client === "session-journal" ? [] : agentsOf(own, session))]);
}

/** They stand beside the file, or in a folder of its name or of the session's. */
function* agentsOf({ file }: SessionFile, session: string): Generator<SessionFile> {
  const folder = path.dirname(file);
  const named = path.basename(file).replace(/\.jsonl?$/, "");
  const beside = [...entriesOf(folder)].filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name));
  const folders = [named, session].filter((name, index, all) => isName(name) && all.indexOf(name) === index);
  const files = [
    ...beside.flatMap(({ name }) => [...foreignFileAt(path.join(folder, name))]),
    ...folders.flatMap((name) => [...foreignFilesBelow(path.join(folder, name), () => false)]),
  ];
  for (const other of files) {
    if (other !== undefined && other.file !== file && headOf(other)?.parent === session) yield other;
  }
}

/** An id may be anything that somebody wrote into a file: one such as `../..` leads elsewhere, to the files of a whole disk. */
function isName(id: string): boolean {
  return id !== "" && id !== "." && id !== ".." && path.basename(id) === id;
}
