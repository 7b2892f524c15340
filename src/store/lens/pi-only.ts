/** Whether pi's own todo extension or plan mode wrote into a session of pi's, and we did not. */
import { lineNames } from "../../line/format.ts";
import { type ByteSource, SessionBytes } from "../session-file/session-bytes.ts";

const theirs = ['"toolName":"todo"', '"customType":"plan-mode"'];
const theirBytesMax = Math.max(...theirs.map((needle) => needle.length));
/** Most sessions of ours have an entry of ours near their beginning. */
const firstStepBytes = 16 * 1024;
const stepBytesMax = 1024 * 1024;

/**
 * The result says whether pi's own plan stands there before any entry of ours. This looks no further than the first of both: whoever reads
 * it as pi's finds out whether an entry of ours stands behind. `first` are bytes from the beginning of the file.
 */
export function mayBeOfPi(file: string, namespace: string | undefined, first: Buffer): boolean {
  return !first.includes(ourEntry(namespace)) && inFile(file, (bytes) => isOfPi(bytes, namespace, true));
}

/** The result says whether pi's own plan stands in it, and no entry of ours. This looks no further than the first entry of ours. */
export function isOfPiAlone(file: string): boolean {
  return inFile(file, isOfPiAloneIn);
}

/** This looks at a file that is open already. */
export function isOfPiAloneIn(bytes: ByteSource): boolean {
  return isOfPi(bytes, undefined, false);
}

/** An entry of ours has this in it. */
export function ourEntry(namespace: string | undefined): string {
  return `"customType":"${lineNames(namespace).namespace}`;
}

function inFile(file: string, look: (bytes: ByteSource) => boolean): boolean {
  const bytes = SessionBytes.open(file);
  if (bytes === undefined) return false;
  try {
    return look(bytes);
  } finally {
    bytes.close();
  }
}

function isOfPi(bytes: ByteSource, namespace: string | undefined, isFirstEnough: boolean): boolean {
  const ours = ourEntry(namespace);
  const overlap = Math.max(ours.length, theirBytesMax);
  let isTheirs = false;
  let stepBytes = firstStepBytes;
  let room = Buffer.allocUnsafe(stepBytes + overlap);
  const size = bytes.size();
  for (let from = 0; from < size; from += stepBytes) {
    if (from > 0) stepBytes = Math.min(from, stepBytesMax);
    if (room.length < stepBytes + overlap) room = Buffer.allocUnsafe(stepBytesMax + overlap);
    const piece = bytes.slice(from, from + stepBytes + overlap, room);
    if (piece.includes(ours)) return false;
    isTheirs ||= theirs.some((needle) => piece.includes(needle));
    if (isTheirs && isFirstEnough) return true;
  }
  return isTheirs;
}
