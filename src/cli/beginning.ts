/** Where the owner of a stream has old records dropped, what is left adds up to states that never were: verbs say so, and tell none. */
import { isJournalError, withoutPassword } from "../errors.ts";
import type { Journal } from "../journal/public.ts";
import { parseAddress } from "../open/addresses.ts";
import { UsageError } from "./usage.ts";

/** Says that the beginning is gone; undefined: what is there adds up to what the journal shows. */
export async function goneBeginning(journal: Journal, where: string): Promise<string | undefined> {
  // Nobody else drops what is old, and a session file is read once.
  if (parseAddress(where).kind !== "nats" || journal.version === 0) return undefined;
  const first = await firstVersion(journal);
  if (first === 1) return undefined;
  try {
    await journal.at(0);
    return undefined;
  } catch (error) {
    if (!isJournalError(error, "bad_point")) throw error;
    // Dropped, or damaged: verify tells them apart.
    return `the events up to version ${first - 1} cannot be read from ${withoutPassword(where)} any more`;
  }
}

/** Throws a {@link UsageError} where the beginning is gone. `why` says what that means, and what to do. */
export async function requireBeginning(journal: Journal, where: string, why: string): Promise<void> {
  const gone = await goneBeginning(journal, where);
  if (gone !== undefined) throw new UsageError(`${gone}: ${why}`);
}

async function firstVersion(journal: Journal): Promise<number> {
  for await (const { version } of journal.history()) return version;
  return journal.version + 1;
}
