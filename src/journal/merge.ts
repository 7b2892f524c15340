/** Brings what another session has found into a journal: planned on the newest state, and appended in one commit. */
import type { Answer } from "../action/answer.ts";
import { reduce } from "../action/decide.ts";
import type { Limits } from "../action/limits.ts";
import type { Measures } from "../action/measures.ts";
import type { Dedupe } from "../action/ref-form.ts";
import type { ReadSession } from "../audit/compare.ts";
import { type MergePlan, planMerge } from "../audit/merge.ts";
import { mergeCommandAt } from "../audit/merge-commands.ts";
import { isJournalError, PointError, VersionConflictError } from "../errors.ts";
import type { Version } from "../event/event.ts";
import { given, requireOption } from "../options.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { ActionsCallParts } from "./actions-call.ts";
import { heldFrom } from "./held-history.ts";
import type { Merged, MergeFromOptions } from "./merged.ts";
import { type ApplyOptions, parseName } from "./options.ts";
import type { Journal } from "./public.ts";

export interface MergeParts {
  readonly limits: Limits;
  readonly measure?: Measures;
  readonly dedupe?: Dedupe;
  readonly clock: () => Date;
  readonly apply: (
    what: Pick<ActionsCallParts, "actions" | "authors">,
    options: ApplyOptions,
  ) => Promise<readonly Answer[]>;
}

/** A merge that is always overtaken gives up. */
const attemptsMax = 64;

export async function mergeFrom(
  journal: Journal,
  other: Journal,
  options: MergeFromOptions,
  parts: MergeParts,
): Promise<Merged> {
  const { dryRun = false, actor: named, ...wanted } = options;
  const actor = named === undefined ? undefined : parseName("actor", named);
  requireOption(typeof dryRun === "boolean", dryRun, "dryRun", "true or false");
  if (typeof (other as Partial<Journal> | null)?.history !== "function") {
    throw new TypeError("merge takes the other journal, open: await openJournal(path) gives one");
  }
  const { limits, measure, apply } = parts;
  const theirs = await sessionOf(other);
  for (let attempt = 1; ; attempt++) {
    const ours = await sessionOf(journal);
    const plan = namedFor(await planMerge(ours, theirs, { ...wanted, limits, measure }), actor);
    const refusal = refusalOf(plan, wanted.conflicts !== undefined) ?? refusedStep(plan, ours.state, parts);
    if (refusal !== undefined) return { ...plan, ok: false, message: refusal, answers: [] };
    const { steps } = plan;
    if (dryRun || steps.length === 0) return { ...plan, ok: true, message: said(plan, true), answers: [] };
    const call = { command: mergeCommandAt(plan.command, ours.version), expectedVersion: ours.version };
    const answers = await appended(plan, call, apply).catch(async (error: unknown) => {
      if (!(await isOvertaken(journal, ours.version, error))) throw error;
    });
    if (answers !== undefined) return { ...plan, ...outcomeOf(plan, answers), answers };
    if (attempt === attemptsMax) throw new VersionConflictError(ours.version, journal.version, {});
  }
}

function namedFor(plan: MergePlan, actor: string | undefined): MergePlan {
  return actor === undefined ? plan : { ...plan, steps: plan.steps.map((step) => ({ ...step, actor })) };
}

/** Nothing is written of a merge that would be refused, and a dry run says so, too. */
function refusedStep(
  { steps }: MergePlan,
  state: ScratchpadState,
  { limits, measure, dedupe, clock }: MergeParts,
): string | undefined {
  let now = state;
  for (const step of steps) {
    const context = { limits, actor: step.actor, at: clock().toISOString(), ...given({ measure, dedupe }) };
    const { state: next, answer } = reduce(now, step.action, context);
    if (!answer.ok) return `not merged: ${answer.message}`;
    now = next;
  }
  return undefined;
}

/** Who merges the same child at the same time has the same command for it, and may have found other changes to make. */
async function isOvertaken(journal: Journal, version: Version, error: unknown): Promise<boolean> {
  if (isJournalError(error, "version_conflict")) return true;
  if (!(error instanceof TypeError)) return false;
  await journal.refresh();
  return journal.version !== version;
}

function appended(
  plan: MergePlan,
  call: { readonly command: string; readonly expectedVersion: Version },
  apply: MergeParts["apply"],
): Promise<readonly Answer[]> {
  const actions = plan.steps.map(({ action }) => action);
  return apply({ actions, authors: plan.steps }, call);
}

function outcomeOf(plan: MergePlan, answers: readonly Answer[]): Pick<Merged, "ok" | "message"> {
  const refused = answers.find(({ ok, code }) => !ok && code !== "not_applied");
  if (refused === undefined) return { ok: true, message: said(plan, false) };
  return { ok: false, message: `not merged: ${refused.message}` };
}

interface MergedSession extends ReadSession {
  readonly version: Version;
  readonly state: ScratchpadState;
}

async function sessionOf(journal: Journal): Promise<MergedSession> {
  const session = await journal.sessionId();
  await journal.refresh();
  const { version, state } = journal;
  const read = heldFrom(() => journal.history({ to: version }));
  if (!(await beginsAtFirst(read, version))) await requireBeginning(journal, session);
  return { session, read, version, state };
}

/** Most are: then the reading that a merge needs anyway has said so. */
async function beginsAtFirst(read: ReadSession["read"], version: Version): Promise<boolean> {
  for await (const first of read()) return first.version === 1;
  return version === 0;
}

/** What was dropped from the beginning of a stream may be what a merge needs to know. A journal without it has no initial state to show. */
async function requireBeginning(journal: Journal, session: string): Promise<void> {
  try {
    await journal.at(0);
  } catch (error) {
    if (!isJournalError(error, "bad_point")) throw error;
    throw new PointError(`session ${session} cannot be merged: ${error.message}`, error.place);
  }
}

function refusalOf({ conflicts, overBudget }: MergePlan, isDecided: boolean): string | undefined {
  if (conflicts.length > 0 && !isDecided)
    return `not merged: ${counted(conflicts)}: both changed the same text; say which stays: ours, theirs or both`;
  if (overBudget === undefined) return undefined;
  const { space, key, used, limit } = overBudget;
  const what = key === undefined ? space : `entry ${key}`;
  return `not merged: ${what} would be over budget, ${used}/${limit}: shorten it in one of the two, or raise the limit`;
}

function counted(conflicts: MergePlan["conflicts"]): string {
  const where = new Set(conflicts.map(({ space, key }) => (key === undefined ? space : `entry ${key}`)));
  return `${conflicts.length} conflict${conflicts.length === 1 ? "" : "s"} (${[...where].join(", ")})`;
}

function said({ steps, conflicts, session, from, to }: MergePlan, isDry: boolean): string {
  if (steps.length === 0 && conflicts.length > 0)
    return `nothing to merge from session ${session}: of ${counted(conflicts)}, the text of this session stays`;
  if (steps.length === 0) return `nothing to merge: session ${session} has nothing new since v${from}`;
  const spaces = new Set(steps.map(({ action }) => action.action.replace(/^.*_|\..*$/g, "")));
  const [count, were] = steps.length === 1 ? ["1 change", "was"] : [`${steps.length} changes`, "were"];
  return `${count} to ${[...spaces].join(", ")} ${isDry ? "would be" : were} merged from session ${session}, v${from} to v${to}`;
}
