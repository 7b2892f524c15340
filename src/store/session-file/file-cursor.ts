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
import { type FileIdentity, isSameFile, lastBytesBefore } from "./session-bytes.ts";
import type { OpenedSession } from "./session-header.ts";
import type { ReaderImage, SessionReader } from "./session-reader.ts";

/** To recognise a file and its last bytes again, not to prove them: who can write the session can write its checkpoint. */
interface PrintedCursor extends ReaderImage {
  readonly namespace: string;
  readonly session: string;
  readonly file: FileIdentity;
  readonly fingerprint: string;
}

export class FileCursor {
  readonly reader: SessionReader;
  readonly offset: number;

  constructor(reader: SessionReader) {
    this.reader = reader;
    this.offset = reader.offset;
  }

  /** The result is undefined if its reader has gone on, or if none can go on from there. */
  toJSON(): object | undefined {
    const { names, header, bytes, lastBytes } = this.reader;
    const image = this.reader.offset === this.offset ? this.reader.image() : undefined;
    if (image === undefined) return undefined;
    return {
      namespace: names.namespace,
      session: header.id,
      file: bytes.identity,
      fingerprint: fingerprintOf(lastBytes),
      ...image,
    } satisfies PrintedCursor;
  }
}

/** The result says whether the line at `offset` was read before this printed cursor. */
export function hasRead(printed: unknown, offset: number | undefined): boolean {
  return (offset ?? 0) < (readPrinted(printed)?.offset ?? 0);
}

/** What a printed cursor says of this file, and the bytes that showed it; undefined where it is of another one, or of an earlier state of it. */
export function imageOfFile(
  printed: unknown,
  { bytes, header }: OpenedSession,
  names: LineNames,
): (ReaderImage & { readonly lastBytes: Buffer }) | undefined {
  const cursor = readPrinted(printed);
  if (cursor === undefined) return undefined;
  // What is read once more may be of another file: a host rewrites in place.
  const lastBytes = lastBytesBefore(cursor.offset, bytes);
  const isSame =
    cursor.namespace === names.namespace &&
    cursor.session === header.id &&
    isSameFile(cursor.file, bytes.identity) &&
    bytes.size() >= cursor.offset &&
    (lastBytes.at(-1) ?? 0x0a) === 0x0a &&
    fingerprintOf(lastBytes) === cursor.fingerprint;
  return isSame ? { ...cursor, lastBytes } : undefined;
}

/** Any: a file system may number its files beyond what is safe. */
const readNumber = described({}, (value: unknown) => (typeof value === "number" ? value : undefined));

const readPrinted = readObject<PrintedCursor>({
  namespace: required(readText),
  session: required(readText),
  file: required(readObject<FileIdentity>({ dev: required(readNumber), ino: required(readNumber) })),
  fingerprint: required(readText),
  offset: required(readVersion),
  recordCount: required(readVersion),
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

/** Each step can be undone, so bytes that differ in one place never have the same. A new process interprets it, so little is looked up. */
function fingerprintOf(bytes: Buffer): string {
  const [{ imul }, { length }] = [Math, bytes];
  let [one, other] = [length, ~length];
  for (let index = 0; index < length; index++) {
    const byte = bytes[index] ?? 0;
    one = imul(one ^ byte, 0x01000193);
    other = imul(other ^ byte, 0x5bd1e995);
  }
  return `${one >>> 0} ${other >>> 0}`;
}
