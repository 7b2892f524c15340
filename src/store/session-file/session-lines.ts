/** The lines of a session file, one by one: every one of them in order, what stands between two places, or backward. */
import { isUtf8 } from "node:buffer";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { classify, classifyPieces, longLineBytes } from "../../line/classify.ts";
import { FileLines, piecesBetween } from "../../line/file-lines.ts";
import { entryOf, isOurs, type LineNames, type SessionLine } from "../../line/format.ts";
import type { NewestHostEntry, OurEntry } from "../../line/parent-finder.ts";
import type { RawLine } from "../../stream/log.ts";
import type { ByteSource } from "./session-bytes.ts";
import { rewrittenWhileRead } from "./session-path.ts";

/** After so many parts others have their turn: it takes a tenth of what a part takes. */
const turnParts = 4;
/** The system needs less to show the size of a file that was appended to, once it shows the time. */
const appendMs = 5;

/** The lines come in parts, and the next part overwrites the bytes of one. Throws StorageError where the file is rewritten meanwhile. */
export async function* linesOf(open: () => ByteSource, file: string): AsyncGenerator<readonly RawLine[], undefined> {
  const bytes = open();
  try {
    const all = new FileLines(bytes, isUtf8);
    for (let part = 1; !all.isAtEnd; part++) {
      const lines = all.next();
      if (lines === undefined) throw rewrittenWhileRead(file);
      if (lines.length > 0) yield lines;
      if (part % turnParts === 0) await turn();
    }
    if (all.isSame) return;
    await sleep(appendMs);
    if (!all.isSame) throw rewrittenWhileRead(file);
  } finally {
    bytes.close();
  }
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
