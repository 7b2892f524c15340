/** Puts a session away: compressed, with a manifest that says where its chain stood. */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { NotASessionError, StorageError, withoutPassword } from "../errors.ts";
import { type ArchiveManifest, archivedAs, digestOf, unwritable, writeArchive } from "../store/archive/archive-file.ts";
import { endUnfinished, unfinishedIn } from "../store/archive/unfinished.ts";
import { isCompressed } from "../store/lens/may-be-foreign.ts";
import type { SessionFileOptions } from "../store/session-file/session-file-options.ts";
import { parseAddress } from "./addresses.ts";
import { copyJournal } from "./copy-journal.ts";
import { fileNameOf } from "./file-name.ts";
import { openJournal } from "./open-journal.ts";

export interface ArchiveOptions extends Pick<SessionFileOptions, "namespace" | "seal"> {
  /** An archive of the same at `target` is left there and answered, as one that an earlier call finished. */
  readonly mayBeThere?: boolean;
}

/**
 * Archives the session at `from`, which may be any but one of another client's, into the new file `target`. One that lies
 * in a database or with a broker is made a session file for it. Throws StorageError where the session is damaged, is being
 * written to, or something is at `target`.
 */
export async function archiveJournal(
  from: string,
  target: string,
  options: ArchiveOptions = {},
): Promise<ArchiveManifest> {
  const address = parseAddress(from);
  if (address.kind === "file") return archiveFile(address.path, target, options);
  // Beside the archive its texts are no less protected than in it, and who archives there again removes what was left.
  const folder = unfinishedIn(path.resolve(path.dirname(target)));
  try {
    await mkdir(folder, { mode: 0o700 }).catch((cause) => {
      throw unwritable(target, cause);
    });
    // So called, it is not listed as a session.
    const file = path.join(folder, "session");
    const { namespace, seal } = options;
    const { leftOut } = await copyJournal(from, file, { namespace, seal });
    const where = withoutPassword(from);
    if (leftOut > 0) throw damaged(where);
    const name = fileNameOf(address.session ?? "session", ".jsonl");
    return await archiveFile(file, target, options, { where, name });
  } finally {
    endUnfinished(folder);
  }
}

/** A caller who archives many sessions is asked for no names. */
const otherAdvice =
  "it is of another session, or of an earlier state of this one: move it away, or name another folder";

/** `where` is where the session lies, for messages, and `name` is for the manifest. */
async function archiveFile(
  file: string,
  target: string,
  { mayBeThere, ...options }: ArchiveOptions,
  { where, name } = { where: file, name: path.basename(file) },
): Promise<ArchiveManifest> {
  if (isCompressed(file)) throw new NotASessionError(`${file} is already an archive: copy the file`, { file });
  const journal = await openJournal(file, { ...options, readonly: true, create: false });
  try {
    if ((await journal.foreign()) !== undefined) throw foreign(file);
    // Before it is verified, so that what comes in between is noticed.
    const seen = await digestOf(file);
    const { ok, head } = await journal.verify();
    if (!ok) throw damaged(where);
    const session = await journal.sessionId();
    // The file that is made of a session elsewhere is another one each time.
    const same = where === file ? file : undefined;
    const write = (ifTaken?: string): Promise<ArchiveManifest> => {
      const archivedAt = new Date().toISOString();
      return writeArchive(file, target, { session, ...head, name, ...seen, archivedAt }, ifTaken);
    };
    if (mayBeThere !== true) return await write();
    const there = () => archivedAs(target, { session, ...head }, same);
    return (
      (await there()) ??
      (await write(otherAdvice).catch(async (error) => {
        // Another call may have been faster.
        const made = await there();
        if (made === undefined) throw error;
        return made;
      }))
    );
  } finally {
    await journal.close();
  }
}

function foreign(file: string): NotASessionError {
  return new NotASessionError(
    `${file} is a session of another client: copy it to a journal first, which keeps its history and the digest of its file`,
    { file },
  );
}

function damaged(file: string): StorageError {
  return new StorageError(
    `${file} is damaged, and was not archived: session-journal verify lists what is wrong; keep the session itself`,
    "not-written",
    { file },
  );
}
