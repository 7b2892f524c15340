/**
 * The text of a session that was compressed with zstd, as Codex does it with old ones. It is unpacked in memory, so that any part of it can be
 * looked at, and nothing is written.
 */
import { NotASessionError } from "../../errors.ts";
import { type ByteSource, type FileIdentity, SessionBytes } from "../session-file/session-bytes.ts";
import { frameEnd, unpackingAdvice, zstdMagic } from "./zstd-frames.ts";

/** Memory has to hold all of it, and twice while it is unpacked. */
const textBytesMax = 256 * 1024 * 1024;

/** A list looks at the beginnings of thousands of files: they are unpacked as far as is needed. */
const [firstPackedBytes, firstPackedBytesMax, firstTextBytesMax] = [64 * 1024, 1024 * 1024, 16 * 1024 * 1024];
const chunkSize = 1024 * 1024;

type Unpack = (
  packed: Buffer,
  options: { readonly maxOutputLength: number; readonly chunkSize: number; readonly finishFlush?: number },
) => Buffer;

/** ZSTD_e_continue: what is cut off is unpacked up to there. */
const finishFlush = 0;

/** The result says whether this runtime can read what was compressed with zstd: Node can from 22.15 on. */
export function canUnpack(): boolean {
  return unpacker() !== undefined;
}

/** The module is loaded here, because most sessions are not compressed, and Node takes a while to load it. */
function unpacker(): Unpack | undefined {
  return (process.getBuiltinModule("node:zlib") as { readonly zstdDecompressSync?: Unpack }).zstdDecompressSync;
}

/**
 * The result is the bytes of a file, or the text in it where it is compressed and can be unpacked. It is undefined if nothing is there. Only
 * a file whose name says that it is compressed is looked at: a list opens thousands of others.
 */
export function openText(file: string): SessionBytes | PackedBytes | undefined {
  const own = SessionBytes.open(file);
  const unpack = own !== undefined && file.endsWith(".zst") && isPacked(own) ? unpacker() : undefined;
  return own === undefined || unpack === undefined ? own : new PackedBytes(own, unpack);
}

/** The result says whether the bytes are compressed with zstd. */
function isPacked(bytes: ByteSource): boolean {
  return bytes.slice(0, zstdMagic.length).equals(zstdMagic);
}

/** Positions are those of the text. */
export class PackedBytes implements ByteSource {
  readonly #own: SessionBytes;
  readonly #unpack: Unpack;
  readonly #packedSize: number;
  #first: Buffer = Buffer.alloc(0);
  #whole: Buffer | undefined;

  constructor(own: SessionBytes, unpack: Unpack) {
    this.#own = own;
    this.#unpack = unpack;
    this.#packedSize = own.size();
  }

  get file(): string {
    return this.#own.file;
  }

  get identity(): FileIdentity {
    return this.#own.identity;
  }

  size(): number {
    return this.#text().length;
  }

  /** Nobody appends to it: with another size it is another file. */
  currentSize(): number | undefined {
    return this.#own.currentSize() === this.#packedSize ? this.size() : undefined;
  }

  modifiedMs(): number {
    return this.#own.modifiedMs();
  }

  slice(start: number, end: number): Buffer {
    return this.#upTo(end).subarray(Math.max(0, start), Math.max(0, end));
  }

  pieces(start: number, end: number, take: (piece: Buffer) => void): number {
    const piece = this.slice(start, end);
    if (piece.length > 0) take(piece);
    return start + piece.length;
  }

  close(): void {
    this.#own.close();
    this.#whole = undefined;
  }

  /** The result has the first bytes of the text, `end` of them if there are so many. */
  #upTo(end: number): Buffer {
    if (this.#whole !== undefined) return this.#whole;
    for (let length = firstPackedBytes; this.#first.length < end && length <= firstPackedBytesMax; length *= 4)
      this.#first = this.#beginning(length);
    return this.#first.length < end ? this.#text() : this.#first;
  }

  #beginning(length: number): Buffer {
    try {
      return this.#unpack(this.#own.slice(0, length), { maxOutputLength: firstTextBytesMax, chunkSize, finishFlush });
    } catch {
      // Whoever reads all of it is told what is wrong.
      return Buffer.alloc(0);
    }
  }

  #text(): Buffer {
    this.#whole ??= this.#unpacked();
    return this.#whole;
  }

  #unpacked(): Buffer {
    if (this.#packedSize > textBytesMax) throw this.#fault(tooLong);
    const packed = this.#own.slice(0, this.#packedSize);
    const texts: Buffer[] = [];
    let free = textBytesMax;
    for (let from = 0; from < packed.length; ) {
      const end = frameEnd(packed, from);
      if (end === undefined) throw this.#fault("damaged or cut off: take another copy of it");
      const text = this.#unpackFrame(packed.subarray(from, end), free);
      texts.push(text);
      free -= text.length;
      from = end;
    }
    return texts.length === 1 && texts[0] !== undefined ? texts[0] : Buffer.concat(texts);
  }

  #unpackFrame(frame: Buffer, free: number): Buffer {
    try {
      return this.#unpack(frame, { maxOutputLength: Math.max(1, free), chunkSize });
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      const isTooLong = code === "ERR_BUFFER_TOO_LARGE";
      throw this.#fault(isTooLong ? tooLong : `damaged (${message}): take another copy of it`, cause);
    }
  }

  #fault(fault: string, cause?: unknown): NotASessionError {
    const { file } = this.#own;
    return new NotASessionError(`${file} is compressed, and ${fault}`, { file }, { cause });
  }
}

const tooLong = `its text is longer than ${textBytesMax / 1024 / 1024} MB: ${unpackingAdvice}`;
