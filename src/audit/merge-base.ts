/** What a merge begins with: what two sessions had in common when they were last one, and what the other did since. */
import type { RecordedEvent, ScratchpadEvent, Version } from "../event/event.ts";
import { spaceOfEvent } from "../event/types.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { type Authorship, attributed, initialAuthorship } from "./blame.ts";
import type { ReadComparison, ReadSession } from "./compare.ts";

/** The command under which a merge is recorded, so that the next one begins there. */
export function mergeCommand({ session, to }: { readonly session: string; readonly to: Version }): string {
  return `merge:${session}:v${to}`;
}

export interface MergeBase {
  /** The version of the other session that belongs to it. */
  readonly from: Version;
  readonly state: ScratchpadState;
}

/** The state at the last merge, that of the fork, or that of the last commit in common. Throws a TypeError where there is none. */
export async function baseOf(
  ours: ReadSession,
  theirs: ReadSession,
  { kinship, parted, shared }: ReadComparison,
): Promise<MergeBase> {
  const last = await lastMerged(ours, theirs.session);
  if (last !== undefined) return { from: last, state: await stateAt(theirs, last) };
  const ofOurs = async () => ({ from: parted.b, state: await stateAt(ours, parted.a) });
  const ofTheirs = async () => ({ from: parted.b, state: await stateAt(theirs, parted.b) });
  switch (kinship) {
    case "same":
    case "copied":
      return ofOurs();
    case "forked":
      return shared?.session === ours.session ? ofTheirs() : ofOurs();
    case "siblings":
      return (await forkAt(ours, parted.a)) <= (await forkAt(theirs, parted.b)) ? ofOurs() : ofTheirs();
    case "unrelated":
      throw new TypeError(
        `session ${theirs.session} and session ${ours.session} have nothing in common: only a child, a fork or a copy can be merged`,
      );
  }
}

async function lastMerged({ read }: ReadSession, session: string): Promise<Version | undefined> {
  const beginning = `merge:${session}:v`;
  let last: string | undefined;
  for await (const { command } of read()) if (command?.startsWith(beginning)) last = command.slice(beginning.length);
  const version = Number(last);
  return Number.isSafeInteger(version) ? version : undefined;
}

async function stateAt({ read }: ReadSession, to: Version): Promise<ScratchpadState> {
  let state = initialState;
  for await (const { event, version } of read()) {
    if (version > to) break;
    state = evolve(state, event);
  }
  return state;
}

/** The version of its origin that the event at `at` forked from. */
async function forkAt({ read }: ReadSession, at: Version): Promise<Version> {
  for await (const { event, version } of read()) {
    if (version === at) return event.type === "session.forked" ? event.from.version : 0;
  }
  return 0;
}

/** What a session did since. */
export interface News {
  readonly authorship: Authorship;
  /** Of the newest event. */
  readonly version: Version;
  /** The newest event about it, or, where a restore or a fork did it, the newest of all. */
  readonly newest: (about: About) => RecordedEvent | undefined;
}

type About = "notes" | "plan" | "refs removed" | `entry ${string}`;

export async function newsOf({ read }: ReadSession, since: Version): Promise<News> {
  const newest = new Map<string | undefined, RecordedEvent>();
  let authorship = initialAuthorship;
  let version = 0;
  for await (const { recorded, after } of attributed(read)) {
    authorship = after;
    version = recorded.version;
    if (version <= since) continue;
    newest.set(undefined, recorded);
    newest.set(aboutOf(recorded.event), recorded);
  }
  return { authorship, version, newest: (about) => newest.get(about) ?? newest.get(undefined) };
}

function aboutOf(event: ScratchpadEvent): string {
  if (event.type === "entry.written" || event.type === "entry.deleted") return `entry ${event.key}`;
  const space = spaceOfEvent(event);
  return space === "refs" && event.type !== "ref.added" ? "refs removed" : (space ?? "");
}
