/** Reading counts no lines, because it passes over those of the host. This counts them where somebody is to find one. */
import { CorruptEntryError, isJournalError } from "../errors.ts";
import type { JournalStore } from "../stream/stream-store.ts";

/** The result is the error, and says the line as well where damage in a session file is at a known byte. */
export async function withLine(error: unknown, { file }: JournalStore): Promise<unknown> {
  if (file === undefined || !isJournalError(error, "corrupt_entry") || error.place.byte === undefined) return error;
  const { byte } = error.place;
  const line = await lineAt(byte, file).catch(() => undefined);
  if (line === undefined) return error;
  const said = error.message.replace(`byte ${byte}`, `line ${line}, byte ${byte}`);
  return new CorruptEntryError(said, { ...error.place, line });
}

async function lineAt(byte: number, file: NonNullable<JournalStore["file"]>): Promise<number | undefined> {
  for await (const lines of file.lines()) {
    const found = lines.find(({ offset }) => offset === byte);
    if (found !== undefined) return found.number;
  }
  return undefined;
}
