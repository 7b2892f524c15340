/** What the lines of a session file hold for a stream. */
import { type Evidence, madeHere } from "../line/acceptance.ts";
import { classifyRaw, type RawBytes } from "../line/classify.ts";
import { type Anchor, EntryTree } from "../line/entry-tree.ts";
import {
  beginsTurn,
  entryOf,
  isOurs,
  type LineNames,
  leafTarget,
  lineNames,
  noEntry,
  type SessionLine,
} from "../line/format.ts";
import { isTornLine } from "../line/torn.ts";
import type { LogEntry, LogPage, RawLine, SessionLines } from "./log.ts";

/** This is called with each line before what its part of the file holds is handed on. */
export type LookAtLine = (line: SessionLine, raw: RawLine) => void;

/** These are the pages that the log of the file reads, for a caller of all its lines: one for each part. With `isBranched`, entries say where they hang. */
export async function* pagesIn(
  parts: AsyncIterable<readonly RawLine[]>,
  { namespace, leafId }: SessionLines,
  isBranched: boolean,
  look?: LookAtLine,
): AsyncGenerator<LogPage> {
  const names = lineNames(namespace);
  const tree = isBranched ? new EntryTree() : undefined;
  for await (const lines of parts) {
    const entries: LogEntry[] = [];
    for (const raw of lines) {
      const line = classifyRaw(raw, names);
      look?.(line, raw);
      if (!raw.ended) continue;
      const anchor = tree && anchorIn(tree, line);
      const entry = entryOfRaw(raw, line, anchor, names);
      if (entry !== undefined) entries.push(entry);
    }
    yield { entries, cursor: undefined };
  }
  if (tree !== undefined) yield { entries: [{ kind: "branch", path: tree.path(leafId?.()) }], cursor: undefined };
}

function entryOfRaw(raw: RawLine & RawBytes, line: SessionLine, anchor: Anchor | undefined, names: LineNames) {
  // Nearly all lines are these, and count for nothing.
  if (line.kind === "host" && !beginsTurn(line)) return undefined;
  const evidence = raw.found?.isRight === true ? madeHere : undefined;
  return entryIn(line, { offset: raw.offset, anchor }, () => isTornLine(raw.bytes, names), evidence);
}

/** The result says where a line hangs. The header has an id, but no entry can hang on it. */
export function anchorIn(tree: EntryTree, line: SessionLine): Anchor {
  const isHeader = line.kind === "host" && line.type === "session";
  return tree.add(isHeader ? noEntry : entryOf(line), isOurs(line), leafTarget(line));
}

/** The result is undefined if the line counts for nothing. `isTorn` is asked about a line that is no JSON object. */
export function entryIn(
  line: SessionLine,
  { offset, anchor }: { readonly offset: number; readonly anchor?: Anchor | undefined },
  isTorn: () => boolean,
  evidence?: Evidence,
): LogEntry | undefined {
  switch (line.kind) {
    case "commit":
      return { kind: "commit", data: line.data, entry: line.entry, offset, anchor, evidence };
    case "value": {
      if (line.mirror !== undefined) return undefined;
      const { key, data, entry, unreadBytes } = line;
      return { kind: "value", key, data, entry, offset, anchor, unreadBytes };
    }
    case "damaged":
      return { kind: "damaged", reason: line.reason, broken: line.broken, torn: line.broken && isTorn(), offset };
    case "host":
      return beginsTurn(line) ? { kind: "turns", count: 1, offset } : undefined;
    case "mark":
    case "broken":
      return undefined;
  }
}
