/** Whether pi's own todo extension or plan mode wrote into a session of pi's, and we did not. */
import { lineNames } from "../../line/format.ts";
import { type ByteSource, SessionBytes } from "../session-file/session-bytes.ts";

const theirs = ['"toolName":"todo"', '"customType":"plan-mode"'];
/** Most sessions of ours have an entry of ours near their beginning. */
const firstStepBytes = 16 * 1024;
const stepBytesMax = 1024 * 1024;

/** Looks no further than the first entry of ours. `first` are bytes from the beginning of the file, if some are at hand. */
export function isOfPiAlone(file: string, namespace: string | undefined, first?: Buffer): boolean {
  if (first?.includes(ourEntry(namespace)) === true) return false;
  const bytes = SessionBytes.open(file);
  if (bytes === undefined) return false;
  try {
    return isOfPiAloneIn(bytes, namespace);
  } finally {
    bytes.close();
  }
}

/** This says whether an entry of ours stands behind `from`. */
export function holdsEntryOfOurs(bytes: ByteSource, from: number, namespace: string | undefined): boolean {
  const ours = ourEntry(namespace);
  const size = bytes.size();
  for (let at = Math.max(0, from - ours.length); at < size; at += stepBytesMax)
    if (bytes.slice(at, at + stepBytesMax + ours.length).includes(ours)) return true;
  return false;
}

function ourEntry(namespace: string | undefined): string {
  return `"customType":"${lineNames(namespace).namespace}`;
}

/** The same of a file that is open. */
export function isOfPiAloneIn(bytes: ByteSource, namespace: string | undefined): boolean {
  const ours = ourEntry(namespace);
  const overlap = Math.max(ours.length, ...theirs.map((needle) => needle.length));
  let isTheirs = false;
  let stepBytes = firstStepBytes;
  const size = bytes.size();
  for (let from = 0; from < size; from += stepBytes) {
    if (from > 0) stepBytes = Math.min(from, stepBytesMax);
    const piece = bytes.slice(from, from + stepBytes + overlap);
    if (piece.includes(ours)) return false;
    isTheirs ||= theirs.some((needle) => piece.includes(needle));
  }
  return isTheirs;
}
