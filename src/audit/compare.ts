/** Two sessions side by side: what they share, where they parted, and what each did since. */
import type { Origin, RecordedEvent, Version } from "../event/event.ts";
import { fold } from "../state/fold.ts";
import { diffStates, type StateDiff } from "./diff.ts";

/** A session and its whole history, from the initial state on. */
export interface ComparedSession {
  readonly session: string;
  readonly events: readonly RecordedEvent[];
}

/** How two sessions are related. */
export type Kinship =
  /** The same history. */
  | "same"
  /** Both begin with the same commits: one file was copied from the other, or both from a third. */
  | "copied"
  /** One was forked from the other. */
  | "forked"
  /** Both were forked from the same third session. */
  | "siblings"
  | "unrelated";

export interface Comparison {
  readonly kinship: Kinship;
  /** The session that holds what is shared, and the last version of it that both know; absent when unrelated. */
  readonly shared?: { readonly session: string; readonly version: Version };
  /** The version in each session after which its own history begins; 0 when nothing is shared. */
  readonly parted: { readonly a: Version; readonly b: Version };
  /** How many events each has since then. */
  readonly since: { readonly a: number; readonly b: number };
  /** From the end of `a` to the end of `b`. */
  readonly diff: StateDiff;
}

export function compare(a: ComparedSession, b: ComparedSession): Comparison {
  const parting = copiedFrom(a, b) ?? forkedFrom(a, b) ?? mirrored(forkedFrom(b, a)) ?? siblings(a, b) ?? strangers;
  return {
    ...parting,
    since: { a: countAfter(a, parting.parted.a), b: countAfter(b, parting.parted.b) },
    diff: diffStates(fold(a.events), fold(b.events), { before: a.session, after: b.session }),
  };
}

type Parting = Pick<Comparison, "kinship" | "shared" | "parted">;

const strangers: Parting = { kinship: "unrelated", parted: { a: 0, b: 0 } };

/** By identity of the commits: a host that branches into a new file copies our lines, and both go on from there. */
function copiedFrom(a: ComparedSession, b: ComparedSession): Parting | undefined {
  const idsOfA = identities(a.events);
  const idsOfB = identities(b.events);
  let common = 0;
  while (common < idsOfA.length && common < idsOfB.length && idsOfA[common] === idsOfB[common]) common++;
  const lastOfA = a.events[common - 1];
  const lastOfB = b.events[common - 1];
  if (lastOfA === undefined || lastOfB === undefined) return undefined;
  const whole = common === idsOfA.length && common === idsOfB.length;
  return {
    kinship: whole ? "same" : "copied",
    shared: { session: a.session, version: lastOfA.version },
    parted: { a: lastOfA.version, b: lastOfB.version },
  };
}

/** The commit's own id and the place in it survive a copy, a migration and appending again; a value line has its entry's id. */
function identities(events: readonly RecordedEvent[]): string[] {
  let place = 0;
  return events.map(({ commit, entryId, event, at }, index) => {
    place = commit !== undefined && commit === events[index - 1]?.commit ? place + 1 : 0;
    if (commit !== undefined) return `commit ${commit} ${place}`;
    return entryId !== undefined ? `entry ${entryId}` : `event ${at} ${JSON.stringify(event)}`;
  });
}

function forkedFrom(parent: ComparedSession, child: ComparedSession): Parting | undefined {
  const fork = originOf(child);
  if (fork === undefined || fork.origin.session !== parent.session) return undefined;
  const { session, version } = fork.origin;
  return { kinship: "forked", shared: { session, version }, parted: { a: version, b: fork.version } };
}

function mirrored(parting: Parting | undefined): Parting | undefined {
  return parting && { ...parting, parted: { a: parting.parted.b, b: parting.parted.a } };
}

function siblings(a: ComparedSession, b: ComparedSession): Parting | undefined {
  const forkOfA = originOf(a);
  const forkOfB = originOf(b);
  if (forkOfA === undefined || forkOfB === undefined) return undefined;
  const { session } = forkOfA.origin;
  if (session !== forkOfB.origin.session) return undefined;
  const version = Math.min(forkOfA.origin.version, forkOfB.origin.version);
  return { kinship: "siblings", shared: { session, version }, parted: { a: forkOfA.version, b: forkOfB.version } };
}

/** Where a session says it came from: its newest fork event. */
function originOf({ events }: ComparedSession): { readonly origin: Origin; readonly version: Version } | undefined {
  for (let index = events.length - 1; index >= 0; index--) {
    const recorded = events[index];
    if (recorded?.event.type === "session.forked") return { origin: recorded.event.from, version: recorded.version };
  }
  return undefined;
}

function countAfter({ events }: ComparedSession, version: Version): number {
  return events.filter((recorded) => recorded.version > version).length;
}
