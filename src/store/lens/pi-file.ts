/** A session of pi's into which we wrote nothing, but pi's own todo extension or plan mode did. */
import { pi } from "../../lens/pi.ts";
import type { ByteSource } from "../session-file/session-bytes.ts";
import type { ForeignFile } from "./foreign-file.ts";
import { isOfPiAlone, isOfPiAloneIn } from "./pi-only.ts";

/** The result is undefined if it is not such a session. */
export function piFile(file: string): ForeignFile | undefined {
  return isOfPiAlone(file) ? { lens: pi, file, form: "lines" } : undefined;
}

/** This looks at a file that is open already. */
export function piIn(file: string, bytes: ByteSource): ForeignFile | undefined {
  return isOfPiAloneIn(bytes) ? { lens: pi, file, form: "lines" } : undefined;
}
