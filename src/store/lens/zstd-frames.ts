/** Where a frame of zstd ends (RFC 8878): the decoder of Node 22 says neither that a frame is cut off nor that another one follows. */

/** Files begin so. */
export const zstdMagic = Buffer.from("28b52ffd", "hex");

/** What to do with a file that cannot be read as it is. */
export const unpackingAdvice = "zstd -d FILE -o COPY.jsonl unpacks a copy, which can be read";

const [skippableMagic, skippableMask] = [0x184d2a50, 0xfffffff0];
const [magicBytes, blockHeaderBytes, checksumBytes] = [4, 3, 4];
const repeatedByteBlock = 1;

/** The result is undefined if no frame begins at `start`, or if it does not end in the bytes. */
export function frameEnd(bytes: Buffer, start: number): number | undefined {
  const end = endWithin(bytes, start);
  return end !== undefined && end <= bytes.length ? end : undefined;
}

function endWithin(bytes: Buffer, start: number): number | undefined {
  const blocks = start + magicBytes;
  if (bytes.length < blocks + 4) return undefined;
  if ((bytes.readUInt32LE(start) & skippableMask) >>> 0 === skippableMagic)
    return blocks + 4 + bytes.readUInt32LE(blocks);
  return bytes.subarray(start, blocks).equals(zstdMagic) ? behindBlocks(bytes, blocks) : undefined;
}

/** `at` is where the header of the frame stands. */
function behindBlocks(bytes: Buffer, at: number): number | undefined {
  const descriptor = bytes[at] ?? 0;
  const isSingle = (descriptor >> 5) & 1;
  const [dictionary = 0, content = 0] = [[0, 1, 2, 4][descriptor & 3], [isSingle, 2, 4, 8][descriptor >> 6]];
  let next = at + 1 + (1 - isSingle) + dictionary + content;
  for (let isLast = false; !isLast; ) {
    if (next + blockHeaderBytes > bytes.length) return undefined;
    const header = bytes.readUIntLE(next, blockHeaderBytes);
    isLast = (header & 1) === 1;
    next += blockHeaderBytes + (((header >> 1) & 3) === repeatedByteBlock ? 1 : header >> 3);
  }
  return next + ((descriptor >> 2) & 1) * checksumBytes;
}
