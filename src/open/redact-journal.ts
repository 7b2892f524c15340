/** Redacting searches every text of a journal, with code that nobody loads who only opens one. */
import type { CopyEnd } from "./copy-target.ts";
import type { Redacted, RedactOptions } from "./copy-without.ts";

/**
 * Writes a copy of a journal in which the texts that match are replaced by `[redacted N characters]`: in every event and
 * mirror, and from one session file to another in the host's lines, too. The source is not touched. The session of another
 * client becomes a journal of ours.
 *
 * @param from The source: a path, an address or a store.
 * @param to The target. It must hold nothing yet, and is made where it is not there.
 * @param options At least one of `text`, `pattern`, `version` and `secrets`.
 * @throws NotASessionError where `from` is not there.
 * @throws ReadonlyError for a sealed journal without its key.
 * @throws UnknownEventError where a newer version of this package has written.
 * @throws PointError for a version that the journal does not have, and where its beginning was dropped, as its owner wants.
 * @throws StorageError where `to` holds something, where nothing matches and `requireMatch` is set, or a backend fails.
 * @throws TypeError for an option that does not exist.
 * @example
 * const { texts } = await redactJournal("session.jsonl", "clean.jsonl", { secrets: true });
 */
export async function redactJournal(from: CopyEnd, to: CopyEnd, options: RedactOptions): Promise<Redacted> {
  const { copyWithout } = await import("./copy-without.ts");
  return copyWithout(from, to, options);
}
