/** Opens a session file and reads its first line. */
import { NotASessionError } from "../../errors.ts";
import { decodeHeader, type Header, headerVersionMax, trimLine } from "../../line/decode.ts";
import { unpackingAdvice, zstdMagic } from "../lens/zstd-frames.ts";
import { type ByteSource, SessionBytes } from "./session-bytes.ts";

export interface OpenedSession {
  readonly bytes: ByteSource;
  readonly header: Header;
}

const headerBytesMax = 1 << 20;
/** So that opening a session need not read more of it. */
const headerBytesUsual = 4096;

/** The result is undefined if nothing is there. A file that is no session, or one of a newer format, throws {@link NotASessionError}. */
export function openSession(file: string): OpenedSession | undefined {
  const bytes = SessionBytes.open(file);
  return bytes === undefined ? undefined : openedOn(bytes, file);
}

/** This opens bytes that are already open. `file` is for messages. */
export function openedOn(bytes: ByteSource, file: string): OpenedSession {
  try {
    const header = readHeader(bytes);
    if (header === undefined || header.version > headerVersionMax) throw notASession(file, header, bytes);
    return { bytes, header };
  } catch (error) {
    bytes.close();
    throw error;
  }
}

/** The bytes still begin with the header of this session. */
export function isStill({ bytes, header }: OpenedSession): boolean {
  return readHeader(bytes)?.id === header.id;
}

/** `bytes` are all the bytes of a session, or its first ones. The result is undefined if no header is understood. */
export function headerIn(bytes: Buffer): Header | undefined {
  const line = firstLine(bytes, true);
  const header = line && decodeHeader(line);
  return header !== undefined && header.version <= headerVersionMax ? header : undefined;
}

/** Blank lines before it are passed over, and it may be of a newer format. */
export function readHeader(bytes: ByteSource): Header | undefined {
  const size = Math.min(bytes.size(), headerBytesMax);
  const usual = firstLine(bytes.slice(0, Math.min(size, headerBytesUsual)), size <= headerBytesUsual);
  const line = usual ?? firstLine(bytes.slice(0, size), true);
  return line === undefined ? undefined : decodeHeader(line);
}

/** The first line that is not blank; one that does not end counts where `isWhole`. */
function firstLine(beginning: Buffer, isWhole: boolean): Buffer | undefined {
  let start = 0;
  while (start < beginning.length) {
    const feed = beginning.indexOf(0x0a, start);
    if (feed === -1 && !isWhole) return undefined;
    const end = feed === -1 ? beginning.length : feed;
    const line = beginning.subarray(start, end);
    if (trimLine(line).length > 0) return line;
    start = end + 1;
  }
  return undefined;
}

function notASession(file: string, header: Header | undefined, bytes: ByteSource): NotASessionError {
  const fault =
    header !== undefined
      ? `has a header of version ${header.version}, newer than ${headerVersionMax}: update session-journal`
      : bytes.size() === 0
        ? "is empty: let its host write to it first, or remove it"
        : bytes.slice(0, zstdMagic.length).equals(zstdMagic)
          ? `is compressed: under a name that ends in .zst, sessions of other clients are read from Node 22.15 on; ${unpackingAdvice}`
          : 'is not a session file: its first line is no {"type":"session",…} header; check the path';
  return new NotASessionError(`${file} ${fault}`, { file, line: 1, byte: 0 });
}
