import { open } from "node:fs/promises";

/** The last bytes of a text file, from the beginning of a character; undefined where there is none. */
export async function readEnd(file: string, bytesMax: number): Promise<string | undefined> {
  const handle = await open(file, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytesMax), 0, bytesMax, Math.max(0, size - bytesMax));
    let start = 0;
    if (size > bytesMax) while (start < bytesRead && isContinuation(buffer[start] ?? 0)) start += 1;
    return buffer.toString("utf8", start, bytesRead);
  } finally {
    await handle.close();
  }
}

/** In UTF-8, a continuation is every byte of a character except its first. */
function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}
