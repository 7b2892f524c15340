/** A place in a session file: while its reader goes on it is no more than that; printed, it says how to go on from there. */
import { readText, readTexts, readVersion } from "../../event/read.ts";
import type { LineNames } from "../../line/format.ts";
import type { LastValues } from "../../line/legacy.ts";
import type { ParentFinderImage } from "../../line/parent-finder.ts";
import type { FileIdentity } from "./session-bytes.ts";
import type { OpenedSession } from "./session-header.ts";
import type { ReaderImage, SessionReader } from "./session-reader.ts";

export class FileCursor {
  readonly reader: SessionReader;
  readonly offset: number;
  /** The last bytes before it. */
  readonly tail: Buffer;
  readonly identity: FileIdentity;
  readonly #names: LineNames;

  constructor(reader: SessionReader, tail: Buffer, names: LineNames) {
    this.reader = reader;
    this.offset = reader.offset;
    this.tail = tail;
    this.identity = reader.bytes.identity;
    this.#names = names;
  }

  /** Undefined where its reader has gone on, or none can go on from there. */
  toJSON(): object | undefined {
    const image = this.reader.offset === this.offset ? this.reader.image() : undefined;
    if (image === undefined) return undefined;
    const { namespace } = this.#names;
    const { dev, ino } = this.identity;
    return {
      namespace,
      session: this.reader.header.id,
      file: { dev, ino },
      fingerprint: fingerprintOf(this.tail),
      ...image,
    };
  }
}

type Fields = { readonly [name: string]: unknown };

/** What a printed cursor says of this file; undefined where it is of another one, or of an earlier state of it. */
export function isOfFile(
  printed: unknown,
  { bytes, header }: OpenedSession,
  names: LineNames,
): ReaderImage | undefined {
  const fields = fieldsOf(printed);
  const file = fieldsOf(fields?.["file"]);
  const image = readImage(fields);
  if (fields === undefined || file === undefined || image === undefined) return undefined;
  const isSame =
    fields["namespace"] === names.namespace &&
    fields["session"] === header.id &&
    file["dev"] === bytes.identity.dev &&
    file["ino"] === bytes.identity.ino &&
    bytes.size() >= image.offset &&
    fingerprintOf(bytes.tailBefore(image.offset)) === fields["fingerprint"];
  return isSame ? image : undefined;
}

/**
 * To recognise bytes again, not to prove them: who can write the session can write its checkpoint. Each step can be undone,
 * so bytes that differ in one place never have the same.
 */
function fingerprintOf(bytes: Uint8Array): string {
  let one = bytes.length;
  let other = ~bytes.length;
  for (const byte of bytes) {
    one = Math.imul(one ^ byte, 0x01000193);
    other = Math.imul(other ^ byte, 0x5bd1e995);
  }
  return `${one >>> 0} ${other >>> 0}`;
}

function readImage(fields: Fields | undefined): ReaderImage | undefined {
  const offset = readVersion(fields?.["offset"]);
  const told = readVersion(fields?.["told"]);
  const last = fieldsOf(fields?.["last"]) as LastValues | undefined;
  const parents = readParents(fields?.["parents"]);
  if (offset === undefined || told === undefined || last === undefined || parents === undefined) return undefined;
  return { offset, told, last, parents };
}

function readParents(value: unknown): ParentFinderImage | undefined {
  const fields = fieldsOf(value);
  const hostEnd = readVersion(fields?.["hostEnd"]);
  const oursEnd = readVersion(fields?.["oursEnd"]);
  const hostId = fields?.["hostId"] === null ? null : readText(fields?.["hostId"]);
  const onPath = readTexts(fields?.["onPath"]);
  if (hostEnd === undefined || oursEnd === undefined || hostId === undefined || onPath === undefined) return undefined;
  return { hostEnd, oursEnd, hostId, onPath, lastId: readText(fields?.["lastId"]) };
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}
