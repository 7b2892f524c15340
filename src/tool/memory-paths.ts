/**
 * This file turns paths of files under `/memories` into keys of entries, and back. A key has letters, digits, `-` and `_`; each other byte
 * of the path in UTF-8 is written as `_-` and two hexadecimal digits: `docs/plan.md` is the entry `docs_-2Fplan_-2Emd`. So a name that is a
 * key already is that key.
 */
import { keyUnitsMax } from "../action/limits.ts";

export const memoryFolder = "/memories";

/** The result has neither `/memories/` nor a slash at its end; "" is the folder itself. It is undefined if the path leads elsewhere. */
export function relativePath(path: string): string | undefined {
  if (path !== memoryFolder && !path.startsWith(`${memoryFolder}/`)) return undefined;
  const relative = path.slice(memoryFolder.length + 1).replace(/\/$/, "");
  if (relative === "") return relative;
  return relative.split("/").every(isName) ? relative : undefined;
}

/** What leads out of a folder, written plainly or as in a URL, and what breaks a line of a listing or is half a character, names no file. */
function isName(name: string): boolean {
  return name !== "" && !/[\p{Control}\p{Surrogate}\u2028\u2029\\]/u.test(name) && !/^(?:\.|%2e){1,2}$/i.test(name);
}

/** The result is undefined if the key would be too long. */
export function keyOfPath(relative: string): string | undefined {
  const plain = relative.replace(escapeLike, "_-5F$1");
  const key = plain.replace(/[^A-Za-z0-9_-]/gu, escaped).replace(/^__proto__$/, "_-5F_proto__");
  return key.length <= keyUnitsMax ? key : undefined;
}

/** A key that no path is written as, such as `a_-41`, is a name like any other. */
export function pathOfKey(key: string): string {
  const bytes = key.replace(/%/g, "%25").replace(/_-([0-9A-F]{2})/g, "%$1");
  try {
    const path = decodeURIComponent(bytes);
    const isPath = keyOfPath(path) === key && relativePath(`${memoryFolder}/${path}`) === path;
    return isPath ? path : key;
  } catch {
    return key;
  }
}

/** An underscore is escaped before what would be taken for an escape. */
const escapeLike = /_(-[0-9A-F]{2})/g;

const encoder = new TextEncoder();

function escaped(character: string): string {
  return [...encoder.encode(character)].map((byte) => `_-${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
}
