/**
 * This file says what a line is. Reading, following, folding by branch, verifying, counting, copying and host stores all ask here, so that
 * none of them can see another file than the others do. A line is what `JSON.parse` makes of it: if a key stands twice, the last one
 * counts; white space, key order and escapes make no difference. Only the name of ours must stand in the bytes as it is, for readers find
 * our lines by it. A line under one of our names that is written with escapes counts for nobody.
 */
import type { Fields } from "../event/fields.ts";
import { decodeEntry, decodeText, parseObject, parseText, placeOf, trimLine } from "./decode.ts";
import {
  commitLineBytesMax,
  type HostLine,
  type LineNames,
  lineBytesMax,
  noEntry,
  type SessionLine,
} from "./format.ts";
import { isTooDeep, nestingMax } from "./json.ts";
import { type LongFields, LongLine } from "./long-line.ts";

/**
 * From this size on, a line is read in pieces, and only what says which line it is stays in memory. The unit is bytes, without
 * the line feed.
 */
export const longLineBytes = commitLineBytesMax;

/** The line comes without its line feed. */
export function classify(line: Uint8Array, names: LineNames): SessionLine {
  if (line.length < longLineBytes) return classifyShort(line, names);
  return classifyPieces(
    (take) => take(line),
    line.length,
    () => line,
    names,
  );
}

/** This is a line of a file. With `pieces`, `bytes` may be only its beginning. */
export interface RawBytes {
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly pieces?: Pieces;
  /** It is this under every namespace. */
  readonly host?: HostLine | undefined;
  /** What it is under a namespace: several readers go through a file in step, and each of them asks. */
  found?: FoundLine;
}

export interface FoundLine {
  readonly namespace: string;
  readonly content: SessionLine;
  /** Set by a reader that has found the hash of this commit to be right, under the key of all of them. */
  isRight?: true;
}

/** It passes on all bytes of a line, in order. */
export type Pieces = (take: (piece: Uint8Array) => void) => void;

export function classifyRaw(line: RawBytes, names: LineNames): SessionLine {
  if (line.host !== undefined) return line.host;
  const { namespace } = names;
  if (line.found?.namespace !== namespace) line.found = { namespace, content: classifyUnknown(line, names) };
  return line.found.content;
}

function classifyUnknown(line: RawBytes, names: LineNames): SessionLine {
  if (line.size < longLineBytes || line.pieces === undefined) return classify(line.bytes, names);
  return classifyPieces(line.pieces, line.size, () => line.bytes, names);
}

/** `whole`: its bytes, which are asked for where they must be held in memory after all: of a value. */
export function classifyPieces(pieces: Pieces, size: number, whole: () => Uint8Array, names: LineNames): SessionLine {
  const reader = new LongLine(names);
  pieces((piece) => reader.push(piece));
  return classifyLong(reader.end(), names, size, whole);
}

function classifyShort(line: Uint8Array, names: LineNames): SessionLine {
  const trimmed = trimLine(line);
  if (trimmed.length === 0) return brokenLine(false, true);
  const text = decodeText(trimmed);
  const fields = text === undefined ? undefined : parseText(text);
  if (text === undefined || fields === undefined) return brokenLine(Buffer.from(line).includes(claimOf(names)), false);
  const content = classifyFields(fields, names, (name) => text.includes(`"${name}"`));
  return content.kind === "value" && isTooDeep(content.data) ? { ...content, unreadBytes: line.length } : content;
}

function classifyLong(long: LongFields, names: LineNames, size: number, whole: () => Uint8Array): SessionLine {
  if (!long.isObject) return brokenLine(long.claimed, long.isBlank);
  const { customType, mirror } = long.fields;
  const isValue = long.fields.type === "custom" && isValueName(customType, names);
  if (isValue && size <= lineBytesMax) {
    const content = classifyLongValue(long, names, size, whole);
    if (content !== undefined) return content;
  }
  const line = classifyFields({ ...long.fields, message: { role: long.role } }, names, (name) => long.stands.has(name));
  if (line.kind === "host") {
    const { fields: _, ...rest } = line;
    return rest;
  }
  if (line.kind === "value" && mirror === undefined) return { ...hostLine(long.fields), role: undefined };
  const reason = `longer than ${commitLineBytesMax} bytes`;
  return line.kind === "broken" ? line : { kind: "damaged", entry: line.entry, reason, broken: false };
}

/** Parsed, millions of brackets take a hundred times their bytes. Data that is as deep is of the wrong type. */
function classifyLongValue(
  { depth, fields, stands }: LongFields,
  names: LineNames,
  size: number,
  whole: () => Uint8Array,
): SessionLine | undefined {
  const isUnread = depth > nestingMax + 1;
  const known = isUnread ? fields : parseObject(whole());
  const content = known && classifyFields(known, names, (name) => stands.has(name));
  return content?.kind === "value" && isUnread ? { ...content, unreadBytes: size } : content;
}

/** `stands`: whether a custom type stands in the line's bytes as it is. */
function classifyFields(fields: Fields, names: LineNames, stands: (name: string) => boolean): SessionLine {
  const decoded = decodeEntry(fields, names);
  if (decoded === undefined) return Object.assign(hostLine(fields), { fields });
  const name = fields["customType"] as string;
  if (stands(name)) return decoded;
  const reason = `its custom type is ${name}, written with escapes`;
  return { kind: "damaged", entry: decoded.entry, reason, broken: false };
}

function hostLine(fields: Fields): Extract<SessionLine, { kind: "host" }> {
  const { type, customType, message } = fields;
  const { role } = (message ?? {}) as { readonly role?: unknown };
  return {
    kind: "host",
    entry: placeOf(fields),
    type: textOf(type),
    customType: textOf(customType),
    role: Array.isArray(message) ? undefined : textOf(role),
  };
}

/** A line that carries the custom type of our commits was one of ours. */
function brokenLine(claimed: boolean, isBlank: boolean): SessionLine {
  if (!claimed) return { kind: "broken", isBlank };
  return { kind: "damaged", entry: noEntry, reason: "not a JSON object", broken: true };
}

function claimOf(names: LineNames): string {
  return `"customType":"${names.events}"`;
}

function isValueName(name: string | undefined, { notes, plan, refs, legacy }: LineNames): boolean {
  return name !== undefined && [notes, plan, refs, legacy].includes(name);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
