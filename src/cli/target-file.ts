/** A file that a verb puts what it made into: a slip of the keyboard must not cost what lies there. */
import { beginningOf } from "../workspace/whole-file.ts";
import { UsageError } from "./usage.ts";

/** Throws a {@link UsageError} unless nothing is there, or what `isOurs` knows by its beginning; `kind` is what we make. */
export async function mustBeReplaceable(
  file: string,
  kind: string,
  isOurs: (beginning: string) => boolean,
): Promise<void> {
  const beginning = await beginningOf(file).catch(unreadable(file));
  if (beginning !== undefined && !isOurs(beginning)) throw new UsageError(`${file} is no ${kind}: name another file`);
}

/** What the system says names neither the file, for a folder, nor what to do. */
export function unreadable(file: string): (error: NodeJS.ErrnoException) => never {
  return ({ code }) => {
    throw new UsageError(`cannot read ${file} (${code}): check that it is a file that is there, and its permissions`);
  };
}
