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
