/** This file says which actions bring what a child or a fork found into the session that it came from. It writes nothing. */
import { type ActionName, type Space, spaceOf } from "../action/actions.ts";
import { budgetViolations, type Violation, worsened } from "../action/budget.ts";
import { type Limits, parseLimits } from "../action/limits.ts";
import { spaces as allSpaces, type Measures, measureOf } from "../action/measures.ts";
import { byteCount } from "../action/text.ts";
import type { Version } from "../event/event.ts";
import { canonicalJson } from "../line/json.ts";
import { given, requireChoice, requireOptions } from "../options.ts";
import type { ScratchpadState } from "../state/state.ts";
import { compareRead, type ReadComparison, type ReadSession } from "./compare.ts";
import { diffStates, type StateDiff } from "./diff.ts";
import {
  basesOf,
  defaultMergedSpaces,
  type MergeBase,
  type MergedSpace,
  mergedSpaces,
  type News,
  newsOf,
} from "./merge-base.ts";
import { mergeCommand } from "./merge-commands.ts";
import type { MergeSide } from "./merge-lines.ts";
import { type MergeConflict, type MergeStep, mergedSpace } from "./merge-spaces.ts";

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

/** This is what a merge would bring. */
export interface MergePlan extends StateDiff {
  /** This is the id of the other session. */
  readonly session: string;
  /** This session knows the other one up to this version of it already; 0 if it knows nothing. */
  readonly from: Version;
  /** The version of it that is brought. */
  readonly to: Version;
  /** The steps are to be recorded under this command: the next merge begins behind it. */
  readonly command: string;
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
  const wanted = [...new Set(options.spaces ?? defaultMergedSpaces)];
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
  const bytes = measureOf("entries", measure) ?? byteCount;
  const merged = wanted.map((space) => {
    const { news } = about(space);
    const sides = { base: news.base, ours: before, theirs: news.authorship };
    return mergedSpace(space, { ...sides, news, session, side, bytes });
  });
  const after = Object.assign({}, before, ...merged.map(({ state }) => state)) as ScratchpadState;
  const steps = merged.flatMap(({ steps }) => steps);
  const limits = parseLimits(options.limits);
  const overBudget = worsened(before, after, limits, measure) ?? cutBy(steps, after, limits, measure);
  const changed = allSpaces.filter((space) => {
    const { news } = about(space);
    return canonicalJson(news.base[space]) !== canonicalJson(news.authorship.state[space]);
  });
  const newest = about("notes").news.last;
  return {
    session,
    from: Math.min(...(wanted.length === 0 ? allSpaces : wanted).map((space) => about(space).base.from)),
    to: newest?.version ?? 0,
    command: mergeCommand(session, wanted, newest),
    steps,
    conflicts: merged.flatMap(({ conflicts }) => conflicts),
    ...given({ overBudget }),
    left: changed.filter((space) => !wanted.some((each) => each === space)),
    ...diffStates(before, after, { before: ours.session, after: `${ours.session} with ${session}` }),
  };
}

/** These cut what is over budget, also where it was so before, and is less now. */
const cutting: readonly ActionName[] = ["set_notes", "set_plan", "refs.add", "refs.set"];

function cutBy(
  steps: readonly MergeStep[],
  after: ScratchpadState,
  limits: Limits,
  measure: Measures | undefined,
): Violation | undefined {
  const cut = new Set(
    steps
      .map(({ action }) => action.action)
      .filter((name) => cutting.includes(name))
      .map(spaceOf),
  );
  return budgetViolations(after, limits, measure).find(({ space }) => cut.has(space));
}
