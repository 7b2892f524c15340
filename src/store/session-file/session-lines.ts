/** The lines of a session file, one by one: every one of them in order, what stands between two places, or backward. */
import { setImmediate as turn } from "node:timers/promises";
import { classify, classifyPieces, longLineBytes } from "../../line/classify.ts";
import { entryOf, isOurs, type LineNames, lineBytesMax, type SessionLine } from "../../line/format.ts";
import type { NewestHostEntry, OurEntry } from "../../line/parent-finder.ts";
import type { Places } from "../../line/places.ts";
import type { RawLine } from "../../stream/log.ts";
import type { ByteSource } from "./session-bytes.ts";

/** A long line is never in one part. Measured: parts of 1 MB take 8 MB more memory, for V8 frees them late, and no less time. */
const partBytes = 256 * 1024;

/** Its bytes are views of what was read at once, which nothing overwrites. Between two parts timers have their turn. */
export async function* linesOf(bytes: ByteSource): AsyncGenerator<RawLine> {
  let [number, start, position] = [0, 0, 0];
  for (const size = bytes.size(); position < size; ) {
    const part = bytes.slice(position, Math.min(size, position + partBytes));
    if (part.length === 0) break;
    for (let feed = part.indexOf(lineFeed); feed !== -1; feed = part.indexOf(lineFeed, start - position)) {
      const end = position + feed;
      number += 1;
      if (start < position) yield lineAt(bytes, start, end, number, true);
      else
        yield { offset: start, number, size: end - start, ended: true, bytes: part.subarray(start - position, feed) };
      start = end + 1;
    }
    position += part.length;
    if (position < size) await turn();
  }
  if (start < position) yield lineAt(bytes, start, position, number + 1, false);
}

function lineAt(bytes: ByteSource, offset: number, end: number, number: number, ended: boolean): RawLine {
  const size = end - offset;
  const line = { offset, number, size, ended };
  if (size < longLineBytes) return { ...line, bytes: bytes.slice(offset, end) };
  return {
    ...line,
    get bytes() {
      return bytes.slice(offset, offset + Math.min(size, lineBytesMax));
    },
    pieces: (take) => piecesBetween(bytes, offset, end, take),
  };
}

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

function piecesBetween(bytes: ByteSource, start: number, end: number, take: (piece: Uint8Array) => void): void {
  for (let at = start; at < end; at += blockBytes) take(bytes.slice(at, Math.min(end, at + blockBytes)));
}

/** False: it is a line of the host's that begins no turn, or none at all. */
export function mayMatterBetween(bytes: ByteSource, start: number, end: number, places: Places): boolean {
  for (let at = start; at < end; at += blockBytes) {
    if (places.areIn(bytes.slice(at, Math.min(end, at + blockBytes + overlapBytes)))) return true;
  }
  return false;
}

const lineFeed = 0x0a;

/** The result is the newest entry of the host before an offset. Blank and broken lines are skipped. */
export function newestHostEntry(bytes: ByteSource, before: number, names: LineNames): NewestHostEntry {
  const ours: OurEntry[] = [];
  for (const line of linesBackward(bytes, before, names)) {
    if (line.kind === "host" && line.type === "session") break;
    const { id, parentId } = entryOf(line);
    if (id === undefined) continue;
    if (!isOurs(line)) return { id, ours: ours.reverse() };
    ours.push({ id, parentId });
  }
  return { id: null, ours: ours.reverse() };
}

/** The ids of all entries, the newest first; of a last line that has not ended, too. */
export function* entryIdsBackward(bytes: ByteSource, names: LineNames): Generator<string> {
  const size = bytes.size();
  const end = bytes.slice(size - 1, size)[0] === lineFeed ? size : size + 1;
  for (const line of linesBackward(bytes, end, names)) {
    const { id } = entryOf(line);
    if (id !== undefined) yield id;
  }
}

function* linesBackward(bytes: ByteSource, before: number, names: LineNames): Generator<SessionLine> {
  for (let end = before; end > 0; ) {
    const start = lineStartBefore(bytes, end - 1);
    yield classifyBetween(bytes, start, end, names);
    end = start;
  }
}

/** The result is the offset past the last line feed before `position`. */
function lineStartBefore(bytes: ByteSource, position: number): number {
  let end = position;
  while (end > 0) {
    const start = Math.max(0, end - blockBytes);
    const feed = bytes.slice(start, end).lastIndexOf(lineFeed);
    if (feed !== -1) return start + feed + 1;
    end = start;
  }
  return 0;
}
