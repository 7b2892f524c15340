/** The files in which clients keep sessions, as their folders list them: nothing in them is read. */
import fs from "node:fs";
import path from "node:path";
import { canUnpack } from "../store/lens/packed-bytes.ts";
import type { Client, Root } from "./clients.ts";

/** Codex names a session so that it has compressed. */
export const packedName = ".jsonl.zst";

export interface SessionFile {
  readonly client: Client;
  readonly file: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  /** This is the id of the session whose subagent wrote the file, if the folders say it. */
  readonly parent?: string;
  /** The file lies somewhere, so its name need not be the one that its client gave it. */
  readonly isRenamed?: true;
}

/** `wants` selects Claude Code's folders by their names. A folder that is not there or cannot be read holds none. */
export function* sessionFilesIn(
  { client, path: root }: Root,
  wants: (name: string) => boolean,
): Generator<SessionFile> {
  for (const found of client === "claude-code" ? claudeFiles(root, wants) : filesBelow(client, root)) {
    yield* sessionFileAt(client, found);
  }
}

/** The result is empty if no file is there, or nothing is in it. */
export function* sessionFileAt(client: Client, found: Named): Generator<SessionFile> {
  const stats = readable(() => fs.lstatSync(found.file, { throwIfNoEntry: false }));
  if (stats?.isFile() !== true || stats.size === 0) return;
  const { size, mtimeMs, ctimeMs, ino } = stats;
  yield { client, ...found, size, mtimeMs, ctimeMs, ino };
}

/** The result is undefined for what cannot be read: nothing is found there. */
export function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Session files that lie in a folder itself, wherever they were begun, and the scratchpad that the plugin keeps for a project. */
export function* sessionFilesLyingIn(folder: string): Generator<SessionFile> {
  yield* sessionFileAt("session-journal", { file: path.join(folder, ".session-journal", "scratchpad.jsonl") });
  for (const entry of entriesOf(folder)) {
    if (entry.isFile() && entry.name.endsWith(".jsonl")) {
      yield* sessionFileAt("session-journal", { file: path.join(folder, entry.name) });
    }
  }
}

type Named = Pick<SessionFile, "file" | "parent">;

/** The files are `<folder>/<session>.jsonl`; subagents stand beside them, or later in `<session>/subagents`. */
function* claudeFiles(root: string, wants: (name: string) => boolean): Generator<Named> {
  for (const folder of entriesOf(root)) {
    if (folder.isDirectory() && wants(folder.name)) yield* claudeFolderFiles(path.join(root, folder.name));
  }
}

function* claudeFolderFiles(folder: string): Generator<Named> {
  for (const entry of entriesOf(folder)) {
    const file = path.join(folder, entry.name);
    if (entry.isFile() && entry.name.endsWith(".jsonl")) yield { file };
    if (!entry.isDirectory()) continue;
    const subagents = path.join(file, "subagents");
    const names = entriesOf(subagents).filter(({ name }) => name.endsWith(".jsonl"));
    for (const { name } of names) yield { file: path.join(subagents, name), parent: entry.name };
  }
}

function* filesBelow(client: Client, root: string): Generator<Named> {
  for (const entry of entriesOf(root)) {
    const file = path.join(root, entry.name);
    if (entry.isDirectory()) yield* entry.name.startsWith(".") ? [] : filesBelow(client, file);
    else if (client === "gemini-cli") yield* geminiFile(root, file);
    else if (entry.name.endsWith(".jsonl") || (entry.name.endsWith(packedName) && canUnpack())) yield { file };
  }
}

/** The files are `chats/session-….json[l]`; subagents are in `chats/<session>/`. */
function* geminiFile(folder: string, file: string): Generator<Named> {
  if (!/\.jsonl?$/.test(file)) return;
  const name = path.basename(folder);
  if (name === "chats" && path.basename(file).startsWith("session-")) yield { file };
  else if (path.basename(path.dirname(folder)) === "chats") yield { file, parent: name };
}

/** The result is how many sessions in the folder, and below, Codex has compressed under a name that is wanted. */
export function packedBelow(folder: string, wants: (name: string) => boolean = () => true): number {
  let count = 0;
  for (const entry of entriesOf(folder)) {
    if (entry.isDirectory()) count += packedBelow(path.join(folder, entry.name), wants);
    else if (entry.name.endsWith(packedName) && wants(entry.name)) count += 1;
  }
  return count;
}

/** The result is empty for a folder that cannot be read. */
function entriesOf(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
