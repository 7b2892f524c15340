/** This file says which actions bring what a child or a fork found into the session that it came from. It writes nothing. */
import type { Action, Space } from "../action/actions.ts";
import { type Violation, worsened } from "../action/budget.ts";
import { type Limits, parseLimits } from "../action/limits.ts";
import { spaces as allSpaces, type Measures } from "../action/measures.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { given, requireChoice, requireOptions, withoutHalf } from "../options.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { Authorship } from "./blame.ts";
import { compareRead, type ReadComparison, type ReadSession } from "./compare.ts";
import { diffStates, type StateDiff } from "./diff.ts";
import { splitLines } from "./lines.ts";
import {
  basesOf,
  defaultMergedSpaces,
  type MergeBase,
  type MergedSpace,
  mergedSpaces,
  type News,
  newsOf,
} from "./merge-base.ts";
import { type MergedLine, type MergeSide, mergeLines } from "./merge-lines.ts";
import { without } from "./merge-returned.ts";

/** These are the options of `journal.merge`. */
export interface MergeOptions {
  /** This is what is merged. The default is notes, refs and entries: a child's plan is its own. */
  readonly spaces?: readonly MergedSpace[];
  /**
   * This side wins if both changed the same text. Without it a conflict is none's to decide, and the plan is not
   * to be carried out.
   */
  readonly conflicts?: MergeSide;
  /** The budgets that what comes out must keep; what is left out is the default. */
  readonly limits?: Partial<Limits>;
  /** Texts are counted with these instead of the units that the budgets have by themselves. */
  readonly measure?: Measures | undefined;
}

/** Both changed this text, and not in the same way. A side is undefined if the text is not there. */
export interface MergeConflict {
  /** The text stands in this space. */
  readonly space: MergedSpace;
  /** This is the key of the entry. */
  readonly key?: string;
  /** This is the text that both knew last. */
  readonly base?: string;
  /** This is the text of this session. */
  readonly ours?: string;
  /** This is the text of the other session. */
  readonly theirs?: string;
}

/** This is an action of a merge, with the actor who is named for it. */
export interface MergeStep {
  /** This is what is to be applied. */
  readonly action: Action;
  /** This is its author in the other session, with the beginning of that session's id. */
  readonly actor: string;
  /** This is where the text came from, as it is recorded there. */
  readonly source?: string;
}

/** This is what a merge would bring. */
export interface MergePlan extends StateDiff {
  /** This is the id of the other session. */
  readonly session: string;
  /** This session knows the other one up to this version of it already; 0 if it knows nothing. */
  readonly from: Version;
  /** The version of it that is brought. */
  readonly to: Version;
  /** The steps come in the order in which they are to be applied. */
  readonly steps: readonly MergeStep[];
  /** The plan can be carried out if this is empty. */
  readonly conflicts: readonly MergeConflict[];
  /** This is a budget that has no room for the result. */
  readonly overBudget?: Violation;
  /** The other session changed these spaces, and they are not merged. */
  readonly left: readonly Space[];
}

/**
 * Plans how to bring into `ours` what `theirs` has found since the two parted, or since the last merge. Nothing is written.
 *
 * @param ours The session that would take it.
 * @param theirs The session that found it.
 * @param options The spaces to bring, what to do with conflicts, and the budgets.
 * @throws TypeError if the sessions have nothing in common (as a rejection).
 * @example
 * const { steps, conflicts } = await planMerge(ours, theirs, { spaces: ["notes"] });
 */
export async function planMerge(
  ours: ReadSession,
  theirs: ReadSession,
  options: MergeOptions = {},
): Promise<MergePlan> {
  return planMergeOf(ours, theirs, await compareRead(ours, theirs), options);
}

/** The sessions were compared already. */
export async function planMergeOf(
  ours: ReadSession,
  theirs: ReadSession,
  comparison: ReadComparison,
  options: MergeOptions,
): Promise<MergePlan> {
  requireOptions(options, "spaces", "conflicts", "limits", "measure");
  const { conflicts: side = "ours", measure } = options;
  requireChoice(["ours", "theirs", "both"], side, "conflicts");
  const wanted = options.spaces ?? defaultMergedSpaces;
  for (const space of wanted) requireChoice(mergedSpaces, space, "spaces");
  const bases = await basesOf(ours, theirs, comparison, allSpaces);
  const { session } = theirs;
  const before = comparison.states.a;
  const news = new Map<MergeBase, News>();
  for (const base of new Set(bases.values())) news.set(base, await newsOf(theirs, base));
  const about = (space: Space) => {
    const base = bases.get(space) as MergeBase;
    return { base, news: news.get(base) as News };
  };
  const merged = wanted.map((space) => {
    const { news } = about(space);
    return mergedSpace(space, { base: news.base, ours: before, theirs: news.authorship, news, session, side });
  });
  const after = Object.assign({}, before, ...merged.map(({ state }) => state)) as ScratchpadState;
  const overBudget = worsened(before, after, parseLimits(options.limits), measure);
  const changed = allSpaces.filter((space) => {
    const { news } = about(space);
    return JSON.stringify(news.base[space]) !== JSON.stringify(news.authorship.state[space]);
  });
  return {
    session,
    from: Math.min(...(wanted.length === 0 ? allSpaces : wanted).map((space) => about(space).base.from)),
    to: about("notes").news.version,
    steps: merged.flatMap(({ steps }) => steps),
    conflicts: merged.flatMap(({ conflicts }) => conflicts),
    ...given({ overBudget }),
    left: changed.filter((space) => !wanted.some((each) => each === space)),
    ...diffStates(before, after, { before: ours.session, after: `${ours.session} with ${session}` }),
  };
}

interface Merge {
  readonly base: ScratchpadState;
  readonly ours: ScratchpadState;
  readonly theirs: Authorship;
  readonly news: News;
  /** This is the id of the other session. */
  readonly session: string;
  readonly side: MergeSide;
}

interface MergedPart {
  readonly steps: readonly MergeStep[];
  readonly conflicts: readonly MergeConflict[];
  readonly state: Partial<ScratchpadState>;
}

function mergedSpace(space: MergedSpace, merge: Merge): MergedPart {
  switch (space) {
    case "notes":
    case "plan":
      return mergedText(space, merge);
    case "refs":
      return mergedRefs(merge);
    case "entries":
      return mergedEntries(merge);
  }
}

/** Each author's lines are an action of its own, so that blame tells who wrote them. */
function mergedText(space: "notes" | "plan", merge: Merge): MergedPart {
  const [base, ours, theirs] = [merge.base, merge.ours, merge.theirs.state].map((state) =>
    splitLines(state[space]),
  ) as [readonly string[], readonly string[], readonly string[]];
  const { lines, conflicts } = mergeLines(base, ours, theirs, merge.side);
  const { authors } = merge.theirs[space];
  const writerOf = ({ theirs }: MergedLine): string | undefined =>
    theirs === undefined ? undefined : keyOf(authors[theirs]);
  const written = lines.flatMap(({ theirs }) => (theirs === undefined ? [] : [authors[theirs] as RecordedEvent]));
  const writers = new Map<string, RecordedEvent | undefined>(
    written.toSorted((a, b) => a.version - b.version).map((each) => [keyOf(each), each]),
  );
  if (writers.size === 0) writers.set("", merge.news.newest(space));
  const steps: MergeStep[] = [];
  const taken = new Set<string | undefined>([undefined]);
  let now = merge.ours[space];
  for (const [writer, recorded] of writers) {
    taken.add(writer);
    const next = textOf(lines.filter((line) => taken.has(writerOf(line))));
    if (next !== now) steps.push(stepBy(recorded, merge, changeTo(space, now, next)));
    now = next;
  }
  return {
    steps,
    conflicts: conflicts.map((conflict) => ({
      space,
      base: conflict.base.join("\n"),
      ours: conflict.ours.join("\n"),
      theirs: conflict.theirs.join("\n"),
    })),
    state: { [space]: textOf(lines) },
  };
}

/** Whoever wrote, and from where: lines of one such are one action. */
function keyOf(recorded: RecordedEvent | undefined): string {
  return JSON.stringify([recorded?.actor, recorded?.source]);
}

function textOf(lines: readonly MergedLine[]): string {
  return lines.map(({ text }) => text).join("\n");
}

function changeTo(space: "notes" | "plan", before: string, after: string): Action {
  if (space === "plan") return { action: "set_plan", content: after };
  if (before === "") return { action: "append_notes", content: after };
  if (after.startsWith(`${before}\n`)) return { action: "append_notes", content: after.slice(before.length + 1) };
  return { action: "set_notes", content: after };
}

/** A list without places: what they added comes, what they removed goes, unless ours removed it as well. */
function mergedRefs(merge: Merge): MergedPart {
  const { base, ours, theirs } = merge;
  const removed = without(without(base.refs, theirs.state.refs), without(base.refs, ours.refs));
  const added = without(theirs.state.refs, base.refs).filter((ref) => ref !== "" && !ours.refs.includes(ref));
  const refs = without(ours.refs, removed);
  return {
    steps: [
      ...removed.map((ref) => stepBy(merge.news.newest("refs removed"), merge, { action: "refs.remove", ref })),
      ...added.map((ref) => stepBy(refAuthor(ref, merge), merge, { action: "refs.add", ref })),
    ],
    conflicts: [],
    state: { refs: [...refs, ...added] },
  };
}

function refAuthor(ref: string, { theirs }: Merge): RecordedEvent | undefined {
  const { lines, authors } = theirs.refs;
  return authors[lines.lastIndexOf(ref)];
}

/** An entry is one value: of two that differ, nobody can make a third. */
function mergedEntries(merge: Merge): MergedPart {
  const steps: MergeStep[] = [];
  const conflicts: MergeConflict[] = [];
  const entries: Record<string, string> = Object.assign(Object.create(null), merge.ours.entries);
  const keys = new Set([...Object.keys(merge.base.entries), ...Object.keys(merge.theirs.state.entries)]);
  for (const key of keys) {
    const [base, ours, theirs] = [merge.base, merge.ours, merge.theirs.state].map((state) => own(state.entries, key));
    if (theirs === base || theirs === ours) continue;
    if (ours !== base) conflicts.push({ space: "entries", key, ...present({ base, ours, theirs }) });
    const text = ours === base ? theirs : decided(ours, theirs, merge.side);
    if (text === ours) continue;
    if (text === undefined) delete entries[key];
    else entries[key] = text;
    const action: Action =
      text === undefined ? { action: "entries.delete", key } : { action: "entries.write", key, content: text };
    steps.push(stepBy(merge.news.newest(`entry ${key}`), merge, action));
  }
  return { steps, conflicts, state: { entries } };
}

function decided(ours: string | undefined, theirs: string | undefined, side: MergeSide): string | undefined {
  switch (side) {
    case "ours":
      return ours;
    case "theirs":
      return theirs;
    case "both":
      return ours === undefined || theirs === undefined ? (ours ?? theirs) : `${ours}\n${theirs}`;
  }
}

function present(texts: Readonly<Record<string, string | undefined>>) {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
}

/** Most sessions have one actor, "agent": which session that was must be told, too. */
function stepBy(recorded: RecordedEvent | undefined, { session }: Merge, action: Action): MergeStep {
  const actor = `${recorded?.actor ?? "agent"}@${withoutHalf(session.slice(0, 8))}`;
  return { action, actor, ...given({ source: recorded?.source }) };
}
