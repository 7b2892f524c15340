/** What the host did to its conversation between events of ours: compactions, branches, changes of model. */

import type { HostMarker, HostMarkerKind } from "../event/marker.ts";
import { classifyRaw } from "../line/classify.ts";
import { entryOf, type HostLine, isOurs, lineNames, type SessionLine } from "../line/format.ts";
import { given } from "../options.ts";
import type { VerifiedLine } from "./verify/finding.ts";

/** There is no other marker before `offset`. */
export interface Passed {
  readonly passed: true;
  readonly offset: number;
}

/** Who waits for what comes first, a marker or an event, need not read everything to learn that there is no marker. */
const passedLines = 64;

/** In file order. */
export async function* hostMarkers(
  lines: AsyncIterable<VerifiedLine> | Iterable<VerifiedLine>,
  namespace: string,
): AsyncGenerator<HostMarker, undefined> {
  for await (const found of markersOnTheWay(lines, namespace)) if (!("passed" in found)) yield found;
}

/** As {@link hostMarkers}, with how far they were looked for. Keeps no line: only the ids that stand between two lines of the host's. */
export async function* markersOnTheWay(
  lines: AsyncIterable<VerifiedLine> | Iterable<VerifiedLine>,
  namespace: string,
): AsyncGenerator<HostMarker | Passed, undefined> {
  const names = lineNames(namespace);
  /** Where the host's next entry may hang: its own newest one, or what was appended to it from outside. */
  let tips = new Set<string>();
  for await (const line of lines) {
    if (line.number % passedLines === 0) yield { passed: true, offset: line.offset };
    const content = classifyRaw(line, names);
    const { id, parentId, timestamp } = entryOf(content);
    if (id === undefined || isHeader(content)) continue;
    if (isOurs(content)) {
      tips.add(id);
      continue;
    }
    const place = { at: timestamp, offset: line.offset, line: line.number, entryId: id };
    if (typeof parentId === "string" && tips.size > 0 && !tips.has(parentId)) {
      yield marked("branch", place, `goes on from entry ${parentId}`);
    }
    if (content.kind === "host") yield* ownMarkers(content, place);
    tips = new Set([id]);
  }
}

function isHeader(line: SessionLine): boolean {
  return line.kind === "host" && line.type === "session";
}

function* ownMarkers(line: HostLine, place: Place): Generator<HostMarker> {
  if (line.type === "compaction") yield marked("compaction", place, compactionDetail(line));
  if (line.type === "model_change") yield marked("model", place, modelDetail(line));
}

interface Place extends Pick<HostMarker, "offset" | "line" | "entryId"> {
  readonly at: string | undefined;
}

function marked(marker: HostMarkerKind, { at, ...place }: Place, detail: string): HostMarker {
  return { marker, ...given({ at }), ...place, detail };
}

function modelDetail({ fields: { provider, modelId } = {} }: HostLine): string {
  return [provider, modelId].filter((part) => typeof part === "string").join("/");
}

function compactionDetail({ fields: { tokensBefore, firstKeptEntryId } = {} }: HostLine): string {
  return [
    ...(typeof tokensBefore === "number" ? [`${tokensBefore} tokens before`] : []),
    ...(typeof firstKeptEntryId === "string" ? [`kept from entry ${firstKeptEntryId}`] : []),
  ].join(", ");
}
