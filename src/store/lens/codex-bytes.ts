/**
 * This file reads two files of Codex as one. If a person rewinds a conversation on a terminal, or forks it, the client goes on in another
 * file, which says up to which place of the first one it goes on from.
 */
import fs from "node:fs";
import path from "node:path";
import { fields } from "../../event/fields.ts";
import { parsed, text } from "../../lens/fields.ts";
import type { ByteSource, FileIdentity } from "../session-file/session-bytes.ts";
import { atBeginning } from "./beginning.ts";
import { openText } from "./packed-bytes.ts";

/** The first line holds the instructions of the model. */
const headBytesUsual = 64 * 1024;
const headBytesMax = 1024 * 1024;
const lastLineBytesMax = 256 * 1024;
/** A conversation that was rewound more often is read from there on. */
const partsMax = 64;
const dayMs = 86_400_000;

type FileText = ByteSource & { readonly file: string };

interface Part {
  readonly bytes: ByteSource;
  /** So many bytes of the file stand before what goes on from it. */
  readonly size: number;
}

interface Base {
  readonly thread: string;
  readonly size: number;
  /** The line behind it has this number. */
  readonly ordinal: number;
}

/** The result is `own` where the file goes on from no other one, or where that one is not found. */
export function wholeCodex(own: FileText): ByteSource {
  const parts: Part[] = [];
  for (let file = own, base = baseOf(own); base !== undefined && parts.length < partsMax; base = baseOf(file)) {
    const found = baseFile(file.file, base);
    if (found === undefined) break;
    parts.unshift({ bytes: found, size: base.size });
    file = found;
  }
  return parts.length === 0 ? own : new JoinedBytes(parts, own);
}

/** Each file of a list is looked at, and hardly one goes on from another: nothing else is decoded. */
function baseOf(bytes: ByteSource): Base | undefined {
  const found = atBeginning(bytes, headBytesUsual, (head) => (head.includes("\n") ? baseIn(head) : "longer"));
  return found === "longer" ? baseIn(bytes.slice(0, headBytesMax)) : found;
}

function baseIn(head: Buffer): Base | undefined {
  const end = head.indexOf("\n");
  const first = end === -1 ? head : head.subarray(0, end);
  if (!first.includes('"history_base"')) return undefined;
  const base = fields(fields(fields(parsed(first))["payload"])["history_base"]);
  const [thread, size, ordinal] = [text(base["thread_id"]), base["end_byte_offset"], base["end_ordinal_exclusive"]];
  const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
  if (thread === undefined || !/^[\w-]{8,64}$/.test(thread) || !isWhole(size) || !isWhole(ordinal)) return undefined;
  return { thread, size, ordinal };
}

function baseFile(file: string, base: Base): FileText | undefined {
  for (const place of placesOf(base.thread, path.dirname(file))) {
    for (const name of namesIn(place).filter((each) => each.includes(base.thread) && each !== path.basename(file))) {
      const bytes = opened(path.join(place, name), base);
      if (bytes !== undefined) return bytes;
    }
  }
  return undefined;
}

/** It lies beside the file, in the folder of the day on which its thread was begun, or where the client puts what was archived. */
function placesOf(thread: string, folder: string): Set<string> {
  const sessions = [path.resolve(folder, "../../.."), path.resolve(folder, "../sessions")];
  const days = daysOf(thread).flatMap((day) => sessions.map((place) => path.join(place, day)));
  return new Set([folder, ...days, path.resolve(folder, "../../../../archived_sessions")]);
}

/**
 * The result is undefined if it is no plain file, or another one, may not be read or cannot be unpacked: the file that goes on can be read
 * without it.
 */
function opened(file: string, base: Base): FileText | undefined {
  let bytes: FileText | undefined;
  try {
    bytes = openText(file);
    if (bytes !== undefined && goesUpTo(bytes, base)) return bytes;
  } catch {
    // As if it were not there.
  }
  bytes?.close();
  return undefined;
}

/** An id of a thread begins with the time; the folder is that of the day where the client ran. */
function daysOf(thread: string): string[] {
  const ms = Number.parseInt(thread.replaceAll("-", "").slice(0, 12), 16);
  if (!Number.isSafeInteger(ms) || ms > 8e15) return [];
  return [0, -dayMs, dayMs].map((offset) => new Date(ms + offset).toISOString().slice(0, 10).replaceAll("-", path.sep));
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** A line ends there, and it is the one before the next. */
function goesUpTo(bytes: ByteSource, { size, ordinal }: Base): boolean {
  if (size > bytes.size()) return false;
  const before = bytes.slice(Math.max(0, size - lastLineBytesMax), size);
  if (before.at(-1) !== 0x0a) return false;
  const last = before.subarray(before.lastIndexOf(0x0a, -2) + 1).toString("utf8");
  const number = /"ordinal":(\d{1,15})/.exec(last)?.[1];
  return number === undefined ? ordinal <= 1 || last.length >= lastLineBytesMax : Number(number) === ordinal - 1;
}

class JoinedBytes implements ByteSource {
  readonly #parts: readonly Part[];
  readonly #own: FileText;
  /** The own bytes begin here. */
  readonly #start: number;

  constructor(parts: readonly Part[], own: FileText) {
    this.#parts = parts;
    this.#own = own;
    this.#start = parts.reduce((sum, { size }) => sum + size, 0);
  }

  get identity(): FileIdentity {
    return this.#own.identity;
  }

  size(): number {
    return this.#start + this.#own.size();
  }

  currentSize(): number | undefined {
    const size = this.#own.currentSize();
    return size === undefined ? undefined : this.#start + size;
  }

  slice(start: number, end: number): Buffer {
    const pieces: Buffer[] = [];
    this.pieces(start, end, (piece) => pieces.push(Buffer.from(piece)));
    return Buffer.concat(pieces);
  }

  pieces(start: number, end: number, take: (piece: Buffer) => void, room?: Buffer): number {
    let [position, from] = [start, 0];
    for (const { bytes, size } of [...this.#parts, { bytes: this.#own, size: Number.POSITIVE_INFINITY }]) {
      const last = Math.min(end, from + size);
      if (position < last) position = from + bytes.pieces(position - from, last - from, take, room);
      if (position < last) return position;
      from += size;
    }
    return position;
  }

  close(): void {
    for (const { bytes } of this.#parts) bytes.close();
    this.#own.close();
  }
}
