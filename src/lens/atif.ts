/**
 * Trajectories by ATIF (Agent Trajectory Interchange Format): one JSON document with a list of steps, whatever agent it is of. A call of
 * a tool stands in the step in which it was answered.
 */
import type { ForeignFacts } from "../event/foreign.ts";
import { checklistText } from "./checklist.ts";
import { editsAsked, fileTools } from "./droid.ts";
import { EditedFiles } from "./edited-files.ts";
import { blockText, type Fields, fields, isFields, list, parsed, text, time } from "./fields.ts";
import { FactsKeeper } from "./keeper.ts";
import type { Lens, LensLine, LensOptions, LensReader } from "./lens.ts";
import { type Confirmed, type Place, Telling } from "./telling.ts";

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

  constructor(options: LensOptions) {
    this.#options = options;
    this.#telling = new Telling(options.emit);
    this.#files = new EditedFiles(this.#telling, options.files);
  }

  again(emit: LensOptions["emit"]): LensReader {
    return new AtifReader({ ...this.#options, emit });
  }

  facts(): ForeignFacts {
    const tools = Object.keys(checklists).join(", ");
    const none = `no checklist in this trajectory: no step calls ${tools} or scratchpad`;
    return { ...this.#keeper.facts(this.#telling.repetitions), ...(this.#isUsed ? {} : { noChecklist: none }) };
  }

  take(line: LensLine): void {
    const value = parsed(line.bytes);
    if (value === undefined) this.#telling.damage(line, "what stands here is no JSON");
    else if (!isFields(value)) this.#keeper.count("a value that is no object");
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
    const answers = answersIn(step);
    for (const call of list(step["tool_calls"]).map(fields)) {
      const id = text(call["tool_call_id"]) ?? "";
      this.#call(call, answers.get(id) ?? "", {
        actor: this.#actor,
        at: this.#keeper.at,
        entryId: id || entryOf(step),
        place: placeOf(line),
      });
    }
  }

  #call(call: Fields, said: string, by: Confirmed): void {
    const tool = text(call["function_name"]) ?? "";
    const input = fields(call["arguments"]);
    const asked = askedIn(tool, input);
    const hasFailed = /^\s*(?:rejected:|error\b|<tool_use_error>)/i.test(said);
    if (asked === undefined) {
      this.#telling.calls += 1;
      if (!hasFailed && fileTools.has(tool)) this.#edit(tool, input, by);
      return;
    }
    this.#isUsed = true;
    const { action, content } = asked;
    if (hasFailed) this.#telling.refuse(action, { tool, content, message: said }, by);
    else if (action === "set_plan") this.#telling.setPlan(content, by);
    else this.#telling.appendNotes(content, by);
  }

  #edit(tool: string, input: Fields, by: Confirmed): void {
    for (const edit of editsAsked(tool, input)) if (this.#files.has(edit.path)) this.#files.apply(edit, by);
  }
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
  const plan = planIn(tool, input);
  return plan === undefined ? undefined : { action: "set_plan", content: plan };
}

function planIn(tool: string, input: Fields): string | undefined {
  const name = Object.hasOwn(checklists, tool) ? checklists[tool] : undefined;
  if (name === undefined || !Array.isArray(input[name])) return undefined;
  const items = list(input[name]).filter(isFields);
  return checklistText(
    items.map((item) => ({
      text: text(item["content"]) ?? text(item["step"]) ?? text(item["description"]) ?? "",
      status: text(item["status"]) ?? "",
    })),
  );
}

/** What calls of the step were answered, by their ids. */
function answersIn(step: Fields): ReadonlyMap<string, string> {
  const results = list(fields(step["observation"])["results"]).map(fields);
  return new Map(results.map((result) => [text(result["source_call_id"]) ?? "", blockText(result["content"])]));
}

function entryOf(step: Fields): string {
  return `step ${String(step["step_id"])}`;
}

function placeOf({ offset, number }: LensLine): Place {
  return { offset, number };
}
