/** This file handles the files of a pad: `<key>.txt`, plain, of this folder, and text. */
import fs from "node:fs";
import path from "node:path";
import { readKey } from "../action/parameters.ts";
import { StorageError } from "../errors.ts";
import type { PadFinding, PadFindingCode } from "./pad-finding.ts";

/** What lies under a key: a text, something that is no text of ours to read, or nothing. */
export type Look = { readonly text: string } | { readonly problem: PadFinding } | undefined;

export const extension = ".txt";

/** Every key that has a file, with what is in it, and the files whose names are no keys. */
export function lookAround(directory: string, bytesMax: number): { looks: Map<string, Look>; strays: PadFinding[] } {
  const looks = new Map<string, Look>();
  const strays: PadFinding[] = [];
  for (const name of namesIn(directory)) {
    if (!name.endsWith(extension) || name.startsWith(".")) continue;
    const key = name.slice(0, -extension.length);
    const reading = readKey(key, "key");
    if ("problem" in reading) {
      strays.push({ file: path.join(directory, name), code: "invalid_key", message: reading.problem.message });
    } else {
      looks.set(key, lookAt(directory, key, bytesMax));
    }
  }
  return { looks, strays };
}

function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory).sort();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const message = `cannot read the folder ${directory} (${code}): check that it exists, and its permissions`;
    throw new StorageError(message, "not-written", { file: directory }, cause);
  }
}

/** Never follows a link, and never waits for the other end of a pipe. */
export function lookAt(directory: string, key: string, bytesMax: number): Look {
  const file = path.join(directory, key + extension);
  const problem = (code: PadFindingCode, message: string): Look => ({ problem: { file, key, code, message } });
  let descriptor: number | undefined;
  try {
    const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
    if (fs.lstatSync(file).isSymbolicLink()) return problem("symbolic_link", "is a symbolic link: put the text itself");
    descriptor = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFile()) return problem("not_a_file", "is not a plain file: put a text file there");
    if (stats.size > bytesMax) return problem("too_large", `has ${stats.size} bytes, and at most ${bytesMax} are read`);
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(descriptor)) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return problem("not_text", "is not text in UTF-8: convert it");
    return problem("unreadable", `cannot be read (${code}): check its permissions`);
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

export function sameLook(one: Look, other: Look): boolean {
  if (one === undefined || other === undefined) return one === other;
  return "text" in one && "text" in other && one.text === other.text;
}

/** `why` says what is wrong with the key. Such a key may lead anywhere. */
export function unnamableKey(directory: string, key: string, why: string): PadFinding {
  const message = `the journal has an entry ${JSON.stringify(key)} that can have no file here: ${why}`;
  return { file: directory, key, code: "invalid_key", message };
}

/** Names of devices, with any extension. https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const device = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * The finding says why a key cannot have a file that is a file everywhere: a device has its name, or on some systems another key's file
 * has. If keys differ in case only, the one with a file keeps it, else the first gets it. The result is undefined if the key can have a file.
 */
export function namingFinding(
  directory: string,
  key: string,
  keys: Iterable<string>,
  hasFile: (key: string) => boolean,
): PadFinding | undefined {
  const file = path.join(directory, key + extension);
  if (device.test(key)) {
    return { file, key, code: "reserved_name", message: `${key} is a device on some systems: use another key` };
  }
  const alike = [...keys].filter((other) => other.toLowerCase() === key.toLowerCase()).sort();
  const holder = alike.find(hasFile) ?? alike[0] ?? key;
  if (holder === key) return undefined;
  const message = `on some systems it is the same file as ${holder}${extension}: use a key that differs in more than case`;
  return { file, key, code: "case_collision", message };
}
