/** A file that a verb puts what it made into: a slip of the keyboard must not cost what lies there. */
import fs from "node:fs";
import { chmod, copyFile, link, lstat, open, realpath, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { isOfWriting } from "../errors.ts";
import { endUnfinished, unfinishedIn } from "../store/archive/unfinished.ts";
import { beginningOf, notWritten, writeWholeFile } from "../workspace/whole-file.ts";
import { unreadable } from "./read-file.ts";
import { UsageError } from "./usage.ts";

/**
 * Throws a {@link UsageError} unless nothing is there, or what `isOurs` knows by its beginning; `kind` is what we make.
 */
export async function mustBeReplaceable(
  file: string,
  kind: string,
  isOurs: (beginning: string) => boolean,
): Promise<void> {
  await mustBePlain(file);
  const beginning = await beginningOf(file).catch(unreadable(file));
  if (beginning !== undefined && !isOurs(beginning))
    throw new UsageError(`${file} is not a ${kind}: name another file`);
}

/** A device would be replaced by a file, and whoever reads a pipe waits. */
async function mustBePlain(file: string): Promise<void> {
  const stats = await stat(file).catch(() => undefined);
  if (stats?.isDirectory() === true) throw new UsageError(`${file} is a folder: name a file in it`);
  if (stats?.isFile() === false)
    throw new UsageError(`${file} is no plain file (a pipe, socket or device): name a file, or - for standard output`);
}

/** A folder that takes no other file, or a file that is mounted alone: there, what lies at the place is written over. */
const inPlaceOnly: readonly unknown[] = ["EACCES", "EPERM", "EBUSY", "EXDEV"];

/**
 * What lies at `file` is replaced at once by the whole text, and stays where that fails. It keeps its permissions, and a link to it stays a link.
 */
export async function writeOver(file: string, text: string): Promise<void> {
  const target = await realpath(file).catch(() => file);
  const there = await stat(target).catch(() => undefined);
  const mode = there === undefined ? 0o666 : there.mode & 0o777;
  try {
    await writeWholeFile(target, text, { mode });
    if (there !== undefined) await chmod(target, mode);
  } catch (error) {
    if (there === undefined || !inPlaceOnly.includes((error as NodeJS.ErrnoException).code))
      throw notWritten(file, error);
    await writeFile(target, text).catch((cause) => {
      throw notWritten(file, cause);
    });
  }
}

/** A new file, readable by its owner only: evidence is never written over. It has its name once it is whole, and what fails on the way leaves none. */
export async function writeNew(file: string, text: string | AsyncIterable<string>): Promise<void> {
  const part = unfinishedIn(path.dirname(file));
  try {
    // Before all is read for nothing.
    if ((await lstat(file).catch(() => undefined)) !== undefined) throw taken(file, "EEXIST");
    const handle = await open(part, "wx", 0o600).catch(({ code }: NodeJS.ErrnoException) => {
      throw taken(file, code);
    });
    await writeFile(handle, text).finally(() => handle.close());
    // Some disks know no second names.
    const placing = link(part, file).catch(() => copyFile(part, file, fs.constants.COPYFILE_EXCL));
    await placing.catch(({ code }: NodeJS.ErrnoException) => {
      throw taken(file, code);
    });
  } catch (error) {
    throw isOfWriting(error) ? notWritten(file, error) : error;
  } finally {
    endUnfinished(part);
  }
}

function taken(file: string, code: string | undefined): UsageError {
  const why = code === "EEXIST" ? "it exists already: name another file" : `${code}: check its folder`;
  return new UsageError(`cannot write ${file} (${why})`);
}
