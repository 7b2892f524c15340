/** Looks back from an offset for the newest entry of the host's. */
import { decodeLine, trimLine } from "../../line/decode.ts";
import { isOurs, type LineNames, lineBytesMax } from "../../line/format.ts";
import { type Outline, OutlineReader } from "../../line/outline.ts";
import type { ByteSource } from "./session-bytes.ts";
import type { NewestHostEntry, OurEntry } from "./tail.ts";

const blockBytes = 64 * 1024;

/** Blank and broken lines are passed over. */
export function newestHostEntry(bytes: ByteSource, before: number, names: LineNames): NewestHostEntry {
  const ours: OurEntry[] = [];
  let end = before;
  while (end > 0) {
    const start = lineStartBefore(bytes, end - 1);
    const outline = outlineBetween(bytes, start, end);
    if (outline.type === "session") break;
    const { id, parentId, whole } = outline;
    if (whole && id !== undefined) {
      if (!isLineOfOurs(bytes, start, end, outline, names)) return { id, ours: ours.reverse() };
      ours.push({ id, parentId });
    }
    end = start;
  }
  return { id: null, ours: ours.reverse() };
}

/** The ids of all entries, the newest first. */
export function* entryIdsBackward(bytes: ByteSource): Generator<string> {
  let end = bytes.size();
  while (end > 0) {
    const start = lineStartBefore(bytes, end - 1);
    const { id, whole } = outlineBetween(bytes, start, end);
    if (whole && id !== undefined) yield id;
    end = start;
  }
}

function isLineOfOurs(bytes: ByteSource, start: number, end: number, outline: Outline, names: LineNames): boolean {
  if (outline.customType === undefined || !outline.customType.startsWith(names.namespace)) return false;
  const size = end - start - 1;
  const line = decodeLine(trimLine(bytes.slice(start, start + Math.min(size, lineBytesMax))), names, size);
  return line !== undefined && isOurs(line);
}

/** Offset past the last line feed before `position`. */
function lineStartBefore(bytes: ByteSource, position: number): number {
  let end = position;
  while (end > 0) {
    const start = Math.max(0, end - blockBytes);
    const feed = bytes.slice(start, end).lastIndexOf(0x0a);
    if (feed !== -1) return start + feed + 1;
    end = start;
  }
  return 0;
}

/** Of a line that may be too long to be read whole. */
export function outlineBetween(bytes: ByteSource, start: number, end: number): Outline {
  const reader = new OutlineReader();
  for (let at = start; at < end; at += blockBytes) reader.push(bytes.slice(at, Math.min(end, at + blockBytes)));
  return reader.end();
}
