import zlib from "node:zlib";

/** What zstd makes of a text, also where the runtime has no zstd: blocks that are kept as they are. */
const [blockBytesMax, windowOf128KiB] = [128 * 1024, 0x38];

export function packed(text: Buffer | string): Buffer {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, windowOf128KiB])];
  for (let from = 0; from === 0 || from < bytes.length; from += blockBytesMax) {
    const block = bytes.subarray(from, from + blockBytesMax);
    parts.push(blockHeader(block.length, 0, from + blockBytesMax >= bytes.length), block);
  }
  return Buffer.concat(parts);
}

/** So many zero bytes, of which a block of four bytes holds 128 KiB. */
export function packedZeros(blocks: number): Buffer {
  const parts = Array.from({ length: blocks }, (_, index) => [
    blockHeader(blockBytesMax, 1, index + 1 === blocks),
    Buffer.of(0),
  ]);
  return Buffer.concat([packed("").subarray(0, 6), ...parts.flat()]);
}

function blockHeader(size: number, type: number, isLast: boolean): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (type << 1) | Number(isLast), 0, 3);
  return header;
}

interface UnpackOptions {
  readonly maxOutputLength: number;
  readonly finishFlush?: number;
}

/** Unpacks what `packed` makes, as `zlib.zstdDecompressSync` does: for a runtime that has none. */
function unpacked(frame: Buffer, { maxOutputLength, finishFlush }: UnpackOptions): Buffer {
  const texts: Buffer[] = [];
  if (frame[0] !== 0x28) return Buffer.alloc(0);
  let left = maxOutputLength;
  for (let [at, isLast] = [6, false]; !isLast; ) {
    const header = at + 3 <= frame.length ? frame.readUIntLE(at, 3) : undefined;
    const [type, size] = [((header ?? 0) >> 1) & 3, (header ?? 0) >> 3];
    const end = at + 3 + (type === 1 ? 1 : size);
    if (type > 1) throw new Error("Unknown block type");
    if ((header === undefined || end > frame.length) && finishFlush === undefined)
      throw new Error("unexpected end of file");
    if (header === undefined) break;
    const text = type === 1 ? Buffer.alloc(size, frame[at + 3]) : frame.subarray(at + 3, end);
    left -= text.length;
    if (left < 0) throw Object.assign(new Error("too large"), { code: "ERR_BUFFER_TOO_LARGE" });
    texts.push(text);
    isLast = (header & 1) === 1 || end > frame.length;
    at = end;
  }
  return Buffer.concat(texts);
}

const runtime = zlib as { zstdDecompressSync?: unknown };
const own = runtime.zstdDecompressSync;

/** Gives the runtime what newer ones have, or takes it away, until it is put back. */
export function setZstd(has: boolean): void {
  runtime.zstdDecompressSync = has ? (own ?? unpacked) : undefined;
}

export function putZstdBack(): void {
  runtime.zstdDecompressSync = own;
}
