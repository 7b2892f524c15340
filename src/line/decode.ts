/** From bytes to lines. This is the border: before it everything is unknown, after it types hold. */
import type { CommitData, WrittenEvent } from "../event/commit.ts";
import { type Fields, isFields } from "../event/fields.ts";
import type { Entry, JournalLine, LineNames, ValueKey } from "./format.ts";
import { isBeyondNumbers, isTooDeep, nestingMax } from "./json.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** This is what the first line says of the session. `id` is "" where it has none, `version` 1 as in the oldest files. */
export interface Header {
  readonly id: string;
  readonly version: number;
  readonly timestamp?: string;
  readonly cwd?: string;
  readonly parentSession?: string;
}

/** Newest header version that is understood. */
export const headerVersionMax = 4;

/** The result is undefined if the line is not the header of a session. */
export function decodeHeader(line: Uint8Array): Header | undefined {
  const value = parseObject(line);
  if (value === undefined || value["type"] !== "session") return undefined;
  const { id, version, timestamp, cwd, parentSession } = value;
  return {
    id: typeof id === "string" ? id : "",
    version: typeof version === "number" ? version : 1,
    ...(typeof timestamp === "string" ? { timestamp } : {}),
    ...(typeof cwd === "string" ? { cwd } : {}),
    ...(typeof parentSession === "string" ? { parentSession } : {}),
  };
}

/** The result is an entry under one of our names. It is undefined for an entry of the host. */
export function decodeEntry(value: Fields, names: LineNames): JournalLine | undefined {
  if (value["type"] !== "custom") return undefined;
  const entry = placeOf(value);
  switch (value["customType"]) {
    case names.events:
      return decodeCommit(value["data"], entry);
    case names.mark:
      return value["mirror"] === undefined ? undefined : { kind: "mark", entry, mirror: value["mirror"] };
    case names.notes:
      return decodeValue("notes", value, entry);
    case names.plan:
      return decodeValue("plan", value, entry);
    case names.refs:
      return decodeValue("refs", value, entry);
    case names.legacy:
      return decodeValue("legacy", value, entry);
    default:
      return undefined;
  }
}

/** The result is undefined if the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return bytes.length < longBytes ? utf8.decode(bytes) : decodeLong(bytes);
  } catch {
    return undefined;
  }
}

/** These count bytes, or UTF-16 code units. */
const longBytes = 1 << 20;

const pieceBytes = 64 * 1024;

/** A text of a decoder would be a second one in the heap, beside the value that is read from it. */
function decodeLong(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const isAscii = bytes.every((byte) => byte < 0x80);
  if (isAscii) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const units = Buffer.allocUnsafe(2 * bytes.length);
  let end = 0;
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const piece = bytes.subarray(at, at + pieceBytes);
    end += units.write(decoder.decode(piece, { stream: at + pieceBytes < bytes.length }), end, "utf16le");
  }
  return units.toString("utf16le", 0, end);
}

/** The result is the same text. Node holds a long one that it has made of bytes of one or two a unit outside of the heap. */
function besideHeap(text: string): string {
  if (text.length < longBytes) return text;
  // A regular expression would hold the text that it was asked of last.
  const encoding = isLatin1(text) ? "latin1" : "utf16le";
  return Buffer.from(text, encoding).toString(encoding);
}

function isLatin1(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0xff) return false;
  return true;
}

/** The result is the JSON object that a line is. It is undefined if the line is none. */
export function parseObject(line: Uint8Array): Record<string, unknown> | undefined {
  const text = decodeText(trimLine(line));
  return text === undefined ? undefined : parseText(text);
}

/** The result is the JSON object that the text of a line is. It is undefined if the text is none. */
export function parseText(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Without a BOM, runs of NUL and white space around the object. */
export function trimLine(line: Buffer): Buffer;
export function trimLine(line: Uint8Array): Uint8Array;
export function trimLine(line: Uint8Array): Uint8Array {
  let start = 0;
  let end = line.length;
  if (line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf) start = 3;
  while (start < end && isBlank(line[start] as number)) start += 1;
  while (end > start && isBlank(line[end - 1] as number)) end -= 1;
  return start === 0 && end === line.length ? line : line.subarray(start, end);
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === 0x00 || byte === 0x0a;
}

/** The result is what an entry says of its place. Fields of another type are absent. */
export function placeOf(value: Fields): Entry {
  const { id, parentId, timestamp } = value;
  return {
    id: typeof id === "string" ? id : undefined,
    parentId: typeof parentId === "string" || parentId === null ? parentId : undefined,
    timestamp: typeof timestamp === "string" ? timestamp : undefined,
  };
}

function decodeValue(key: ValueKey, value: Fields, entry: Entry): JournalLine {
  const { data: read, mirror } = value;
  const data = typeof read === "string" ? besideHeap(read) : read;
  return { kind: "value", entry, key, data, ...(mirror === undefined ? {} : { mirror }) };
}

function decodeCommit(data: unknown, entry: Entry): JournalLine {
  const reason = commitFault(data);
  return reason === undefined
    ? { kind: "commit", entry, data: data as CommitData }
    : { kind: "damaged", entry, reason, broken: false };
}

const commitTexts = ["id", "prev", "hash"] as const;

function commitFault(data: unknown): string | undefined {
  if (!isFields(data)) return "data is not an object";
  for (const field of commitTexts) {
    if (typeof data[field] !== "string") return `data.${field} is not a string`;
  }
  if (data["id"] === "") return "data.id is empty";
  if (typeof data["v"] !== "number") return "data.v is not a number";
  const { events, version } = data;
  if (!Array.isArray(events) || events.length === 0 || !events.every(isWrittenEvent)) {
    return "data.events is not a list of events";
  }
  if (!Number.isSafeInteger(version)) return "data.version is not a whole number";
  if ((version as number) < events.length) return "data.version is below the number of events";
  if (isTooDeep(data)) return `data is nested deeper than ${nestingMax} levels`;
  return isBeyondNumbers(data) ? "data has a number beyond the range of doubles" : undefined;
}

function isWrittenEvent(value: unknown): value is WrittenEvent {
  if (!isFields(value) || typeof value["type"] !== "string") return false;
  const { command } = value;
  return command === undefined || (typeof command === "string" && command !== "");
}
