/** This file reads the calls of Gemini CLI that are about plans: what each of them changed, as its result confirms it. */
import type { Json } from "../event/event.ts";
import { type Fields, fields } from "../event/fields.ts";
import { type ChecklistItem, checklistText, offeredList, unusedText } from "./checklist.ts";
import type { EditedFiles, FileEdit } from "./edited-files.ts";
import { list, text } from "./fields.ts";
import { fileTools, folderIn } from "./gemini-lines.ts";
import { GeminiTracker } from "./gemini-tracker.ts";
import type { Confirmed, Telling } from "./telling.ts";

export interface GeminiCall {
  readonly tool: string;
  readonly args: Fields;
  readonly status: string;
  /** The model was given this text. */
  readonly said: string;
  /** The person was shown this. */
  readonly display: unknown;
  /** This is the call in the client's words. */
  readonly description: string;
}

/** Every call of these tools matters. */
const changing: ReadonlySet<string> = new Set([
  ...["write_todos", "save_memory", "exit_plan_mode", "tracker_list_tasks"],
  ...["tracker_create_task", "tracker_update_task", "tracker_add_dependency"],
]);

export function callIn(value: Fields): GeminiCall {
  const answers = list(value["result"]).map((part) => fields(fields(fields(part)["functionResponse"])["response"]));
  const said = answers.flatMap((answer) => text(answer["output"]) ?? text(answer["error"]) ?? []);
  const display = value["resultDisplay"];
  return {
    tool: text(value["name"]) ?? "",
    args: fields(value["args"]),
    status: text(value["status"]) ?? "",
    said: said.length > 0 ? said.join("\n") : (text(display) ?? ""),
    display,
    description: text(value["description"]) ?? "",
  };
}

export class GeminiCalls {
  isChecklistUsed = false;
  readonly #telling: Telling;
  readonly #files: EditedFiles;
  readonly #tracker: GeminiTracker;
  /** The plan document that was written last, by its path. */
  #document: string | undefined;

  constructor(telling: Telling, files: EditedFiles) {
    this.#telling = telling;
    this.#files = files;
    this.#tracker = new GeminiTracker(telling);
  }

  isPlanCall({ tool, args, display }: GeminiCall): boolean {
    return changing.has(tool) || (fileTools.has(tool) && this.#files.has(pathIn(args, display)));
  }

  answer(call: GeminiCall, by: Confirmed): void {
    if (call.status === "success") this.#apply(call, by);
    else this.#refuse(call, by);
  }

  /** The call stands on a part of the conversation that a rewind left behind. */
  left(call: GeminiCall): void {
    const { tool, status } = call;
    if (status !== "success") return;
    if (tool.startsWith("tracker_") && tool !== "tracker_list_tasks") this.#tracker.left();
    const edit = fileTools.has(tool) ? this.#editIn(call) : undefined;
    if (edit !== undefined) this.#files.left(edit);
  }

  /** The result says why there is no checklist. */
  noChecklist(model: string | undefined): string {
    if (model === undefined || /^gemini-[12]\b/.test(model))
      return unusedText("write_todos", this.#telling.refusedChecklist);
    return `no checklist in this session: Gemini CLI offers none to ${model} ("taskTracker": true under "experimental" in settings.json brings one)`;
  }

  #apply(call: GeminiCall, by: Confirmed): void {
    const { tool, args, display } = call;
    switch (tool) {
      case "write_todos": {
        const todos = fields(display)["todos"] ?? args["todos"];
        this.isChecklistUsed = true;
        if (Array.isArray(todos)) this.#telling.setPlan(todoText(todos), by);
        else this.#telling.noList(by.place);
        return;
      }
      case "save_memory":
        this.#telling.appendNotes(text(args["fact"]) ?? "", by);
        return;
      case "exit_plan_mode":
        this.#exitPlanMode(call, by);
        return;
      case "write_file":
      case "replace":
        this.#edit(call, by);
        return;
      default:
        this.#track(call, by);
        this.#tracker.check(display, by);
        this.isChecklistUsed = true;
    }
  }

  #track(call: GeminiCall, by: Confirmed): void {
    const { tool, args, said } = call;
    const has =
      tool === "tracker_create_task"
        ? this.#tracker.create(args, said, by)
        : tool === "tracker_update_task"
          ? this.#tracker.update(args, said, by)
          : tool === "tracker_add_dependency"
            ? this.#tracker.link(args, said, by)
            : true;
    if (has) return;
    if (tool !== "tracker_create_task") this.#refuse(call, by);
    else this.#telling.note(by.place, "a tracker_create_task has a result that names no task");
  }

  /** A person's refusal is a success of the tool. */
  #exitPlanMode(call: GeminiCall, by: Confirmed): void {
    if (!call.said.startsWith("Plan approved")) {
      this.#refuse(call, by);
      return;
    }
    this.#telling.mark("plan approved", this.#documentName(call), by.place, by.at, by.entryId);
  }

  /** The call has the name of the file alone; the folder is that of the plans. */
  #documentName({ args, said }: GeminiCall): string {
    const stored = /plan is stored at: (\S[^\n]{0,4095})/.exec(said)?.[1];
    const path = stored ?? this.#document ?? text(args["plan_path"]) ?? text(args["plan_filename"]);
    return path === undefined ? "plan document" : this.#files.nameOf(path);
  }

  #edit(call: GeminiCall, by: Confirmed): void {
    const edit = this.#editIn(call);
    if (edit === undefined) return;
    const { path } = edit;
    if (/(?:^|[\\/])plans[\\/][^\\/]+$/.test(path)) this.#document = path;
    this.#files.apply(edit, by);
  }

  /** The result is undefined if the call names no file. */
  #editIn({ tool, args, display, description }: GeminiCall): FileEdit | undefined {
    const path = pathIn(args, display);
    if (path === undefined) return undefined;
    const shown = fields(display);
    this.#files.cwd ??= folderIn(path, description);
    return {
      path,
      before: text(shown["originalContent"]),
      isNew: shown["isNewFile"] === true || (tool === "replace" && args["old_string"] === ""),
      after: text(shown["newContent"]) ?? (tool === "write_file" ? text(args["content"]) : undefined),
      edits: [{ old: text(args["old_string"]), put: text(args["new_string"]), all: args["allow_multiple"] === true }],
    };
  }

  #refuse(call: GeminiCall, by: Confirmed): void {
    const { tool, args, said, display } = call;
    const message = said === "" ? "it was cancelled" : said;
    const offer = { tool, message, input: args as Json };
    if (tool === "exit_plan_mode") {
      const name = this.#documentName(call);
      const content = this.#telling.sections.get(name);
      this.#telling.refuse(
        "sections.write",
        content === undefined ? { ...offer, name } : { tool, message, name, content },
        by,
      );
    } else if (fileTools.has(tool)) {
      const path = pathIn(args, display) ?? "";
      this.#files.refuse({ tool, path, input: args, content: text(args["content"]), message }, by);
    } else if (tool === "save_memory") {
      const content = text(args["fact"]);
      this.#telling.refuse("append_notes", content === undefined ? offer : { tool, content, message }, by);
    } else if (tool !== "tracker_list_tasks") {
      const todos = tool === "write_todos" ? args["todos"] : undefined;
      this.#telling.refuse("set_plan", { tool, message, ...offeredList(todos, itemOf, args as Json) }, by);
    }
  }
}

function pathIn(args: Fields, display: unknown): string | undefined {
  return text(fields(display)["filePath"]) ?? text(args["file_path"]);
}

function todoText(todos: unknown): string {
  return checklistText(list(todos).map(fields).map(itemOf));
}

function itemOf(todo: Fields): ChecklistItem {
  return { text: text(todo["description"]) ?? "", status: text(todo["status"]) ?? "" };
}
