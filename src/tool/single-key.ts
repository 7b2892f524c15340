/** One text under one key, with a budget in tokens: the scratchpad of older runtimes, which read and write it too. */
import { parametersOf } from "../action/actions.ts";
import type { Answer } from "../action/answer.ts";
import { checkedMeasure, fourUnits, type Measure } from "../action/text.ts";
import type { Version } from "../event/event.ts";
import type { ObjectSchema } from "../event/json-schema.ts";
import { typeOf } from "../event/types.ts";
import { textUnitsMax } from "../journal/options.ts";
import { defaultMaxTokens } from "../prompt/guidance.ts";
import { answerSchema, refusal } from "./answer-schema.ts";
import { namesOfScratchpad, type ScratchpadToolName } from "./scratchpad.ts";
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

/** These are the options of {@link singleKeyTool}. */
export interface SingleKeyToolOptions extends ToolOptions {
  /** The tool is offered under this name. Calls under the other name are accepted too. The default is `session_scratchpad`. */
  readonly name?: ScratchpadToolName;
  /** The default is 2000. */
  readonly maxTokens?: number;
  /** The count must not fall as a text grows. The default is a token for every four UTF-16 code units begun. */
  readonly countTokens?: Measure;
}

/**
 * Makes the tool of the face with a single text. Open its journal with `mirror: "single-key"`, so that older runtimes find the
 * text under their key.
 *
 * @param journal The journal that the tool writes to.
 * @param options The name of the tool, and its budget in tokens.
 * @throws TypeError for an option that does not exist.
 * @example
 * const tool = singleKeyTool(journal, { maxTokens: 2000 });
 */
export function singleKeyTool(journal: ToolJournal, options: SingleKeyToolOptions = {}): Tool<Answer> {
  requireToolParts(journal, options, "name", "maxTokens", "countTokens");
  const { name = "session_scratchpad", maxTokens = defaultMaxTokens, countTokens = fourUnits } = options;
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 0) {
    throw new TypeError(`maxTokens must be a whole number of at least 0, not ${maxTokens}`);
  }
  const measure = checkedMeasure(countTokens, "countTokens");
  const format = new NotesFormat();
  return {
    name,
    aliases: namesOfScratchpad.filter((other) => other !== name),
    description:
      "Persist important working state (plans, findings, decisions) that survives context compaction. Content is prepended to each message you receive.",
    inputSchema,
    outputSchema: answerSchema,
    readsOnly: false,
    run: async (input, call) => {
      const asked = runOptions(options, call);
      const budget = { notes: maxTokens, measure, singleKey: !(await format.isNewer(journal)) };
      const answer = await run(journal, budget, input, asked);
      if (!(await isUnheard(journal, answer))) return answer;
      return run(journal, { ...budget, singleKey: false }, input, { ...asked, command: secondCommand(asked) });
    },
    text: ({ message }) => message,
  };
}

interface Budget {
  readonly notes: number;
  readonly measure: Measure;
  readonly singleKey: boolean;
}

async function run(journal: ToolJournal, budget: Budget, input: unknown, options: RunOptions): Promise<Answer> {
  const { content, mode } = fieldsOf(input);
  if (typeof content !== "string") {
    return refusal("invalid_argument", "rejected: content must be a string", journal.version);
  }
  const action = actions.get(mode ?? "replace");
  if (action === undefined) {
    return refusal("invalid_argument", "rejected: mode must be replace or append", journal.version);
  }
  const answer = await journal.applyUnder(budget, { action, content }, options);
  return { ...answer, message: wording(answer, budget, content) };
}

const actions = new Map<unknown, "set_notes" | "append_notes">([
  ["replace", "set_notes"],
  ["append", "append_notes"],
]);

function wording(answer: Answer, { notes: maxTokens, measure }: Budget, content: string): string {
  if (answer.code === "over_budget") {
    return `Append would exceed ${maxTokens} token budget (current: ${answer.used}, append: ${measure(content)}). Use mode 'replace' to rewrite, or reduce content.`;
  }
  if (!answer.ok) return answer.message.replace(/^\w+_notes /, "");
  const [event] = answer.events;
  if (event !== undefined && "dropped" in event) {
    return `Scratchpad truncated to ${maxTokens} tokens (original: ${measure(content)}). Consider summarizing.`;
  }
  return `Scratchpad updated (${answer.used} tokens / ${maxTokens} budget)`;
}

/**
 * Once notes were written in the newer format, a value of the single key is not heard any more, whoever writes it: then
 * this tool writes in the newer format, too.
 */
class NotesFormat {
  #newer = false;
  #seen: Version = 0;

  async isNewer(journal: ToolJournal): Promise<boolean> {
    if (this.#newer) return true;
    for await (const { event, version } of journal.history({ from: Math.min(this.#seen, journal.version) })) {
      this.#seen = version;
      if (event.type.startsWith("notes.")) this.#newer = true;
    }
    return this.#newer;
  }
}

/**
 * The result says whether the text was written as a value that is not heard: another writer may have come in between, and a history whose
 * beginning was dropped does not say how notes were written before. A repeated call may find that notes hold what it wrote the second time.
 */
async function isUnheard(journal: ToolJournal, { events: [written], version }: Answer): Promise<boolean> {
  if (written?.type !== "legacy.set") return false;
  const isShown = written.text === journal.state.notes;
  if (isShown && version === journal.version) return false;
  for await (const { event, version: at } of journal.history({ from: version - 1 })) {
    if (at === version && "ignored" in event) return true;
    if (at > version && ("state" in event || typeOf(event).space === "notes")) return false;
  }
  return !isShown;
}

/** The call's own command stands for the value, and one that follows from it makes a repeated call harmless here too. */
function secondCommand({ command }: RunOptions): string | undefined {
  return command === undefined ? undefined : `again ${command}`.slice(0, textUnitsMax);
}

const inputSchema: ObjectSchema = {
  type: "object",
  properties: {
    content: parameter(parametersOf.set_notes.content, "The scratchpad content to save"),
    mode: {
      type: "string",
      enum: ["replace", "append"],
      default: "replace",
      description: "replace: overwrite entire scratchpad. append: add to existing content.",
    },
  },
  required: ["content"],
  additionalProperties: false,
};
