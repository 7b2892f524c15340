import { openJournal } from "./open.ts";
import { type OpenOptions, parseOpenOptions } from "./open-options.ts";
import { Pad } from "./workspace/pad.ts";

/**
 * Opens the pad of entries in a folder, made where there is none: one journal, `journal.jsonl`, for all sessions, and
 * each entry also as `<key>.txt`. What a person put, changed or removed there is taken in. `options` are those of
 * `openJournal`, which throws what this does; `readonly` leaves the files out of it.
 */
export async function openPad(directory: string, options?: OpenOptions): Promise<Pad> {
  if (typeof directory !== "string" || directory === "") throw new TypeError("name the folder of the pad");
  const { readonly = false, create = true } = parseOpenOptions(options);
  return Pad.open(directory, { open: (file) => openJournal(file, options), readonly, create });
}
