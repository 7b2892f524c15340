/** The session files of other clients in any folder, wherever they came from: the content tells whose each is. */
import fs from "node:fs";
import path from "node:path";
import { foreignFile } from "../store/lens/foreign-file.ts";
import { piFile } from "../store/lens/pi-file.ts";
import type { Client } from "./clients.ts";
import { entriesOf } from "./folder/session-files.ts";
import { readable, type SessionFile } from "./session-files.ts";

const clients: readonly Client[] = ["claude-code", "codex", "gemini-cli", "droid", "pi", "opencode"];

/**
 * The files lie in the folder and in the folders below, but not in hidden ones and in `node_modules`. This passes over what cannot be read,
 * and over files that are `known`, by their paths in it, to be something else. It yields undefined behind each entry, so that whoever looks
 * through many files that are no sessions may pause.
 */
export function* foreignFilesBelow(
  folder: string,
  known: (way: string) => boolean,
  clientAt: ClientAt = clientOf,
  way = "",
): Generator<SessionFile | undefined> {
  for (const entry of readableEntries(path.join(folder, way))) {
    const { name } = entry;
    if (entry.isDirectory()) {
      if (!name.startsWith(".") && name !== "node_modules")
        yield* foreignFilesBelow(folder, known, clientAt, `${way}${name}${path.sep}`);
    } else if (entry.isFile() && /\.(?:jsonl?|jsonl\.zst|db)$/.test(name) && !known(`${way}${name}`)) {
      yield* foreignFileAt(path.join(folder, way, name), clientAt);
    }
    yield undefined;
  }
}

function* readableEntries(folder: string): Generator<fs.Dirent> {
  try {
    yield* entriesOf(folder);
  } catch {
    // A folder that cannot be read hides nothing else.
  }
}

/** The result is empty if the file is none of another client. */
export function* foreignFileAt(file: string, clientAt: ClientAt = clientOf): Generator<SessionFile> {
  const stats = readable(() => fs.lstatSync(file));
  const client = stats && clientAt(file, stats);
  if (client === undefined || stats === undefined) return;
  const { size, mtimeMs, ctimeMs, ino } = stats;
  // Gemini CLI keeps those of subagents in `chats/<session>/`.
  const folder = path.dirname(file);
  const parent = path.basename(path.dirname(folder)) === "chats" ? { parent: path.basename(folder) } : {};
  yield { client, file, size, mtimeMs, ctimeMs, ino, ...parent, isRenamed: true };
}

/** This says whose session a file is, if it is one. */
type ClientAt = (file: string, stats: fs.Stats) => Client | undefined;

/** For those who look again and again: the beginning of a file is read only if the file is new or was changed. */
export function rememberedClients(): ClientAt {
  const known = new Map<string, { readonly look: string; readonly client: Client | undefined }>();
  return (file, { ino, size, mtimeMs, ctimeMs }) => {
    const look = `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
    const before = known.get(file);
    const now = before?.look === look ? before : { look, client: clientOf(file) };
    known.set(file, now);
    return now.client;
  };
}

function clientOf(file: string): Client | undefined {
  try {
    const found = foreignFile(file) ?? piFile(file);
    return clients.find((client) => client === found?.lens.client);
  } catch {
    return undefined;
  }
}
