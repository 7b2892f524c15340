/** This is what a host did to its conversation between events: it stands in its file, and changes no state. */
export type HostMarkerKind =
  /** The host replaced the older part of its model's context with a summary. */
  | "compaction"
  /** An entry hangs on another one than the newest: the conversation was rewound and goes on from there. */
  | "branch"
  /** Another model answers from here on. */
  | "model"
  /** What stands before it was copied from another session. */
  | "fork"
  /** A person let the agent go on with its plan. */
  | "plan approved";

/** A marker is something that the host did, such as a compaction. */
export interface HostMarker {
  readonly marker: HostMarkerKind;
  /** ISO time, as it stands in the line; absent where there is none. */
  readonly at?: string;
  /** This is its place in bytes from the start of the file, so it can be sorted among events with an offset. */
  readonly offset: number;
  /** Lines are counted from 1. */
  readonly line: number;
  readonly entryId?: string;
  /**
   * This is the version behind which the marker stands, if an import carried it over. Then its offset, line and entry are those
   * of the session that it comes from.
   */
  readonly after?: number;
  /**
   * This is for a rewind that may have left compactions behind: those stand between this place and the rewind. It is the place of the entry
   * from which the conversation goes on, or a place before all compactions that were left.
   */
  readonly back?: number;
  /** This says more: the model, the tokens before a compaction, or the entry from which a branch goes on. */
  readonly detail: string;
}

/** This is a marker as an event of an import carries it. The host did it after the event that carries it. */
export type CarriedMarker = Omit<HostMarker, "after">;

/** The result is the markers that an event carries. They stand behind it. */
export function carriedBy({
  version,
  markers = [],
}: {
  readonly version: number;
  readonly markers?: readonly CarriedMarker[];
}): HostMarker[] {
  return markers.map((marker) => ({ ...marker, after: version }));
}

/** The result says whether a marker stands behind an event. What a compaction took away in its own line, it took away first. */
export function isBehind(
  { marker, after, offset }: HostMarker,
  { version, offset: place = 0 }: { readonly version: number; readonly offset?: number },
): boolean {
  if (after !== undefined) return after >= version;
  return marker === "compaction" ? offset > place : offset >= place;
}

/** The result is the compactions of the conversation as it stands: those that a rewind left behind are not among them. */
export function standingCompactions(markers: readonly HostMarker[]): HostMarker[] {
  const standing: HostMarker[] = [];
  // An import carries the places of another session.
  const ends = { own: Number.POSITIVE_INFINITY, carried: Number.POSITIVE_INFINITY };
  for (let index = markers.length - 1; index >= 0; index--) {
    const found = markers[index];
    const whose = found?.after === undefined ? "own" : "carried";
    if (found === undefined || found.offset > ends[whose]) continue;
    if (found.marker === "compaction") standing.push(found);
    if (found.marker === "branch") ends[whose] = found.back ?? ends[whose];
  }
  return standing.reverse();
}

/** The result has a copy where what was copied begins: who reads it may learn only later that it is one. */
export function withCopiesFirst(markers: readonly HostMarker[]): HostMarker[] {
  const placed: HostMarker[] = [];
  for (const marker of markers) {
    const before =
      marker.marker === "fork" ? placed.findLastIndex(({ offset }) => offset < marker.offset) + 1 : placed.length;
    placed.splice(before, 0, marker);
  }
  return placed;
}

/** The result is the markers beside an event that can be understood, or undefined where there is none. */
export function readMarkers(value: unknown): readonly CarriedMarker[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const read = value.flatMap((each: unknown) => readMarker(each) ?? []);
  return read.length === 0 ? undefined : Object.freeze(read);
}

function readMarker(value: unknown): CarriedMarker | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { marker, at, offset, line, entryId, back, detail } = value as {
    readonly [Name in keyof CarriedMarker]?: unknown;
  };
  if (!isKind(marker) || typeof detail !== "string" || !isPlace(offset) || !isPlace(line)) return undefined;
  const read: CarriedMarker = {
    marker,
    ...(typeof at === "string" && { at }),
    offset,
    line,
    ...(typeof entryId === "string" && { entryId }),
    ...(isPlace(back) && { back }),
    detail,
  };
  return Object.freeze(read);
}

function isPlace(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isKind(value: unknown): value is HostMarkerKind {
  return typeof value === "string" && Object.hasOwn(markerTitles, value);
}

/** These are the titles of the markers for people. */
export const markerTitles: Readonly<Record<HostMarkerKind, string>> = {
  compaction: "context compacted",
  branch: "conversation rewound",
  model: "model changed",
  fork: "conversation copied",
  "plan approved": "plan approved",
};
