/** What a merge begins with: what two sessions had in common when they were last one, and what the other did since. */
import type { RecordedEvent, ScratchpadEvent, Space, Version } from "../event/event.ts";
import { spaceOfEvent } from "../event/types.ts";
import { canonicalJson } from "../line/json.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { type Authorship, attributed, initialAuthorship } from "./blame.ts";
import type { ReadComparison, ReadSession } from "./compare.ts";
import { type Merging, mergesOf } from "./merge-commands.ts";
import { withReturned } from "./merge-returned.ts";

/** These spaces can be merged. Sections belong to who writes them, and are not. */
export type MergedSpace = Exclude<Space, "sections">;

/** These spaces are merged by default. A child's plan is its own. */
export const defaultMergedSpaces: readonly MergedSpace[] = ["notes", "refs", "entries"];

export const mergedSpaces: readonly MergedSpace[] = ["notes", "plan", "refs", "entries"];

export interface MergeBase {
  /** This session knows the other one up to this version. */
  readonly from: Version;
  readonly state: ScratchpadState;
  /** These events of theirs merged something of ours. It is there where both have merged the other one at the same time. */
  readonly returned?: ReadonlySet<Version>;
}

/** This is a state of one of the two sessions, by its version. */
interface BasePoint {
  readonly of: "ours" | "theirs";
  readonly at: Version;
  readonly from: Version;
  /** The state lacks what they merged of ours since. */
  readonly isCrossed?: true;
}

/**
 * For each space the state that both had last: that of the last merge in either direction, that of the fork, or that of the last
 * commit in common. Throws a TypeError where there is none.
 */
export async function basesOf(
  ours: ReadSession,
  theirs: ReadSession,
  comparison: ReadComparison,
  spaces: readonly Space[],
): Promise<ReadonlyMap<Space, MergeBase>> {
  const parting = await partingOf(ours, theirs, comparison);
  const taken = await mergesOf(ours, theirs);
  const returned = await mergesOf(theirs, ours);
  const bases = new Map<string, MergeBase>();
  const found = new Map<Space, MergeBase>();
  for (const space of spaces) {
    const point = pointOf(taken.newest.get(space), returned.newest.get(space), parting);
    const name = JSON.stringify(point);
    const [session, { keptOf }] = point.of === "ours" ? [ours, taken] : [theirs, returned];
    const base = bases.get(name) ?? {
      from: point.from,
      state: await stateAt(session, keptOf(point.at)),
      ...(point.isCrossed && { returned: returned.versions }),
    };
    bases.set(name, base);
    found.set(space, base);
  }
  return found;
}

/** What was merged the other way counts where it holds all that was merged this way. */
function pointOf(taken: Merging | undefined, returned: Merging | undefined, parting: BasePoint): BasePoint {
  const from = taken?.to ?? parting.from;
  if (returned !== undefined && (taken === undefined || taken.version <= returned.to))
    return { of: "ours", at: returned.to, from };
  if (taken === undefined) return parting;
  return { of: "theirs", at: taken.to, from, ...((returned?.version ?? 0) > taken.to && { isCrossed: true }) };
}

async function partingOf(
  ours: ReadSession,
  theirs: ReadSession,
  { kinship, parted, shared }: ReadComparison,
): Promise<BasePoint> {
  const ofOurs: BasePoint = { of: "ours", at: parted.a, from: parted.b };
  const ofTheirs: BasePoint = { of: "theirs", at: parted.b, from: parted.b };
  switch (kinship) {
    case "same":
    case "copied":
      return ofOurs;
    case "forked":
      return shared?.session === ours.session ? ofTheirs : ofOurs;
    case "siblings": {
      const [one, other] = [await forkAt(ours, parted.a), await forkAt(theirs, parted.b)];
      // A session cannot have taken away what it never had.
      if (isEmpty(one.state) || isEmpty(other.state)) return { ...ofOurs, at: 0 };
      return one.from.version <= other.from.version ? ofOurs : ofTheirs;
    }
    case "imported":
      throw new TypeError(
        `one of ${theirs.session} and ${ours.session} was copied from the other, a session of another client: copy it again to bring what is new`,
      );
    case "unrelated":
      throw new TypeError(
        `session ${theirs.session} and session ${ours.session} have nothing in common: only a child, a fork or a copy can be merged`,
      );
  }
}

async function stateAt({ read }: ReadSession, to: Version): Promise<ScratchpadState> {
  let state = initialState;
  for await (const { event, version } of read()) {
    if (version > to) break;
    state = evolve(state, event);
  }
  return state;
}

type Fork = Extract<ScratchpadEvent, { readonly type: "session.forked" }>;

async function forkAt({ session, read }: ReadSession, at: Version): Promise<Fork> {
  for await (const { event, version } of read()) {
    if (version === at && event.type === "session.forked") return event;
  }
  throw new TypeError(`session ${session} has no fork at v${at}: read its whole history`);
}

function isEmpty(state: ScratchpadState): boolean {
  return canonicalJson(state) === canonicalJson(initialState);
}

/** This is what a session did since. */
export interface News {
  /** Both had this before it. */
  readonly base: ScratchpadState;
  readonly authorship: Authorship;
  readonly last: RecordedEvent | undefined;
  /** Both have merged the other one at the same time. */
  readonly isCrossed: boolean;
  /** The result is the newest event about it, or the newest of all if a restore or a fork did it. */
  readonly newest: (about: About) => RecordedEvent | undefined;
}

type About = "notes" | "plan" | "refs removed" | `entry ${string}`;

export async function newsOf({ read }: ReadSession, { from: since, state, returned }: MergeBase): Promise<News> {
  const newest = new Map<string | undefined, RecordedEvent>();
  let base = state;
  let authorship = initialAuthorship;
  let last: RecordedEvent | undefined;
  for await (const { recorded, before, after } of attributed(read)) {
    authorship = after;
    last = recorded;
    if (recorded.version <= since) continue;
    if (returned?.has(recorded.version) === true) {
      base = withReturned(base, before.state, after.state);
      continue;
    }
    newest.set(undefined, recorded);
    newest.set(aboutOf(recorded.event), recorded);
  }
  return {
    base,
    authorship,
    last,
    isCrossed: returned !== undefined,
    newest: (about) => newest.get(about) ?? newest.get(undefined),
  };
}

function aboutOf(event: ScratchpadEvent): string {
  if (event.type === "entry.written" || event.type === "entry.deleted") return `entry ${event.key}`;
  const space = spaceOfEvent(event);
  return space === "refs" && event.type !== "ref.added" ? "refs removed" : (space ?? "");
}
