/** The session files of other clients in any folder, wherever they came from: the content tells whose each is. */
import fs from "node:fs";
import path from "node:path";
import { foreignFile } from "../store/lens/foreign-file.ts";
import { piFile } from "../store/lens/pi-file.ts";
import type { Client } from "./clients.ts";
import { entriesOf, type SessionFile } from "./session-files.ts";

const clients: readonly Client[] = ["claude-code", "codex", "gemini-cli", "droid", "pi", "opencode"];

/** In it and in the folders below, but those that are hidden and `node_modules`. Passes over what cannot be read. */
export function* foreignFilesBelow(folder: string): Generator<SessionFile> {
  for (const entry of entriesOf(folder)) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!entry.name.startsWith(".") && entry.name !== "node_modules") yield* foreignFilesBelow(file);
    } else if (entry.isFile() && /\.(?:jsonl?|db)$/.test(entry.name)) yield* foreignFileAt(file);
  }
}

function* foreignFileAt(file: string): Generator<SessionFile> {
  const client = clientOf(file);
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  if (client === undefined || stats === undefined) return;
  const { size, mtimeMs, ctimeMs, ino } = stats;
  // Gemini CLI keeps those of subagents in `chats/<session>/`.
  const folder = path.dirname(file);
  const parent = path.basename(path.dirname(folder)) === "chats" ? { parent: path.basename(folder) } : {};
  yield { client, file, size, mtimeMs, ctimeMs, ino, ...parent };
}

function clientOf(file: string): Client | undefined {
  try {
    const found = foreignFile(file) ?? piFile(file, undefined);
    return clients.find((client) => client === found?.lens.client);
  } catch {
    return undefined;
  }
}
