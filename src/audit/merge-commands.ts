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
}

interface Claim {
  readonly identity: string;
  readonly spaces: readonly Space[];
  readonly merging: Merging;
}

/**
 * This finds the merges of `other` that were made in a session. Copies have one id and number their versions alike: a merge is one of
 * `other` only if the commit that it names is there.
 */
export async function mergesOf({ read }: ReadSession, other: ReadSession): Promise<Merges> {
  const beginning = beginningOf(other.session);
  const claims: Claim[] = [];
  for await (const recorded of read()) {
    const claim = claimOf(recorded, beginning);
    if (claim !== undefined) claims.push(claim);
  }
  const found = await versionsOf(other, new Set(claims.map(({ identity }) => identity)));
  const newest = new Map<Space, Merging>();
  const versions = new Set<Version>();
  for (const { identity, spaces, merging } of claims) {
    const to = found.get(identity);
    if (to === undefined) continue;
    versions.add(merging.version);
    for (const space of spaces) newest.set(space, { ...merging, to });
  }
  return { newest, versions };
}

/** A merge that was refused merged nothing, though it was recorded under its command. */
function claimOf({ command, event, version }: RecordedEvent, beginning: string): Claim | undefined {
  if (command?.startsWith(beginning) !== true || event.type === "action.refused") return undefined;
  const [, to, spaces = "", identity = ""] =
    /^(\d+):([a-z,]+):(.*?)(?::at v\d+)?$/s.exec(command.slice(beginning.length)) ?? [];
  if (to === undefined) return undefined;
  return { identity, spaces: spaces.split(",") as Space[], merging: { to: Number(to), version } };
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
