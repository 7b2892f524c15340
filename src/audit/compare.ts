/** This file compares two sessions: what they share, where they parted, and what each did since. */
import type { ImportOrigin, Origin, RecordedEvent, Version } from "../event/event.ts";
import { isOfNow } from "../event/foreign.ts";
import { canonicalJson } from "../line/json.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { diffStates, type StateDiff } from "./diff.ts";

/** This is a session with its whole history, from the initial state on. */
export interface ComparedSession {
  /** This is the id of the session. */
  readonly session: string;
  /** These are all its events, from the first one on. */
  readonly events: readonly RecordedEvent[];
}

/** This is how two sessions are related. */
export type Kinship =
  /** Both have the same history. */
  | "same"
  /** Both begin with the same commits: one file was copied from the other, or both from a third. */
  | "copied"
  /** One was forked from the other. */
  | "forked"
  /** One was copied from the other, which is of another client: it begins with what that one told. */
  | "imported"
  /** Both were forked from the same third session. */
  | "siblings"
  | "unrelated";

export interface Comparison {
  /** This says how the two are related. */
  readonly kinship: Kinship;
  /** This is the session that holds the shared part, with its last version that both know. It is absent if they are unrelated. */
  readonly shared?: { readonly session: string; readonly version: Version };
  /** In each session, its own history begins after this version. It is 0 if nothing is shared. */
  readonly parted: { readonly a: Version; readonly b: Version };
  /** This is how many events each has since then. */
  readonly since: { readonly a: number; readonly b: number };
  /** This is the difference from the end of `a` to the end of `b`. */
  readonly diff: StateDiff;
}

/**
 * Answers how two sessions are related, where they parted, and how their states differ.
 *
 * @param a One session: its id, and its events from the start.
 * @param b The other one.
 * @throws Nothing, if the types hold.
 * @example
 * const { kinship, parted } = compare({ session: "a", events }, { session: "b", events: others });
 */
export function compare(a: ComparedSession, b: ComparedSession): Comparison {
  const walk = new SharedWalk(a.session, b.session);
  for (let index = 0; index < Math.max(a.events.length, b.events.length); index++) {
    walk.take(a.events[index], b.events[index]);
  }
  const imported = new ImportWalk(walk);
  if (imported.isOne) {
    const others = b.events.filter(imported.isTold);
    for (const [index, one] of a.events.filter(imported.isTold).entries()) imported.take(one, others[index]);
  }
  const parting = imported.parting ?? partingOf(walk);
  const counts = imported.isOne ? imported.isTold : () => true;
  const since = {
    a: countAfter(a.events.filter(counts), parting.parted.a),
    b: countAfter(b.events.filter(counts), parting.parted.b),
  };
  return { ...parting, since, diff: diffStates(walk.a.state, walk.b.state, { before: a.session, after: b.session }) };
}

/** A session whose history is read event by event, as often as it takes. */
export interface ReadSession {
  /** This is the id of the session. */
  readonly session: string;
  /** It reads the whole history, from the initial state on. */
  readonly read: () => AsyncIterable<RecordedEvent>;
}

/** What `compare` answers, with the states at both ends instead of what is between them. */
export interface ReadComparison extends Omit<Comparison, "diff"> {
  readonly states: { readonly a: ScratchpadState; readonly b: ScratchpadState };
}

/** This compares histories that are too much to hold, as `compare` does. */
export async function compareRead(a: ReadSession, b: ReadSession): Promise<ReadComparison> {
  const walk = new SharedWalk(a.session, b.session);
  const others = b.read()[Symbol.asyncIterator]();
  for await (const one of a.read()) walk.take(one, (await others.next()).value);
  for (let other = await others.next(); other.done !== true; other = await others.next()) {
    walk.take(undefined, other.value);
  }
  const imported = new ImportWalk(walk);
  if (imported.isOne) {
    const told = imported.toldBy(b.read());
    for await (const one of imported.toldBy(a.read())) imported.take(one, (await told.next()).value);
    await told.return(undefined);
  }
  const parting = imported.parting ?? partingOf(walk);
  const counted = (events: AsyncIterable<RecordedEvent>) => (imported.isOne ? imported.toldBy(events) : events);
  const since = {
    a: await countReadAfter(counted(a.read()), parting.parted.a),
    b: await countReadAfter(counted(b.read()), parting.parted.b),
  };
  return { ...parting, since, states: { a: walk.a.state, b: walk.b.state } };
}

/** What a session adds up to, and where it says it came from: its newest fork event. */
class Side {
  readonly session: string;
  state = initialState;
  fork: { readonly origin: Origin; readonly version: Version } | undefined;
  /** This is the session of another client that it was copied from, if it was. */
  importedFrom: ImportOrigin | undefined;
  /** It has commits of its own, so it is no other client's: one that we keep for such a session may have the same id. */
  hasCommits = false;

  constructor(session: string) {
    this.session = session;
  }

  take(recorded: RecordedEvent | undefined): void {
    if (recorded === undefined) return;
    const { event, version, commit } = recorded;
    this.hasCommits ||= commit !== undefined;
    this.state = evolve(this.state, event);
    if (event.type === "session.forked") this.fork = { origin: event.from, version };
    if (event.type === "session.imported") this.importedFrom ??= event.from;
  }
}

/** This goes through both histories side by side. */
class SharedWalk {
  readonly a: Side;
  readonly b: Side;
  /** With false, the histories are not the same commits any more, or one goes on beyond the end of the other one. */
  isWhole = true;
  lastShared: { readonly a: Version; readonly b: Version } | undefined;
  readonly #a = new Identities();
  readonly #b = new Identities();

  constructor(a: string, b: string) {
    [this.a, this.b] = [new Side(a), new Side(b)];
  }

  take(a: RecordedEvent | undefined, b: RecordedEvent | undefined): void {
    this.a.take(a);
    this.b.take(b);
    if (!this.isWhole) return;
    const isShared = a !== undefined && b !== undefined && this.#a.next(a) === this.#b.next(b);
    if (isShared) this.lastShared = { a: a.version, b: b.version };
    else this.isWhole = false;
  }
}

/** A session of another client and what was copied from it, event by event, as long as both tell the same. */
class ImportWalk {
  readonly isOne: boolean;
  readonly #client: string;
  readonly #source: string;
  readonly #isFromA: boolean;
  #isSame = true;
  #parted = { a: 0, b: 0 };

  constructor({ a, b }: SharedWalk) {
    this.#isFromA = isMadeFrom(b, a);
    this.isOne = this.#isFromA || isMadeFrom(a, b);
    this.#source = this.#isFromA ? a.session : b.session;
    this.#client = (this.#isFromA ? b : a).importedFrom?.client ?? "";
  }

  /** What an import tells of the session for good: neither that it was made, nor where turns began. */
  readonly isTold = (recorded: RecordedEvent): boolean => {
    const { type } = recorded.event;
    return type !== "session.imported" && type !== "turn.began" && !isOfNow(this.#client, recorded);
  };

  async *toldBy(events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent, undefined> {
    for await (const recorded of events) if (this.isTold(recorded)) yield recorded;
  }

  take(a: RecordedEvent, b: RecordedEvent | undefined): void {
    this.#isSame &&= b !== undefined && a.actor === b.actor && canonicalJson(a.event) === canonicalJson(b.event);
    if (this.#isSame && b !== undefined) this.#parted = { a: a.version, b: b.version };
  }

  /** The result is undefined if neither was copied from the other. */
  get parting(): Parting | undefined {
    const { a, b } = this.#parted;
    if (!this.isOne) return undefined;
    return {
      kinship: "imported",
      shared: { session: this.#source, version: this.#isFromA ? a : b },
      parted: this.#parted,
    };
  }
}

function isMadeFrom(copy: Side, source: Side): boolean {
  return copy.importedFrom?.session === source.session && !source.hasCommits;
}

type Parting = Pick<Comparison, "kinship" | "shared" | "parted">;

const strangers: Parting = { kinship: "unrelated", parted: { a: 0, b: 0 } };

function partingOf(walk: SharedWalk): Parting {
  const { a, b } = walk;
  return copiedFrom(walk) ?? forkedFrom(a, b) ?? mirrored(forkedFrom(b, a)) ?? siblings(a, b) ?? strangers;
}

/** By identity of the commits: a host that branches into a new file copies our lines, and both go on from there. */
function copiedFrom({ a, lastShared, isWhole }: SharedWalk): Parting | undefined {
  if (lastShared === undefined) return undefined;
  return {
    kinship: isWhole ? "same" : "copied",
    shared: { session: a.session, version: lastShared.a },
    parted: lastShared,
  };
}

/** The commit's own id and the place in it survive a copy, a migration and appending again; a value line has its entry's id. */
class Identities {
  #commit: string | undefined;
  #place = 0;

  /** The result is the identity of the next event of a history. */
  next({ commit, entryId, event, at }: RecordedEvent): string {
    this.#place = commit !== undefined && commit === this.#commit ? this.#place + 1 : 0;
    this.#commit = commit;
    if (commit !== undefined) return `commit ${commit} ${this.#place}`;
    return entryId !== undefined ? `entry ${entryId}` : `event ${at} ${JSON.stringify(event)}`;
  }
}

function forkedFrom(parent: Side, child: Side): Parting | undefined {
  const { fork } = child;
  if (fork === undefined || fork.origin.session !== parent.session) return undefined;
  const { session, version } = fork.origin;
  return { kinship: "forked", shared: { session, version }, parted: { a: version, b: fork.version } };
}

function mirrored(parting: Parting | undefined): Parting | undefined {
  return parting && { ...parting, parted: { a: parting.parted.b, b: parting.parted.a } };
}

function siblings({ fork: forkOfA }: Side, { fork: forkOfB }: Side): Parting | undefined {
  if (forkOfA === undefined || forkOfB === undefined) return undefined;
  const { session } = forkOfA.origin;
  if (session !== forkOfB.origin.session) return undefined;
  const version = Math.min(forkOfA.origin.version, forkOfB.origin.version);
  return { kinship: "siblings", shared: { session, version }, parted: { a: forkOfA.version, b: forkOfB.version } };
}

function countAfter(events: readonly RecordedEvent[], version: Version): number {
  return events.filter((recorded) => recorded.version > version).length;
}

async function countReadAfter(events: AsyncIterable<RecordedEvent>, version: Version): Promise<number> {
  let count = 0;
  for await (const recorded of events) if (recorded.version > version) count += 1;
  return count;
}
