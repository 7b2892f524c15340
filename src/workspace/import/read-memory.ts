/** Reads what another tool keeps as memory, whole or not at all. */
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { StorageError } from "../../errors.ts";
import type { Memory } from "../../journal/imported.ts";
import { requireChoice } from "../../options.ts";
import { type MemoryKind, type MemoryText, memoryKinds } from "./kinds.ts";
import { MemoryMismatch } from "./mismatch.ts";

/**
 * Reads what another tool kept as memory, from a file or a folder, as actions on a scratchpad, and says what its bytes were.
 * For a folder, that is the SHA-256 of a line `<SHA-256>  <path>` for each file, in the order of their paths, as `sha256sum`
 * prints them. Hidden files are not read.
 *
 * @param kind The format of the memory.
 * @param place The path of the file or folder.
 * @throws StorageError if it cannot be read, is not of that kind, or holds what has no place; TypeError for an unknown kind.
 * @example
 * const imported = await journal.import(await readMemory("server-memory", "memory.jsonl"));
 */
export async function readMemory(kind: MemoryKind, place: string): Promise<Memory> {
  requireChoice(Object.keys(memoryKinds), kind, "kind");
  const { isFolder = false, actionsOf } = memoryKinds[kind];
  try {
    if ((await stat(place)).isDirectory() !== isFolder) {
      throw new MemoryMismatch(isFolder ? "it is not a folder" : "it is a folder");
    }
    const files = isFolder ? await filesIn(place) : [{ name: path.basename(place), bytes: await readFile(place) }];
    if (files.length === 0) throw new MemoryMismatch("there is no file in it");
    const from = {
      client: kind,
      session: path.basename(path.resolve(place)),
      bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
      sha256: isFolder
        ? sha256(files.map(({ name, bytes }) => `${sha256(bytes)}  ${name}\n`).join(""))
        : sha256(...files),
    };
    return { from, actions: actionsOf(files.map(decoded)) };
  } catch (error) {
    const why = error instanceof MemoryMismatch ? error.message : undefined;
    const message =
      why === undefined
        ? `${place} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)}): check the path and its permissions`
        : `${place} is not taken as ${kind}: ${why}; nothing was imported`;
    throw new StorageError(message, "not-written", { file: place }, error);
  }
}

interface Bytes {
  readonly name: string;
  readonly bytes: Buffer;
}

async function filesIn(folder: string): Promise<Bytes[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = found.flatMap((each) => {
    const name = path.relative(folder, path.join(each.parentPath, each.name)).split(path.sep).join("/");
    if (name.split("/").some((part) => part.startsWith(".")) || each.isDirectory()) return [];
    if (!each.isFile()) throw new MemoryMismatch(`${name} is not a plain file`);
    return [name];
  });
  const sorted = names.sort((a, b) => (a < b ? -1 : 1));
  return Promise.all(sorted.map(async (name) => ({ name, bytes: await readFile(path.join(folder, name)) })));
}

function decoded({ name, bytes }: Bytes): MemoryText {
  try {
    return { name, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    throw new MemoryMismatch(`${name} is not text in UTF-8`);
  }
}

function sha256(...parts: readonly (string | Buffer | Bytes)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(typeof part === "object" && "bytes" in part ? part.bytes : part);
  return hash.digest("hex");
}
