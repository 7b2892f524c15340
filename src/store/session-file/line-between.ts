/** What a line is that may be too long to be read whole. */
import { classify, classifyPieces, longLineBytes } from "../../line/classify.ts";
import type { LineNames, SessionLine } from "../../line/format.ts";
import type { Places } from "../../line/places.ts";
import type { ByteSource } from "./session-bytes.ts";

const blockBytes = 64 * 1024;

/** More than a place has bytes. */
const overlapBytes = 128;

/** The line from `start`; its line feed ends at `end`. */
export function classifyBetween(bytes: ByteSource, start: number, end: number, names: LineNames): SessionLine {
  const size = end - start - 1;
  const whole = (): Buffer => bytes.slice(start, start + size);
  if (size < longLineBytes) return classify(whole(), names);
  return classifyPieces((take) => piecesBetween(bytes, start, start + size, take), size, whole, names);
}

export function piecesBetween(bytes: ByteSource, start: number, end: number, take: (piece: Uint8Array) => void): void {
  for (let at = start; at < end; at += blockBytes) take(bytes.slice(at, Math.min(end, at + blockBytes)));
}

/** False: it is a line of the host's that begins no turn, or none at all. */
export function mayMatterBetween(bytes: ByteSource, start: number, end: number, places: Places): boolean {
  for (let at = start; at < end; at += blockBytes) {
    if (places.areIn(bytes.slice(at, Math.min(end, at + blockBytes + overlapBytes)))) return true;
  }
  return false;
}
