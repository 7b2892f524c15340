/** What the host did to its conversation between events of ours: compactions, branches, changes of model. */
import type { HostMarker, HostMarkerKind } from "../event/marker.ts";
import { decodeLine, trimLine } from "../line/decode.ts";
import { isOurs, lineNames } from "../line/format.ts";
import { type Outline, outlineOf } from "../line/outline.ts";
import type { VerifiedLine } from "./verify/finding.ts";

/** Longer lines are not read for more about them. Bytes. */
const detailBytesMax = 1 << 20;

/** In file order. Keeps no line: only the ids that stand between two lines of the host's. */
export async function* hostMarkers(
  lines: AsyncIterable<VerifiedLine> | Iterable<VerifiedLine>,
  namespace: string,
): AsyncGenerator<HostMarker, undefined> {
  const names = lineNames(namespace);
  /** Where the host's next entry may hang: its own newest one, or what was appended to it from outside. */
  let tips = new Set<string>();
  for await (const line of lines) {
    const text = trimLine(line.bytes);
    const outline = outlineOf(text);
    if (line.number === 1 || outline.id === undefined) continue;
    const decoded = decodeLine(text, names, line.size);
    if (decoded !== undefined && isOurs(decoded)) {
      tips.add(outline.id);
      continue;
    }
    const { parentId } = outline;
    if (typeof parentId === "string" && tips.size > 0 && !tips.has(parentId)) {
      yield marked("branch", line, outline, `goes on from entry ${parentId}`);
    }
    if (outline.type === "compaction") yield marked("compaction", line, outline, compactionDetail(fieldsOf(line)));
    if (outline.type === "model_change") yield marked("model", line, outline, modelDetail(fieldsOf(line)));
    tips = new Set([outline.id]);
  }
}

function marked(
  marker: HostMarkerKind,
  { offset, number }: VerifiedLine,
  { id, timestamp }: Outline,
  detail: string,
): HostMarker {
  return {
    marker,
    ...(timestamp === undefined ? {} : { at: timestamp }),
    offset,
    line: number,
    ...(id === undefined ? {} : { entryId: id }),
    detail,
  };
}

function modelDetail({ provider, modelId }: Fields): string {
  return [provider, modelId].filter((part) => typeof part === "string").join("/");
}

function compactionDetail({ tokensBefore, firstKeptEntryId }: Fields): string {
  return [
    ...(typeof tokensBefore === "number" ? [`${tokensBefore} tokens before`] : []),
    ...(typeof firstKeptEntryId === "string" ? [`kept from entry ${firstKeptEntryId}`] : []),
  ].join(", ");
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf({ bytes, size }: VerifiedLine): Fields {
  if (size > detailBytesMax) return {};
  try {
    return JSON.parse(new TextDecoder().decode(trimLine(bytes))) as Fields;
  } catch {
    return {};
  }
}
