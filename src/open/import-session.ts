/**
 * A journal of our own out of the session of another client: what it says, event by event, with its times, turns and actors,
 * behind an event that says of which file this was read.
 */

import type { DraftEvent, Head } from "../event/commit.ts";
import type { ImportOrigin, RecordedEvent, ScratchpadEvent, Version } from "../event/event.ts";
import type { ForeignSession } from "../event/foreign.ts";
import { type CarriedMarker, carriedBy, type HostMarker, isBehind, standingCompactions } from "../event/marker.ts";
import { type Copied, isImported, untilImported } from "../journal/copy.ts";
import { genesisHash, type SealKey } from "../line/chain.ts";
import { commitDataOf } from "../line/encode.ts";
import type { StreamRecord } from "../line/record.ts";
import { given } from "../options.ts";
import { nobody } from "../stream/delivery.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import { requireGoesOn, requireImport } from "./import-checks.ts";
import { lastingIn, newsIn } from "./listed-now.ts";

export interface ImportContext {
  readonly now: () => Date;
  /** Each call makes a new UUID. */
  readonly ids: () => string;
  readonly seal?: SealKey | undefined;
}

/** An event as it is to stand in the journal. */
type Imported = DraftEvent & { readonly at: string };

/**
 * Brings `target` to where `source` is. What it holds already of the same session is left, so that an import that is done
 * again takes only what is new. Throws StorageError where it holds anything else: another session, a history that `source`
 * no longer tells, or events that somebody added.
 */
export async function importSession(
  source: JournalStore,
  foreign: ForeignSession,
  target: JournalStore,
  context: ImportContext,
): Promise<Copied> {
  const session = await target.sessionId();
  const told = await toldBy(source, foreign);
  let after: Version | undefined;
  await untilImported(target, async () => {
    const held = await heldBy(target);
    after ??= held.length;
    requireImport(held, originOf(foreign), source.where, target.where);
    requireGoesOn(held, lastingIn(told, foreign.client), foreign, source.where, target.where);
    const missing = missingIn(held, told, foreign, context.now());
    if (missing.length === 0) return true;
    const head = (await target.headAt(held.length)) ?? { version: 0, hash: genesisHash(session, context.seal) };
    return isImported(target, held.length, recordsOf(missing, head, context, turnsIn(held)));
  });
  const leftOut = foreign.findings.filter(({ severity }) => severity === "damage").length;
  const { version, hash } = await target.catchUp(undefined, nobody);
  return {
    session,
    from: source.where,
    to: target.where,
    version,
    hash,
    events: version - (after ?? 0),
    leftOut,
    otherTurns: 0,
    hostMarkers: 0,
  };
}

/** An event that says what was read goes before what is new. */
function missingIn(
  held: readonly RecordedEvent[],
  told: readonly RecordedEvent[],
  foreign: ForeignSession,
  now: Date,
): readonly Imported[] {
  const { client, turns } = foreign;
  const heldOfIt = held.filter(({ event }) => !isOfImport(event));
  const at = now.toISOString();
  const { first, events } = importedFrom(newsIn(heldOfIt, told, foreign), {
    ...{ client, turns, begun: turnsIn(held) },
    markers: withBacks(held, notCarried(held, foreign.markers), foreign.markers),
    at: told.at(-1)?.at ?? at,
  });
  if (events.length === 0 && held.length > 0 && first.length === 0) return [];
  const importing: Imported = {
    event: { type: "session.imported", from: originOf(foreign) },
    actor: client,
    at,
    ...withMarkers(first),
  };
  return [...spread([importing, ...events], importing)];
}

function originOf({ client, versions, session, bytes, sha256 = "" }: ForeignSession): ImportOrigin {
  const version = versions.at(-1);
  return { client, ...given({ version }), session, bytes, sha256 };
}

interface ImportedHistory {
  /** The host did these before the first of the events. */
  readonly first: readonly HostMarker[];
  readonly events: readonly Imported[];
}

interface ToBegin {
  readonly client: string;
  /** So many turns the session has, and so many were imported before. */
  readonly turns: number;
  readonly begun: number;
  readonly markers: readonly HostMarker[];
  /** A turn in which nothing changed yet begins then. */
  readonly at: string;
}

/**
 * Each turn is begun before its first event; what is open at the end is begun, too. What the host did stands with the event
 * that it came after.
 */
function importedFrom(
  told: readonly RecordedEvent[],
  { client, turns, begun, markers, at: openAt }: ToBegin,
): ImportedHistory {
  const imported: Imported[] = [];
  const left = [...markers];
  const first: HostMarker[] = [];
  const carry = (passed: readonly HostMarker[]): void => {
    const last = imported.at(-1);
    if (last === undefined) first.push(...passed);
    else if (passed.length > 0) imported[imported.length - 1] = { ...last, ...withMarkers(passed) };
  };
  let turn = begun;
  const beginTurns = (to: number, at: string): void => {
    for (; turn < to; turn++) imported.push({ event: { type: "turn.began" }, actor: client, at });
  };
  for (const recorded of told) {
    const { event, actor, at, turn: of } = recorded;
    const next = left.findIndex((marker) => isBehind(marker, recorded));
    carry(left.splice(0, next === -1 ? left.length : next));
    beginTurns(of, at);
    imported.push({ event, actor, at });
  }
  beginTurns(turns, openAt);
  carry(left);
  return { first, events: imported };
}

/** The result lacks the markers that what is held carries already. A marker has no other name than what it says. */
function notCarried(held: readonly RecordedEvent[], markers: readonly HostMarker[]): readonly HostMarker[] {
  const carried = new Map<string, number>();
  for (const marker of held.flatMap(({ markers: ofEvent = [] }) => ofEvent))
    carried.set(nameOf(marker), (carried.get(nameOf(marker)) ?? 0) + 1);
  return markers.filter((marker) => {
    const count = carried.get(nameOf(marker)) ?? 0;
    carried.set(nameOf(marker), count - 1);
    return count <= 0;
  });
}

/** What was carried before stays. A rewind says which of it the session has left since. */
function withBacks(
  held: readonly RecordedEvent[],
  markers: readonly HostMarker[],
  all: readonly HostMarker[],
): readonly HostMarker[] {
  const now = new Set(all.map(nameOf));
  const left = standingCompactions(held.flatMap(carriedBy)).filter((marker) => !now.has(nameOf(marker)));
  return markers.map((marker) => {
    const first = left.find(({ offset }) => marker.marker === "branch" && offset < marker.offset);
    return first === undefined ? marker : { ...marker, back: first.offset - 1 };
  });
}

function nameOf({ marker, at, entryId, detail }: CarriedMarker): string {
  return JSON.stringify([marker, at, entryId, detail]);
}

/** An event carries as many markers as its line has room for. Imports behind it carry the others. */
function* spread(events: readonly Imported[], importing: Imported): Generator<Imported> {
  for (const event of events) {
    const left = [...(event.markers ?? [])];
    yield { ...event, ...withMarkers(roomful(left)) };
    while (left.length > 0) yield { ...importing, ...withMarkers(roomful(left)) };
  }
}

function roomful(left: CarriedMarker[]): readonly CarriedMarker[] {
  let units = 0;
  const over = left.findIndex((marker) => {
    units += JSON.stringify(marker).length;
    return units > markerUnitsMax;
  });
  return left.splice(0, over === -1 ? left.length : Math.max(1, over));
}

/** A commit line holds a mebibyte, and a unit takes three bytes at the most. */
const markerUnitsMax = 1 << 17;

function withMarkers(markers: readonly CarriedMarker[]): Pick<Imported, "markers"> {
  return markers.length === 0 ? {} : { markers };
}

function turnsIn(held: readonly RecordedEvent[]): number {
  return held.filter(({ event }) => event.type === "turn.began").length;
}

/**
 * The client may have written more since its bytes were counted: the digest says nothing of that, so it comes with the next import. What it
 * lost at a compaction within these bytes may be told only by what it wrote since: such an event lies within them, too, and is one more than
 * they tell.
 */
async function toldBy(source: JournalStore, { bytes, calls }: ForeignSession): Promise<RecordedEvent[]> {
  const told: RecordedEvent[] = [];
  for await (const recorded of source.read(0)) {
    if (told.length === calls.length || (recorded.offset ?? 0) >= bytes) break;
    told.push(recorded);
  }
  return told;
}

async function heldBy(target: JournalStore): Promise<RecordedEvent[]> {
  const held: RecordedEvent[] = [];
  for await (const recorded of target.read(0)) held.push(recorded);
  return held;
}

/** An import adds these to what the session tells. */
function isOfImport({ type }: ScratchpadEvent): boolean {
  return type === "session.imported" || type === "turn.began";
}

/** Each with its own time, so each is a commit of its own. */
async function* recordsOf(
  events: readonly Imported[],
  head: Head,
  { ids, seal }: ImportContext,
  turn: number,
): AsyncGenerator<StreamRecord> {
  let { version, hash } = head;
  let turns = turn;
  for (const { at, ...draft } of events) {
    const data = commitDataOf({ id: ids(), at, events: [draft] }, { version, hash }, "file", seal);
    yield { kind: "commit", turn: turns, data };
    ({ version, hash } = data);
    if (draft.event.type === "turn.began") turns += 1;
  }
}
