/** Each merge is recorded under a command that says what was merged, so that the next one begins there. */
import type { RecordedEvent, Space, Version } from "../event/event.ts";
import type { ReadSession } from "./compare.ts";

/** The result is the command of a merge of `session`, whose newest event is given. */
export function mergeCommand(session: string, spaces: readonly Space[], newest: RecordedEvent | undefined): string {
  return `${beginningOf(session)}${newest?.version ?? 0}:${spaces.join()}:${identityOf(newest)}`;
}

/** A branch may leave a merge behind, and its command stays used: one that is made at another version is no repetition of it. */
export function mergeCommandAt(command: string, version: Version): string {
  return `${command}:at v${version}`;
}

function beginningOf(session: string): string {
  return `merge:${session}:v`;
}

/** The event at `version` merged the version `to` of another session. */
export interface Merging {
  readonly to: Version;
  readonly version: Version;
}

export interface Merges {
  /** This has the newest merge of each space. */
  readonly newest: ReadonlyMap<Space, Merging>;
  /** These events merged something. */
  readonly versions: ReadonlySet<Version>;
  /** A restore may have taken back this version together with a merge: the result is the version that it went back to. */
  readonly keptOf: (version: Version) => Version;
}

/** An older version did not name these spaces. */
const unnamedSpaces: readonly Space[] = ["notes", "refs", "entries"];

/** A session says that it made this merge. An older version did not name a commit. */
interface Claim {
  readonly command: string;
  readonly identity: string | undefined;
  readonly spaces: readonly Space[];
  readonly to: Version;
  /** Each of these events is a part of it. */
  readonly versions: Version[];
}

interface Restored {
  readonly version: Version;
  readonly restored: Version;
}

/** These merges count from this version on. */
interface Counting {
  readonly from: Version;
  readonly newest: ReadonlyMap<Space, Merging>;
  readonly merged: readonly Version[];
  readonly before: Counting | undefined;
  /** Where a restore made them count, it went back to this version. */
  readonly restored?: Version;
}

/**
 * This finds the merges of `other` that were made in a session. Copies have one id and number their versions alike: a merge is one of
 * `other` only if the commit that it names is there. One that a restore took back, or left a part of, does not count, unless another
 * restore brought it back.
 */
export async function mergesOf({ read }: ReadSession, other: ReadSession): Promise<Merges> {
  const steps = await stepsIn(read, beginningOf(other.session));
  const identities = steps.flatMap((step) => ("identity" in step ? (step.identity ?? []) : []));
  const found = await versionsOf(other, new Set(identities));
  let last: Counting = { from: 0, newest: new Map(), merged: [], before: undefined };
  const known = [last];
  for (const step of steps) {
    last = "restored" in step ? countingAgain(step, known) : countingWith(step, last, found);
    known.push(last);
  }
  const versions = new Set<Version>();
  for (let each: Counting | undefined = last; each !== undefined; each = each.before)
    for (const version of each.merged) versions.add(version);
  return { newest: last.newest, versions, keptOf: (version) => keptOf(version, last, known) };
}

function keptOf(version: Version, last: Counting, known: readonly Counting[]): Version {
  let kept = version;
  for (let each: Counting | undefined = last; each !== undefined && kept < each.from; each = each.before) {
    if (each.restored === undefined || kept <= each.restored) continue;
    // What a restore took back without any merge was removed by whoever wrote it.
    if (countingAt(kept, known)?.newest !== each.newest) kept = each.restored;
  }
  return kept;
}

function countingAt(version: Version, known: readonly Counting[]): Counting | undefined {
  return known.findLast(({ from }) => from <= version);
}

async function stepsIn(read: ReadSession["read"], beginning: string): Promise<readonly (Claim | Restored)[]> {
  const steps: (Claim | Restored)[] = [];
  for await (const recorded of read()) {
    const { event, command, version } = recorded;
    if (event.type === "state.restored") steps.push({ version, restored: event.to });
    const claim = claimOf(recorded, beginning);
    if (claim === undefined) continue;
    const before = steps.at(-1);
    if (before !== undefined && "command" in before && before.command === command) before.versions.push(version);
    else steps.push(claim);
  }
  return steps;
}

function countingAgain({ version, restored }: Restored, known: readonly Counting[]): Counting {
  const before = countingAt(restored, known);
  return { from: version, newest: before?.newest ?? new Map(), merged: [], before, restored };
}

function countingWith(claim: Claim, before: Counting, found: ReadonlyMap<string, Version>): Counting {
  const { identity, spaces, versions } = claim;
  const to = identity === undefined ? claim.to : found.get(identity);
  if (to === undefined) return before;
  const version = versions.at(-1) ?? 0;
  const newest = new Map(before.newest);
  for (const space of spaces) newest.set(space, { to, version });
  return { from: version, newest, merged: versions, before };
}

/** A merge that was refused merged nothing, though it was recorded under its command. */
function claimOf({ command, event, version }: RecordedEvent, beginning: string): Claim | undefined {
  if (command?.startsWith(beginning) !== true || event.type === "action.refused") return undefined;
  const [, to, named, identity] =
    /^(\d+)(?::([a-z,]+)(?::(.*?)(?::at v\d+)?)?)?$/s.exec(command.slice(beginning.length)) ?? [];
  if (to === undefined) return undefined;
  const spaces = named === undefined ? unnamedSpaces : (named.split(",") as Space[]);
  return { command, identity, spaces, to: Number(to), versions: [version] };
}

/** The result has the newest version of each of these identities. Versions may change where a host rewrites its file; identities do not. */
async function versionsOf({ read }: ReadSession, wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, Version>> {
  const found = new Map<string, Version>();
  if (wanted.size === 0) return found;
  for await (const recorded of read()) {
    const identity = identityOf(recorded);
    if (wanted.has(identity)) found.set(identity, recorded.version);
  }
  return found;
}

function identityOf(recorded: RecordedEvent | undefined): string {
  return recorded?.commit ?? recorded?.entryId ?? `v${recorded?.version ?? 0}`;
}
