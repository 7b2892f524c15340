/** Looks back from an offset for the newest entry of the host's. */
import { entryOf, isOurs, type LineNames } from "../../line/format.ts";
import type { NewestHostEntry, OurEntry } from "./parent-finder.ts";
import type { ByteSource } from "./session-bytes.ts";
import { classifyBetween } from "./session-lines.ts";

const blockBytes = 64 * 1024;

const lineFeed = 0x0a;

/** Blank and broken lines are passed over. */
export function newestHostEntry(bytes: ByteSource, before: number, names: LineNames): NewestHostEntry {
  const ours: OurEntry[] = [];
  let end = before;
  while (end > 0) {
    const start = lineStartBefore(bytes, end - 1);
    const line = classifyBetween(bytes, start, end, names);
    if (line.kind === "host" && line.type === "session") break;
    const { id, parentId } = entryOf(line);
    if (id !== undefined) {
      if (!isOurs(line)) return { id, ours: ours.reverse() };
      ours.push({ id, parentId });
    }
    end = start;
  }
  return { id: null, ours: ours.reverse() };
}

/** The ids of all entries, the newest first; of a last line that has not ended, too. */
export function* entryIdsBackward(bytes: ByteSource, names: LineNames): Generator<string> {
  const size = bytes.size();
  let end = bytes.slice(size - 1, size)[0] === lineFeed ? size : size + 1;
  while (end > 0) {
    const start = lineStartBefore(bytes, end - 1);
    const { id } = entryOf(classifyBetween(bytes, start, end, names));
    if (id !== undefined) yield id;
    end = start;
  }
}

/** Offset past the last line feed before `position`. */
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
