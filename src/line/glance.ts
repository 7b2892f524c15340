/**
 * What the first bytes of a line tell, where the line is printed as the known clients print theirs: `type` first, no white
 * space, and for a message its id and parent (8 or 36 characters, or null) and its time before it. Most lines of a session
 * are messages, so this is what the cost of reading one hangs on.
 *
 * A line that begins with a `type` is held to be of that type, whatever follows: so every reader agrees on a line that has
 * the field twice. Only the bytes around each value are compared: a quote that stands where a value of known length ends
 * can only be an escaped one where no JSON could follow.
 */
import { type Glance, looseGlance } from "./loose-glance.ts";

/** So many bytes of a line are always enough. */
export const glanceBytes = 224;

const quote = 0x22;
const backslash = 0x5c;
const closingBrace = 0x7d;

/** Looks at the line from `start` to `end`. Bytes beyond `end` are compared but never make a difference: see `isInside`. */
export function glance(bytes: Uint8Array, start: number, end: number): Glance {
  const seen = strictGlance(bytes, start, end);
  return seen === "unknown" ? looseGlance(bytes, start, Math.min(end, start + glanceBytes)) : seen;
}

/** A message of the user's, told by its first bytes and its last: every reader counts it, whatever is between. */
export function isMessageOfUser(line: Uint8Array, seen: Glance = glance(line, 0, line.length)): boolean {
  return seen === "user" && line.at(-1) === closingBrace;
}

function strictGlance(bytes: Uint8Array, start: number, end: number): Glance {
  if (!isTypeFirst(bytes, start)) return "unknown";
  const type = start + 9;
  if (isCustom(bytes, type)) return isInside(type + 7, end) ? "custom" : "unknown";
  if (isMessage(bytes, type)) return roleOf(bytes, type + 9, end);
  return isPlainString(bytes, type, end) ? "other" : "unknown";
}

/** A line feed ends the line before any byte that a comparison beyond it could want. */
function isInside(at: number, end: number): boolean {
  return at <= end;
}

/** `{"type":"` */
function isTypeFirst(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === 0x7b &&
    bytes[at + 1] === quote &&
    bytes[at + 2] === 0x74 &&
    bytes[at + 3] === 0x79 &&
    bytes[at + 4] === 0x70 &&
    bytes[at + 5] === 0x65 &&
    bytes[at + 6] === quote &&
    bytes[at + 7] === 0x3a &&
    bytes[at + 8] === quote
  );
}

/** `custom"` */
function isCustom(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === 0x63 &&
    bytes[at + 1] === 0x75 &&
    bytes[at + 2] === 0x73 &&
    bytes[at + 3] === 0x74 &&
    bytes[at + 4] === 0x6f &&
    bytes[at + 5] === 0x6d &&
    bytes[at + 6] === quote
  );
}

/** `message",` */
function isMessage(bytes: Uint8Array, at: number): boolean {
  return (
    bytes[at] === 0x6d &&
    bytes[at + 1] === 0x65 &&
    bytes[at + 2] === 0x73 &&
    bytes[at + 3] === 0x73 &&
    bytes[at + 4] === 0x61 &&
    bytes[at + 5] === 0x67 &&
    bytes[at + 6] === 0x65 &&
    bytes[at + 7] === quote &&
    bytes[at + 8] === 0x2c
  );
}

/** Of `"id":"…","parentId":"…",` or `"id":"…","parentId":null,`: its length, 0 where it is neither. */
function idsLength(bytes: Uint8Array, start: number): number {
  const isId =
    bytes[start] === quote &&
    bytes[start + 1] === 0x69 &&
    bytes[start + 2] === 0x64 &&
    bytes[start + 3] === quote &&
    bytes[start + 5] === quote;
  const idEnd = isId ? idEndAfter(bytes, start + 6) : 0;
  if (idEnd === 0) return 0;
  const isParent =
    bytes[idEnd + 1] === quote &&
    bytes[idEnd + 2] === 0x70 &&
    bytes[idEnd + 10] === quote &&
    bytes[idEnd + 11] === 0x3a;
  if (!isParent) return 0;
  if (bytes[idEnd + 12] === 0x6e) return bytes[idEnd + 16] === 0x2c ? idEnd + 17 - start : 0;
  const parentEnd = bytes[idEnd + 12] === quote ? idEndAfter(bytes, idEnd + 13) : 0;
  return parentEnd === 0 ? 0 : parentEnd + 1 - start;
}

/** Where the comma stands behind an id that begins at `at`, as the client makes them or as we and others do; else 0. */
function idEndAfter(bytes: Uint8Array, at: number): number {
  if (bytes[at + 8] === quote && bytes[at + 9] === 0x2c) return at + 9;
  return bytes[at + 36] === quote && bytes[at + 37] === 0x2c ? at + 37 : 0;
}

/** `"timestamp":"························","message":{"role":"`, then the role. */
function roleOf(bytes: Uint8Array, start: number, end: number): Glance {
  const at = start + idsLength(bytes, start);
  const framed =
    bytes[at] === quote &&
    bytes[at + 1] === 0x74 &&
    bytes[at + 10] === quote &&
    bytes[at + 11] === 0x3a &&
    bytes[at + 12] === quote &&
    bytes[at + 37] === quote &&
    bytes[at + 38] === 0x2c &&
    bytes[at + 39] === quote &&
    bytes[at + 40] === 0x6d &&
    bytes[at + 46] === 0x65 &&
    bytes[at + 47] === quote &&
    bytes[at + 48] === 0x3a &&
    bytes[at + 49] === 0x7b &&
    bytes[at + 50] === quote &&
    bytes[at + 51] === 0x72 &&
    bytes[at + 54] === 0x65 &&
    bytes[at + 55] === quote &&
    bytes[at + 56] === 0x3a &&
    bytes[at + 57] === quote;
  if (!framed || !isInside(at + 63, end)) return "unknown";
  const isUser =
    bytes[at + 58] === 0x75 && bytes[at + 59] === 0x73 && bytes[at + 60] === 0x65 && bytes[at + 61] === 0x72;
  if (isUser && bytes[at + 62] === quote) return "user";
  return isPlainString(bytes, at + 58, end) ? "other" : "unknown";
}

/** A word that is written with escapes may be any. */
function isPlainString(bytes: Uint8Array, at: number, end: number): boolean {
  const limit = Math.min(end, at + glanceBytes / 2);
  for (let index = at; index < limit; index++) {
    if (bytes[index] === quote) return true;
    if (bytes[index] === backslash) return false;
  }
  return false;
}
