/** This file offers three spaces and six actions in one tool. */
import { type ActionName, parametersOf } from "../action/actions.ts";
import type { Answer } from "../action/answer.ts";
import type { Limits } from "../action/limits.ts";
import { quote } from "../action/text.ts";
import type { ObjectSchema } from "../event/json-schema.ts";
import { renderBlock } from "../prompt/block.ts";
import { answerSchema, answerText, refusal } from "./answer-schema.ts";
import {
  fieldsOf,
  parameter,
  type RunOptions,
  requireToolParts,
  runOptions,
  type Tool,
  type ToolJournal,
  type ToolOptions,
} from "./tool.ts";

/** Model providers take `session_scratchpad`; most of them do not take a dot. */
export type ScratchpadToolName = "session_scratchpad" | "session.scratchpad";

/** These are the options of {@link scratchpadTool}. */
export interface ScratchpadToolOptions extends ToolOptions {
  /** The tool is offered under this name. Calls under the other name are accepted too. The default is `session_scratchpad`. */
  readonly name?: ScratchpadToolName;
}

/** The `content` is what `read` shows: the block, or "(empty)". */
export type ScratchpadAnswer = Answer & { readonly content?: string };

const offered = [
  "set_notes",
  "append_notes",
  "set_plan",
  "refs.add",
  "refs.remove",
  "refs.set",
] as const satisfies readonly ActionName[];
const offeredNames: readonly string[] = [...offered, "read"];

/**
 * Makes the tool of the face with three spaces: notes, plan and refs.
 *
 * @param journal The journal that the tool writes to.
 * @param options The name of the tool, and who acts.
 * @throws TypeError for an option that does not exist.
 * @example
 * const tool = scratchpadTool(journal);
 * const answer = await tool.run({ action: "set_plan", content: "1. Fix" }, { command: "toolu_01" });
 */
export function scratchpadTool(journal: ToolJournal, options: ScratchpadToolOptions = {}): Tool<ScratchpadAnswer> {
  requireToolParts(journal, options, "name");
  const { name = "session_scratchpad" } = options;
  return {
    name,
    aliases: namesOfScratchpad.filter((other) => other !== name),
    description: description(journal.limits),
    inputSchema,
    outputSchema: {
      ...answerSchema,
      properties: { ...answerSchema.properties, content: { type: "string", description: "What read shows." } },
    },
    readsOnly: false,
    run: (input, call) => run(journal, input, runOptions(options, call)),
    text: (answer) => (answer.content === undefined ? answerText(answer) : `${answer.message}\n${answer.content}`),
  };
}

export const namesOfScratchpad: readonly ScratchpadToolName[] = ["session_scratchpad", "session.scratchpad"];

async function run(journal: ToolJournal, input: unknown, options: RunOptions): Promise<ScratchpadAnswer> {
  const { action } = fieldsOf(input);
  if (action === "read") return read(journal);
  if (typeof action === "string" && offeredNames.includes(action)) return journal.applyUnknown(input, options);
  const what = typeof action === "string" ? `unknown action ${quote(action)}` : "unknown action, none is named";
  return refusal("unknown_action", `${what}: use one of ${offeredNames.join(", ")}`, journal.version);
}

async function read(journal: ToolJournal): Promise<ScratchpadAnswer> {
  await journal.refresh();
  const { state, limits, version } = journal;
  const { notes, plan, refs } = state;
  return {
    ok: true,
    message: `notes ${notes.length}/${limits.notes} chars, plan ${plan.length}/${limits.plan} chars, refs ${refs.length}/${limits.refs} items`,
    version,
    space: null,
    used: 0,
    limit: 0,
    warnings: [],
    events: [],
    content: renderBlock(state) || "(empty)",
  };
}

function description({ notes, plan, refs }: Limits): string {
  return [
    "Persistent working memory that survives context compaction. Three separate spaces keep different kinds of state organised without mixing them together.",
    `notes (${notes} chars): unstructured working memory: findings, decisions, constraints, partial state.`,
    `plan (${plan} chars): current multi-step plan as a concise ordered list.`,
    `refs (${refs} items): atomic references: file paths, URLs, PR links, identifiers.`,
    "set_notes and set_plan replace a space and cut what exceeds its budget, with a warning; append_notes is rejected if the combined text would exceed the budget, notes unchanged; refs.add drops the oldest ref when full; refs.remove takes an exact match; refs.set replaces all; read shows everything.",
  ].join("\n");
}

const inputSchema: ObjectSchema = {
  type: "object",
  properties: {
    action: { type: "string", enum: offeredNames, description: "What to do." },
    content: parameter(parametersOf.set_notes.content, 'For set_notes, append_notes, set_plan: the text; "" clears.'),
    ref: parameter(parametersOf["refs.add"].ref, "For refs.add, refs.remove: one reference, not empty."),
    items: parameter(parametersOf["refs.set"].items, "For refs.set: all references."),
  },
  required: ["action"],
  additionalProperties: false,
};
