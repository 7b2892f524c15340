/** One long text that stands in the system prompt: read, replaced, or edited in place. */
import { parametersOf } from "../action/actions.ts";
import { contentUnitsMax } from "../action/limits.ts";
import { wellFormed } from "../action/text.ts";
import { isJournalError } from "../errors.ts";
import type { Fields } from "../event/fields.ts";
import type { ObjectSchema } from "../event/json-schema.ts";
import { underToolName } from "./answer-schema.ts";
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

/** These are the options of the notepad's tools. */
export interface NotepadOptions extends ToolOptions {
  /** The most the notepad holds, in UTF-16 code units. The default is 100,000, the longest text that one write can carry. */
  readonly charsMax?: number;
}

/** This is what reading a notepad returns. */
export interface NotepadContent {
  /** This is "" if nothing is written. */
  readonly content: string;
}

/** This says whether the notepad was changed, or why not. */
export type NotepadOutcome = { readonly ok: true } | { readonly ok: false; readonly error: string };

/** This is what code of an agent uses, as `session.notepad`. Each rejects where the notepad tools would answer with an error. */
export interface Notepad {
  read(): Promise<string>;
  write(content: string): Promise<void>;
  /** The text is put on a new line. */
  append(text: string): Promise<void>;
}

/**
 * Makes the tools `read_notepad`, `write_notepad` and `update_notepad`.
 *
 * @param journal The journal that the tools write to.
 * @param options The longest text of a notepad.
 * @throws TypeError for an option that does not exist.
 * @example
 * const [read, write, update] = notepadTools(journal);
 */
export function notepadTools(
  journal: ToolJournal,
  options: NotepadOptions = {},
): [Tool<NotepadContent>, Tool<NotepadOutcome>, Tool<NotepadOutcome>] {
  const apply = applying(journal, options);
  return [
    {
      name: "read_notepad",
      aliases: [],
      description: "Read the session notepad: your working notes, which survive context compaction.",
      inputSchema: { type: "object", properties: {}, required: [] },
      outputSchema: { type: "object", properties: { content: { type: "string" } }, required: ["content"] },
      readsOnly: true,
      run: async () => ({ content: await readNotes(journal) }),
      text: ({ content }) => content,
    },
    {
      name: "write_notepad",
      aliases: [],
      description: 'Replace the whole session notepad. Writing "" clears it.',
      inputSchema: writeSchema,
      outputSchema: outcomeSchema,
      readsOnly: false,
      run: (input, call) => outcomeOf(apply({ ...fieldsOf(input), action: "set_notes" }, call)),
      text: outcomeText,
    },
    {
      name: "update_notepad",
      aliases: [],
      description: "Edit the session notepad in place: append or prepend a text, replace an exact text, or delete one.",
      inputSchema: updateSchema,
      outputSchema: outcomeSchema,
      readsOnly: false,
      run: (input, call) => outcomeOf(apply({ ...fieldsOf(input), action: "edit_notes" }, call)),
      text: outcomeText,
    },
  ];
}

/**
 * Makes a notepad that code reads and writes as its tools do.
 *
 * @param journal The journal that holds the notepad's text, in notes.
 * @param options The longest text of a notepad.
 * @throws TypeError for an option that does not exist.
 * @example
 * await notepad(journal).append("The test fails west of Greenwich.");
 */
export function notepad(journal: ToolJournal, options: NotepadOptions = {}): Notepad {
  const apply = applying(journal, options);
  const must = async (action: Parameters<typeof apply>[0]): Promise<void> => {
    const outcome = await apply(action);
    if (!outcome.ok) throw new Error(outcome.error);
  };
  return {
    read: () => readNotes(journal),
    write: (content) => must({ action: "set_notes", content }),
    append: (text) => must({ action: "edit_notes", operation: "append", content: text }),
  };
}

function applying(journal: ToolJournal, options: NotepadOptions) {
  requireToolParts(journal, options, "charsMax");
  const { charsMax = contentUnitsMax } = options;
  if (!Number.isSafeInteger(charsMax) || charsMax < 0) {
    throw new TypeError(`charsMax must be a whole number of at least 0, not ${String(charsMax)}`);
  }
  const budget = { notes: charsMax, measure: undefined };
  return async (action: NotesAction, call?: RunOptions): Promise<NotepadOutcome> => {
    const { content, operation } = action;
    const tooLong = operation !== "delete" && typeof content === "string" && content.length > charsMax;
    if (tooLong)
      return {
        ok: false,
        error: `over budget: content is ${content.length} chars long, the notepad holds ${charsMax}`,
      };
    const { ok, code, message } = await journal.applyUnder(budget, action, runOptions(options, call));
    if (ok) return { ok };
    if (code === "over_budget") {
      return {
        ok,
        error: `over budget: the notepad holds ${charsMax} chars, replace it with a summary by write_notepad`,
      };
    }
    return { ok, error: underToolName(message, action.action, toolNames[action.action]) };
  };
}

type NotesAction = Fields & { readonly action: keyof typeof toolNames };

const toolNames = { set_notes: "write_notepad", edit_notes: "update_notepad" } as const;

async function readNotes(journal: ToolJournal): Promise<string> {
  await journal.refresh();
  return wellFormed(journal.state.notes);
}

/** A failure of the journal is told to the agent, too. */
async function outcomeOf(outcome: Promise<NotepadOutcome>): Promise<NotepadOutcome> {
  try {
    return await outcome;
  } catch (error) {
    if (isJournalError(error)) return { ok: false, error: error.message };
    throw error;
  }
}

function outcomeText(outcome: NotepadOutcome): string {
  return outcome.ok ? "ok" : outcome.error;
}

const outcomeSchema: ObjectSchema = {
  type: "object",
  properties: { ok: { type: "boolean" }, error: { type: "string" } },
  required: ["ok"],
};

const { content, operation, find, replace, replace_all } = parametersOf.edit_notes;

const writeSchema: ObjectSchema = {
  type: "object",
  properties: { content: parameter(content, "The new notepad content (replaces everything)") },
  required: ["content"],
};

const updateSchema: ObjectSchema = {
  type: "object",
  properties: {
    operation: parameter(operation, "The type of edit to perform"),
    content: parameter(content, "For append/prepend: text to add. For delete: text to remove."),
    find: parameter(find, "For find_replace: exact substring to find"),
    replace: parameter(replace, "For find_replace: replacement text"),
    replace_all: parameter(replace_all, "For find_replace: replace all occurrences. Default: false."),
  },
  required: ["operation"],
};
