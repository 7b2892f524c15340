/** A session of pi's into which we wrote nothing, but pi's own todo extension or plan mode did. */
import { pi } from "../../lens/pi.ts";
import { lineNames } from "../../line/format.ts";
import { SessionBytes } from "../session-file/session-bytes.ts";
import type { ForeignFile } from "./foreign-file.ts";

const theirs = ['"toolName":"todo"', '"customType":"plan-mode"'];

/** Undefined: not such a session. Looks no further than the first entry of ours. */
export function piFile(file: string, namespace: string | undefined): ForeignFile | undefined {
  const ours = `"customType":"${lineNames(namespace).namespace}`;
  const overlap = Math.max(ours.length, ...theirs.map((needle) => needle.length));
  const bytes = SessionBytes.open(file);
  if (bytes === undefined) return undefined;
  try {
    let [isOurs, isTheirs] = [false, false];
    const stepBytes = 1024 * 1024;
    for (let from = 0; from < bytes.size() && !isOurs; from += stepBytes) {
      const piece = bytes.slice(from, from + stepBytes + overlap);
      isOurs = piece.includes(ours);
      isTheirs ||= theirs.some((needle) => piece.includes(needle));
    }
    return isTheirs && !isOurs ? { lens: pi, file, form: "lines" } : undefined;
  } finally {
    bytes.close();
  }
}
