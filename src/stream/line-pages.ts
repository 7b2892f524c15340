/** What the lines of a session file hold for a stream, for who goes through all of them anyway. */
import { classifyRaw } from "../line/classify.ts";
import { beginsTurn, entryOf, type LineNames, lineNames } from "../line/format.ts";
import { isTornLine } from "../line/torn.ts";
import type { LogEntry, LogPage, RawLine } from "./log.ts";

/** As the log of the file reads it. For a journal that is folded by file: nothing says where an entry hangs. */
export async function* pagesIn(lines: AsyncIterable<RawLine>, namespace: string): AsyncGenerator<LogPage> {
  const names = lineNames(namespace);
  for await (const line of lines) {
    const entry = line.ended ? entryIn(line, names) : undefined;
    if (entry !== undefined) yield { entries: [entry], cursor: undefined, bytes: line.size };
  }
}

function entryIn(raw: RawLine, names: LineNames): LogEntry | undefined {
  const line = classifyRaw(raw, names);
  if (beginsTurn(line)) return { kind: "turns", count: 1 };
  const { offset } = raw;
  switch (line.kind) {
    case "commit":
      return { kind: "commit", data: line.data, entry: entryOf(line), offset, evidence: line.hashed };
    case "value":
      if (line.mirror !== undefined) return undefined;
      return { kind: "value", key: line.key, data: line.data, entry: entryOf(line), offset };
    case "damaged": {
      const { reason, broken } = line;
      return { kind: "damaged", reason, broken, torn: broken && isTornLine(raw.bytes, names), offset };
    }
    case "mark":
    case "host":
    case "broken":
      return undefined;
  }
}
