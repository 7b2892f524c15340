/** Takes what another tool kept as memory into a journal: with where it came from, in one commit or not at all. */
import type { Answer } from "../action/answer.ts";
import { reduce } from "../action/decide.ts";
import type { Limits } from "../action/limits.ts";
import type { Measures } from "../action/measures.ts";
import { isJournalError } from "../errors.ts";
import type { ImportOrigin, ScratchpadEvent, Version } from "../event/event.ts";
import { readImportOrigin } from "../event/read.ts";
import { requireOption } from "../options.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { ActionsCallParts } from "./actions-call.ts";
import type { ImportedMemory, ImportOptions, Memory, MemoryAction } from "./imported.ts";
import { type ApplyOptions, parseName } from "./options.ts";
import type { Journal } from "./public.ts";

export interface ImportParts {
  readonly limits: Limits;
  readonly measure?: Measures;
  readonly clock: () => Date;
  readonly apply: (
    what: Pick<ActionsCallParts, "actions" | "leading">,
    options: ApplyOptions,
  ) => Promise<readonly Answer[]>;
}

/** An import that is always overtaken gives up. */
const attemptsMax = 64;

export async function importMemory(
  journal: Journal,
  memory: Memory,
  options: ImportOptions,
  parts: ImportParts,
): Promise<ImportedMemory> {
  const { replace = false, dryRun = false } = options;
  for (const [name, value] of Object.entries({ replace, dryRun })) {
    requireOption(typeof value === "boolean", value, name, "true or false");
  }
  mustBeMemory(memory);
  const actor = parseName("actor", options.actor ?? memory.from.client);
  for (let attempt = 1; ; attempt++) {
    await journal.refresh();
    const plan = await planOf(journal, memory, { replace, actor }, parts);
    if (!plan.ok || dryRun || plan.isDone) return plan.answer;
    const { actions, before } = plan.answer;
    const leading: ScratchpadEvent = { type: "session.imported", from: memory.from };
    try {
      const said = { actor, source: "imported", expectedVersion: before } as const;
      return { ...plan.answer, answers: await parts.apply({ actions, leading }, said) };
    } catch (error) {
      if (attempt === attemptsMax || !isJournalError(error, "version_conflict")) throw error;
    }
  }
}

function mustBeMemory(memory: Partial<Memory> | null | undefined): void {
  const { from, actions } = memory ?? {};
  const isRight = Array.isArray(actions) && actions.every((action) => typeof action?.content === "string");
  if (isRight && readImportOrigin(from) !== undefined) return;
  throw new TypeError("import takes a memory, { from, actions }: await readMemory(kind, place) gives one");
}

interface Plan {
  readonly ok: boolean;
  /** There is nothing to append. */
  readonly isDone?: boolean;
  readonly answer: ImportedMemory;
}

async function planOf(
  journal: Journal,
  { from, actions: all }: Memory,
  { replace, actor }: { readonly replace: boolean; readonly actor: string },
  { limits, measure, clock }: ImportParts,
): Promise<Plan> {
  const { state, version: before } = journal;
  const answered = (ok: boolean, message: string, actions: readonly MemoryAction[] = []): ImportedMemory => ({
    ok,
    message,
    from,
    actions,
    answers: [],
    before,
  });
  const done = await importedAt(journal, from);
  if (done !== undefined) {
    return { ok: true, isDone: true, answer: answered(true, `imported before, at v${done}: nothing to do`) };
  }
  const actions = all.filter((action) => standing(action, state) !== action.content);
  const taken = actions.find((action) => (standing(action, state) ?? "") !== "");
  if (taken !== undefined && !replace) {
    return {
      ok: false,
      answer: answered(
        false,
        `not imported: ${placeOf(taken)} holds another text: replace it, or import into another session`,
      ),
    };
  }
  const refusal = refusalIn(actions, state, { limits, measure, actor, at: clock().toISOString() });
  if (refusal !== undefined) return { ok: false, answer: answered(false, `not imported: ${refusal}`) };
  const count = actions.length === 1 ? "1 text" : `${actions.length} texts`;
  return {
    ok: true,
    answer: answered(true, `${count} of ${from.client} ${from.session}, SHA-256 ${from.sha256}`, actions),
  };
}

/** The result is the version of the same import, if no restore has taken it back since. */
async function importedAt(journal: Journal, { client, sha256 }: ImportOrigin): Promise<Version | undefined> {
  let at: Version | undefined;
  for await (const { event, version } of journal.history({ to: journal.version })) {
    if (event.type === "session.imported" && event.from.client === client && event.from.sha256 === sha256) at = version;
    if (event.type === "state.restored" && at !== undefined && event.to < at) at = undefined;
  }
  return at;
}

/** Nothing is cut, and nothing pushed out. */
function refusalIn(
  actions: readonly MemoryAction[],
  before: ScratchpadState,
  context: Parameters<typeof reduce>[2],
): string | undefined {
  let state = before;
  for (const action of actions) {
    const { answer, state: after, events } = reduce(state, action, context);
    if (!answer.ok) return answer.message;
    if (events.some((event) => "dropped" in event)) {
      return `${placeOf(action)} has room for ${answer.limit} characters, and it has ${action.content.length}: shorten it, or raise the limit`;
    }
    state = after;
  }
  return undefined;
}

/** The result is the text that stands where the action writes. */
function standing(action: MemoryAction, state: ScratchpadState): string | undefined {
  switch (action.action) {
    case "entries.write":
      return own(state.entries, action.key);
    case "sections.write":
      return own(state.sections, action.name)?.text;
    case "set_plan":
      return state.plan;
    case "set_notes":
      return state.notes;
  }
}

function placeOf(action: MemoryAction): string {
  if ("key" in action) return `entry ${action.key}`;
  if ("name" in action) return `section ${action.name}`;
  return action.action === "set_plan" ? "the plan" : "the notes";
}
