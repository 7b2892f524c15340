/** Reading counts no lines, because it passes over those of the host. This counts them where somebody is to find one. */
import { CorruptEntryError, isJournalError } from "../errors.ts";

/** This has all lines of a file. */
interface Lines {
  lines(): AsyncIterable<readonly { readonly offset: number; readonly number: number }[]>;
}

/** The result throws what it is given, which says the line as well where damage in a session file is at a known byte. */
export function withLineIn(file: Lines): (error: unknown) => Promise<never> {
  return async (error) => {
    if (!isJournalError(error, "corrupt_entry") || error.place.byte === undefined) throw error;
    const { byte } = error.place;
    const line = await lineAt(byte, file).catch(() => undefined);
    if (line === undefined) throw error;
    const said = error.message.replace(`byte ${byte}`, `line ${line}, byte ${byte}`);
    throw new CorruptEntryError(said, { ...error.place, line });
  };
}

async function lineAt(byte: number, file: Lines): Promise<number | undefined> {
  for await (const lines of file.lines()) {
    const found = lines.find(({ offset }) => offset === byte);
    if (found !== undefined) return found.number;
  }
  return undefined;
}
