/**
 * Trajectories by ATIF (Agent Trajectory Interchange Format): one JSON document with a list of steps, whatever agent it is of. The
 * answer to a call stands in its step, or in a later one.
 */
import type { Json } from "../event/event.ts";
import { type Fields, fields, isFields } from "../event/fields.ts";
import type { ForeignFacts } from "../event/foreign.ts";
import { type ChecklistItem, checklistText, offeredList } from "./checklist.ts";
import { editsAsked, fileTools } from "./droid.ts";
import { EditedFiles, type FileEdit } from "./edited-files.ts";
import { blockText, list, text, time } from "./fields.ts";
import { FactsKeeper } from "./keeper.ts";
import type { Lens, LensLine, LensOptions, LensReader } from "./lens.ts";
import { type Confirmed, type LinePlace, Telling } from "./telling.ts";

export const atif: Lens = {
  client: "atif",
  title: "ATIF trajectory",
  checkedAgainst: ["ATIF-v1.7"],
  detects: isAtif,
  begin: (options) => new AtifReader(options),
};

/** Agents call the tool that replaces their checklist by these names. The value is the name of the list. */
const checklists: Readonly<Record<string, string>> = {
  TodoWrite: "todos",
  todowrite: "todos",
  write_todos: "todos",
  update_plan: "plan",
};
const known: ReadonlySet<string> = new Set(["trajectory", "system", "user", "agent"]);

/** The line is what stands around the steps, or one of them. */
function isAtif(line: unknown): boolean {
  if (!isFields(line)) return false;
  return text(line["schema_version"])?.startsWith("ATIF-") === true || isStep(line);
}

function isStep(line: Fields): boolean {
  return Number.isSafeInteger(line["step_id"]) && known.has(text(line["source"]) ?? "") && "message" in line;
}

class AtifReader implements LensReader {
  readonly isOvertaken = false;
  readonly #options: LensOptions;
  readonly #telling: Telling;
  readonly #files: EditedFiles;
  readonly #keeper = new FactsKeeper(known);
  #actor = "atif";
  #isUsed = false;
  readonly #pending = new Map<string, Call>();

  constructor(options: LensOptions) {
    this.#options = options;
    this.#telling = new Telling(options.emit);
    this.#files = new EditedFiles(this.#telling, options.files);
  }

  again(emit: LensOptions["emit"]): LensReader {
    return new AtifReader({ ...this.#options, emit });
  }

  get session(): string {
    return this.#keeper.session;
  }

  facts(): ForeignFacts {
    const tools = Object.keys(checklists).join(", ");
    const none = `no checklist in this trajectory: no step calls ${tools} or scratchpad`;
    const facts = this.#keeper.facts(this.#telling.repetitions, this.#pending);
    return { ...facts, ...(this.#isUsed ? {} : { noChecklist: none }) };
  }

  take(line: LensLine): void {
    const value = this.#telling.read(line);
    if (value === undefined) return;
    if (!isFields(value)) this.#keeper.count("a value that is no object");
    else if ("step_id" in value) this.#step(value, line);
    else this.#about(value);
  }

  /** The value belongs to the document; it may stand before the steps or behind them. */
  #about(value: Fields): void {
    this.#keeper.count("trajectory");
    const agent = fields(value["agent"]);
    this.#keeper.session ||= text(value["session_id"]) ?? text(value["trajectory_id"]) ?? "";
    this.#actor = text(agent["name"]) ?? this.#actor;
    this.#keeper.version(text(agent["version"]));
    const model = text(agent["model_name"]);
    if (model !== undefined) this.#keeper.model(model);
  }

  #step(step: Fields, line: LensLine): void {
    this.#keeper.count(text(step["source"]) ?? "no source");
    this.#keeper.at = time(step["timestamp"]) ?? this.#keeper.at;
    const copied = step["is_copied_context"] === true;
    if (fields(step["extra"])["context_management"] !== undefined)
      this.#telling.mark("compaction", "", line, this.#keeper.at, entryOf(step));
    if (copied) return;
    const model = text(step["model_name"]);
    if (model !== undefined && this.#keeper.model(model)) this.#telling.mark("model", model, line, this.#keeper.at);
    if (step["source"] === "user") {
      this.#telling.beginTurn();
      this.#keeper.asked(this.#telling.turn, blockText(step["message"]));
    }
    const by = { actor: this.#actor, at: this.#keeper.at, entryId: entryOf(step), place: placeOf(line) };
    this.#outside(fields(step["extra"]), by);
    const ids = list(step["tool_calls"]).map((value, index) => {
      const call = fields(value);
      const id = text(call["tool_call_id"]) ?? `${by.entryId} call ${index + 1}`;
      this.#called(call, id, by.place);
      return id;
    });
    for (const result of list(fields(step["observation"])["results"]).map(fields)) {
      // The answer to the only call need not say whose it is.
      const id = text(result["source_call_id"]) ?? (ids.length === 1 ? ids[0] : undefined) ?? "";
      const call = this.#pending.get(id);
      if (call === undefined) continue;
      this.#pending.delete(id);
      this.#answered(call, blockText(result["content"]), { ...by, entryId: id, calls: call.calls });
    }
  }

  /** In a trajectory that was exported here: a change of the plan that no action made. */
  #outside({ event, payload, actor }: Fields, by: Confirmed): void {
    const content = text(fields(payload)["text"]);
    if (event !== "plan.set" || content === undefined) return;
    this.#isUsed = true;
    this.#telling.setPlan(content, { ...by, actor: text(actor) ?? by.actor });
  }

  #called(call: Fields, id: string, place: LinePlace): void {
    const tool = text(call["function_name"]) ?? "";
    const input = fields(call["arguments"]);
    const asked = askedIn(tool, input);
    const edits = fileTools.has(tool) ? editsAsked(tool, input).filter(({ path }) => this.#files.has(path)) : [];
    const { calls } = this.#telling;
    if (asked === undefined) this.#telling.calls += 1;
    else this.#isUsed = true;
    if (asked !== undefined || edits.length > 0) this.#pending.set(id, { tool, input, asked, edits, place, calls });
  }

  #answered({ tool, input, asked, edits }: Call, said: string, by: Confirmed): void {
    const hasFailed = /^\s*(?:rejected:|error\b|<tool_use_error>)/i.test(said);
    if (asked !== undefined) {
      const { action, content } = asked;
      const todos = listIn(tool, input);
      const offered = todos === undefined ? { content } : offeredList(todos, itemOf, input as Json);
      if (hasFailed) this.#telling.refuse(action, { tool, message: said, ...offered }, by);
      else if (action === "set_plan") this.#telling.setPlan(content, by);
      else this.#telling.appendNotes(content, by);
    }
    for (const edit of edits) {
      if (hasFailed) this.#files.refuse({ tool, path: edit.path, input, content: edit.after, message: said }, by);
      else this.#files.apply(edit, by);
    }
  }
}

/** Nothing has answered this call yet. */
interface Call {
  readonly tool: string;
  readonly input: Fields;
  readonly asked: Asked | undefined;
  readonly edits: readonly FileEdit[];
  readonly place: LinePlace;
  /** So many calls of tools stand before it. */
  readonly calls: number;
}

interface Asked {
  readonly action: "set_plan" | "append_notes";
  readonly content: string;
}

/** The result is what a call asks of the plan or the notes. It is undefined if the call asks for anything else. */
function askedIn(tool: string, input: Fields): Asked | undefined {
  const content = text(input["content"]);
  const action = tool === "scratchpad" ? input["action"] : undefined;
  if (content !== undefined && (action === "set_plan" || action === "append_notes")) return { action, content };
  const todos = listIn(tool, input);
  return todos && { action: "set_plan", content: checklistText(todos.filter(isFields).map(itemOf)) };
}

/** The result is the list that a call sets. It is undefined if the call sets none. */
function listIn(tool: string, input: Fields): readonly unknown[] | undefined {
  const name = Object.hasOwn(checklists, tool) ? checklists[tool] : undefined;
  return name !== undefined && Array.isArray(input[name]) ? input[name] : undefined;
}

function itemOf(item: Fields): ChecklistItem {
  const said = text(item["content"]) ?? text(item["step"]) ?? text(item["description"]);
  return { text: said ?? "", status: text(item["status"]) ?? "" };
}

function entryOf(step: Fields): string {
  return `step ${String(step["step_id"])}`;
}

function placeOf({ offset, number }: LensLine): LinePlace {
  return { offset, number };
}
