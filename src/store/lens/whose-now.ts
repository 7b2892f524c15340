/** This file tells whose session a file holds by now, for whoever reads it for longer. */
import { NotASessionError } from "../../errors.ts";
import { pi } from "../../lens/pi.ts";
import type { ByteSource } from "../session-file/session-bytes.ts";
import { type ForeignFile, foreignIn, isSessionOfOurs } from "./foreign-file.ts";

/**
 * The result is `known`, or another client's session that was written in its place. It is undefined for a file that is nobody's yet: it may
 * be written at this moment. Throws NotASessionError for what is to be opened anew.
 */
export function whoseNow(known: ForeignFile, bytes: ByteSource): ForeignFile | undefined {
  const { file, lens, form, agent } = known;
  const now = foreignIn(file, bytes);
  if (now === undefined) {
    // Whoever reads a session of pi's finds out whether it holds an entry of ours.
    if (lens !== pi && isSessionOfOurs(bytes)) throw openAnew(known);
    return undefined;
  }
  if (now.lens === lens && now.form === form) return known;
  if (agent !== undefined || now.form === "database") throw openAnew(known);
  return now;
}

function openAnew({ file, lens }: ForeignFile): NotASessionError {
  return new NotASessionError(
    `${file} was a session of ${lens.title}, and another one is there by now: open it again`,
    {
      file,
    },
  );
}
