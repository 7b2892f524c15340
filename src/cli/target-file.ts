/** A file that a verb puts what it made into: a slip of the keyboard must not cost what lies there. */
import { open } from "node:fs/promises";
import { UsageError } from "./usage.ts";

const beginningBytes = 128;

/** Throws a {@link UsageError} unless nothing is there, or what `isOurs` knows by its beginning; `kind` is what we make. */
export async function mustBeReplaceable(
  file: string,
  kind: string,
  isOurs: (beginning: string) => boolean,
): Promise<void> {
  const handle = await open(file, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    return unreadable(file)(error);
  });
  if (handle === undefined) return;
  try {
    const reading = handle.read(Buffer.alloc(beginningBytes), 0, beginningBytes, 0);
    const { buffer, bytesRead } = await reading.catch(unreadable(file));
    if (!isOurs(buffer.toString("utf8", 0, bytesRead))) {
      throw new UsageError(`${file} is no ${kind}: name another file`);
    }
  } finally {
    await handle.close();
  }
}

/** What the system says names neither the file, for a folder, nor what to do. */
export function unreadable(file: string): (error: NodeJS.ErrnoException) => never {
  return ({ code }) => {
    throw new UsageError(`cannot read ${file} (${code}): check that it is a file that is there, and its permissions`);
  };
}
