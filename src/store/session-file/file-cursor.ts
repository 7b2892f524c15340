/** A place in a session file: while its reader goes on it is no more than that; printed, it says how to go on from there. */
import { described } from "../../event/json-schema.ts";
import {
  optional,
  readJson,
  readObject,
  readRecord,
  readText,
  readTexts,
  readVersion,
  required,
} from "../../event/read.ts";
import type { LineNames } from "../../line/format.ts";
import type { ParentFinderImage } from "../../line/parent-finder.ts";
import { type ByteSource, type FileIdentity, isSameFile, lastBytesBefore } from "./session-bytes.ts";
import type { OpenedSession } from "./session-header.ts";
import type { ReaderImage, SessionReader } from "./session-reader.ts";

/** To recognise a file and its last bytes again, not to prove them: who can write the session can write its checkpoint. */
interface PrintedCursor {
  readonly namespace: string;
  readonly session: string;
  readonly file: FileIdentity;
  readonly fingerprint: string;
}

export class FileCursor {
  readonly reader: SessionReader;
  readonly offset: number;
  readonly lastBytes: Buffer;
  readonly identity: FileIdentity;
  readonly #names: LineNames;

  constructor(reader: SessionReader, lastBytes: Buffer, names: LineNames) {
    this.reader = reader;
    this.offset = reader.offset;
    this.lastBytes = lastBytes;
    this.identity = reader.bytes.identity;
    this.#names = names;
  }

  /** The result is undefined if its reader has gone on, or if none can go on from there. */
  toJSON(): object | undefined {
    const image = this.reader.offset === this.offset ? this.reader.image() : undefined;
    if (image === undefined) return undefined;
    const printed: PrintedCursor = {
      namespace: this.#names.namespace,
      session: this.reader.header.id,
      file: this.identity,
      fingerprint: fingerprintOf(this.lastBytes.toString("latin1")),
    };
    return { ...printed, ...image };
  }
}

/** The result says whether the line at `offset` was read before this printed cursor. */
export function hasRead(printed: unknown, offset: number | undefined): boolean {
  return (offset ?? 0) < (readImage(printed)?.offset ?? 0);
}

/** What a printed cursor says of this file; undefined where it is of another one, or of an earlier state of it. */
export function isOfFile(
  printed: unknown,
  { bytes, header }: OpenedSession,
  names: LineNames,
): ReaderImage | undefined {
  const cursor = readPrintedCursor(printed);
  const image = readImage(printed);
  if (cursor === undefined || image === undefined) return undefined;
  const isSame =
    cursor.namespace === names.namespace &&
    cursor.session === header.id &&
    isSameFile(cursor.file, bytes.identity) &&
    bytes.size() >= image.offset &&
    isLineStart(image.offset, bytes) &&
    fingerprintOf(lastBytesBefore(image.offset, bytes).toString("latin1")) === cursor.fingerprint;
  return isSame ? image : undefined;
}

function isLineStart(offset: number, bytes: ByteSource): boolean {
  return offset === 0 || bytes.slice(offset - 1, offset)[0] === 0x0a;
}

/** Any: a file system may number its files beyond what is safe. */
const readNumber = described({}, (value: unknown) => (typeof value === "number" ? value : undefined));

const readPrintedCursor = readObject<PrintedCursor>({
  namespace: required(readText),
  session: required(readText),
  file: required(readObject<FileIdentity>({ dev: required(readNumber), ino: required(readNumber) })),
  fingerprint: required(readText),
});

const readImage = readObject<ReaderImage>({
  offset: required(readVersion),
  told: required(readVersion),
  last: required(readRecord(readJson)),
  parents: required(
    readObject<ParentFinderImage>({
      hostEnd: required(readVersion),
      oursEnd: required(readVersion),
      hostId: required(described({}, (value: unknown) => (value === null ? value : readText(value)))),
      onPath: required(readTexts),
      lastId: optional(readText),
    }),
  ),
});

/** Each step can be undone, so texts that differ in one place never have the same. */
function fingerprintOf(text: string): string {
  let one = text.length;
  let other = ~text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x5bd1e995);
  }
  return `${one >>> 0} ${other >>> 0}`;
}
