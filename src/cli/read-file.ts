/** Files that somebody names to be read. What the system says of one names neither the file, for a folder, nor what to do. */
import { readFile } from "node:fs/promises";
import { UsageError } from "./usage.ts";

export function unreadable(file: string): (error: NodeJS.ErrnoException) => never {
  return ({ code }) => {
    throw new UsageError(`cannot read ${file} (${code}): check that it is a file that exists, and its permissions`);
  };
}

export async function readAt(file: string): Promise<Buffer> {
  return readFile(file).catch(unreadable(file));
}

/**
 * The result has the bytes of a key. A line end behind them does not count, for editors put one there. For messages, `key` is what it is
 * called, and `named` says where its file was named.
 */
export async function keyBytesAt(file: string, key: string, named: string): Promise<Uint8Array> {
  const bytes = await readFile(file).catch(({ code }: NodeJS.ErrnoException) => {
    throw new UsageError(
      `the file of ${key}, ${file}, cannot be read (${code}): check the path ${named}, and its permissions`,
    );
  });
  const end = bytes.at(-1) !== 0x0a ? bytes.length : bytes.length - (bytes.at(-2) === 0x0d ? 2 : 1);
  if (end === 0) throw new UsageError(`the file of ${key}, ${file}, is empty`);
  return bytes.subarray(0, end);
}
