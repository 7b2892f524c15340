/** The lines of a session file, one by one: every one of them in order, what stands between two places, or backward. */
import { isUtf8 } from "node:buffer";
import { setImmediate as turn } from "node:timers/promises";
import { classify, classifyPieces, longLineBytes, type RawBytes } from "../../line/classify.ts";
import { entryOf, isOurs, type LineNames, lineBytesMax, type SessionLine } from "../../line/format.ts";
import { surveyBytesMax, surveyLines } from "../../line/line-survey.ts";
import type { NewestHostEntry, OurEntry } from "../../line/parent-finder.ts";
import type { RawLine } from "../../stream/log.ts";
import type { ByteSource } from "./session-bytes.ts";

/** A long line is never in one part. Measured: parts of 1 MB take 8 MB more memory, for V8 frees them late, and no less time. */
const partBytes = surveyBytesMax;

/** The lines come in parts. Their bytes are views of what was read at once, which the next part overwrites: fresh memory takes as long as reading. Between two parts timers have their turn. */
export async function* linesOf(open: () => ByteSource): AsyncGenerator<readonly RawLine[], undefined> {
  const [bytes, room] = [open(), Buffer.allocUnsafe(partBytes)];
  try {
    let [count, start, position] = [0, 0, 0];
    for (const size = bytes.size(); position < size; ) {
      const part = bytes.slice(position, Math.min(size, position + partBytes), room);
      if (part.length === 0) break;
      const lines = endingIn(part, bytes, count, start, position);
      const last = lines.at(-1);
      if (last !== undefined) yield lines;
      // A line that goes on behind the part comes again with the next one.
      position = last === undefined ? position + part.length : last.offset + last.size + 1;
      if (last !== undefined) [count, start] = [count + lines.length, position];
      if (position < size) await turn();
    }
    if (start < position) yield [lineAt(bytes, start, position, count + 1, false)];
  } finally {
    bytes.close();
  }
}

function endingIn(part: Buffer, bytes: ByteSource, count: number, start: number, position: number) {
  if (start === position) return surveyLines(part, isUtf8, start, count);
  const feed = part.indexOf(lineFeed);
  return feed === -1 ? [] : [lineAt(bytes, start, position + feed, count + 1, true)];
}

function lineAt(bytes: ByteSource, offset: number, end: number, number: number, ended: boolean): RawLine & RawBytes {
  const size = end - offset;
  const line = { offset, number, size, ended };
  if (size < longLineBytes) return { ...line, bytes: bytes.slice(offset, end) };
  return {
    ...line,
    pieces: (take) => piecesBetween(bytes, offset, end, take),
    get bytes() {
      return bytes.slice(offset, offset + Math.min(size, lineBytesMax));
    },
  };
}

const lineFeed = 0x0a;
const blockBytes = 64 * 1024;

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

/** Blank lines are left out. Each block is read once, however many lines it has. */
function* linesBackward(bytes: ByteSource, before: number, names: LineNames): Generator<SessionLine> {
  let end = before;
  for (let behind = before - 1; behind > 0; behind -= blockBytes) {
    const start = Math.max(0, behind - blockBytes);
    const block = bytes.slice(start, behind);
    for (let size = block.length; size > 0; ) {
      size = block.lastIndexOf(lineFeed, size - 1);
      if (size === -1) break;
      if (start + size + 2 < end) yield classifyBetween(bytes, start + size + 1, end, names);
      end = start + size + 1;
    }
  }
  if (end > 0) yield classifyBetween(bytes, 0, end, names);
}
