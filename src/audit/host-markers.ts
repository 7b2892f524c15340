/** What the host did to its conversation between events of ours: compactions, branches, changes of model. */

import type { HostMarker, HostMarkerKind } from "../event/marker.ts";
import { classifyRaw } from "../line/classify.ts";
import { entryOf, type HostLine, isCopiedTurn, isOurs, lineNames, type SessionLine } from "../line/format.ts";
import { IdSet } from "../line/id-set.ts";
import { given } from "../options.ts";
import { EntryPlaces } from "./entry-places.ts";
import type { VerifiedLine } from "./verify/finding.ts";

/** The markers come in the order of the file. */
export async function* hostMarkers(
  parts: AsyncIterable<readonly VerifiedLine[]> | Iterable<readonly VerifiedLine[]>,
  namespace: string,
): AsyncGenerator<HostMarker, undefined> {
  const names = lineNames(namespace);
  const found = new HostMarkers();
  for await (const lines of parts) for (const line of lines) yield* found.line(classifyRaw(line, names), line);
}

/** What a copy wrote in place of a host's lines is none. */
export async function hasHostLines(parts: AsyncIterable<readonly VerifiedLine[]>, namespace: string): Promise<boolean> {
  const names = lineNames(namespace);
  for await (const lines of parts) {
    for (const raw of lines) {
      const line = classifyRaw(raw, names);
      if (line.kind === "host" && !isHeader(line) && !isCopiedTurn(line)) return true;
    }
  }
  return false;
}

/** Keeps no line: only ids in short form, for there may be a million. */
export class HostMarkers {
  /** The host's next entry may hang on its own newest one, or on what was appended to it from outside. */
  #newest: string | undefined;
  #ours: IdSet | undefined;
  /** The places of the entries from the first compaction on: a session without one has nothing to leave. */
  #places: EntryPlaces | undefined;

  /** Takes the next line of the file, and answers what it says. */
  line(content: SessionLine, { offset, number }: Pick<VerifiedLine, "offset" | "number">): readonly HostMarker[] {
    const entry = entryOf(content);
    const { id, parentId } = entry;
    if (id === undefined || isHeader(content)) return nothing;
    const places = this.#places;
    if (content.kind === "host" && content.type === "compaction") this.#places ??= new EntryPlaces();
    this.#places?.add(id, offset);
    if (isOurs(content)) {
      this.#ours ??= new IdSet();
      this.#ours.add(id);
      return nothing;
    }
    const isRewound = typeof parentId === "string" && this.#isElsewhere(parentId);
    const back = isRewound && places !== undefined ? (places.offsetOf(parentId) ?? 0) : undefined;
    this.#newest = id;
    this.#ours = undefined;
    const isPlain = content.kind === "host" && content.isPlain === true;
    if (isPlain && !isRewound) return nothing;
    const place = { at: entry.timestamp, offset, line: number, entryId: id };
    return [
      ...(isRewound ? [{ ...marked("branch", place, `goes on from entry ${parentId}`), ...given({ back }) }] : []),
      ...(content.kind === "host" ? ownMarkers(content, place) : []),
    ];
  }

  /** Before the first entry there is nothing that another one could hang on instead. */
  #isElsewhere(parentId: string): boolean {
    if (this.#newest === undefined && this.#ours === undefined) return false;
    return parentId !== this.#newest && this.#ours?.has(parentId) !== true;
  }
}

/** Nearly all lines say nothing. */
const nothing: readonly HostMarker[] = [];

function isHeader(line: SessionLine): boolean {
  return line.kind === "host" && line.type === "session";
}

function* ownMarkers(line: HostLine, place: MarkerPlace): Generator<HostMarker> {
  if (line.type === "compaction") yield marked("compaction", place, compactionDetail(line));
  if (line.type === "model_change") yield marked("model", place, modelDetail(line));
}

interface MarkerPlace extends Pick<HostMarker, "offset" | "line"> {
  readonly at: string | undefined;
  readonly entryId: string;
}

/** Every field is named: Node 20 is thirty times slower where properties are added behind what was spread. */
function marked(marker: HostMarkerKind, { at, offset, line, entryId }: MarkerPlace, detail: string): HostMarker {
  return at === undefined ? { marker, offset, line, entryId, detail } : { marker, at, offset, line, entryId, detail };
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
