/** This file reads the calls of OpenCode that are about plans: what each of them changed, as its result confirms it. */
import type { Json } from "../event/event.ts";
import { type Fields, fields } from "../event/fields.ts";
import { checklistText, offeredList, todoItem, todoItems } from "./checklist.ts";
import type { EditedFiles, FileEdit, Replacement } from "./edited-files.ts";
import { list, text } from "./fields.ts";
import { hunksOf } from "./hunks.ts";
import type { Confirmed, Telling } from "./telling.ts";

export interface OpenCodeCall {
  readonly tool: string;
  readonly input: Fields;
  readonly metadata: Fields;
  readonly hasFailed: boolean;
  /** The model was given this text. */
  readonly said: string;
}

/** Using them is no work on a step. */
export const planTools: ReadonlySet<string> = new Set(["todowrite", "todoread", "plan_enter", "plan_exit"]);
const fileTools: ReadonlySet<string> = new Set(["edit", "write", "multiedit", "patch", "apply_patch"]);
/** Tools whose calls must be read whole. */
export const wantedTools: readonly string[] = ["todowrite", "plan_exit", ...fileTools, "task", "invalid"];

/** A tool that is not there is called `invalid`: what was asked for stands in its input. */
export function callIn(part: Fields): OpenCodeCall {
  const state = fields(part["state"]);
  const input = fields(state["input"]);
  const call = {
    tool: text(part["tool"]) ?? "",
    input,
    metadata: fields(state["metadata"]),
    hasFailed: state["status"] === "error",
    said: text(state["error"]) ?? text(state["output"]) ?? "",
  };
  if (call.tool !== "invalid") return call;
  return { ...call, tool: text(input["tool"]) ?? "invalid", said: text(input["error"]) ?? call.said, hasFailed: true };
}

export class OpenCodeCalls {
  isChecklistUsed = false;
  readonly #telling: Telling;
  readonly #files: EditedFiles;
  #document: string | undefined;

  constructor(telling: Telling, files: EditedFiles) {
    this.#telling = telling;
    this.#files = files;
  }

  isPlanCall(call: OpenCodeCall): boolean {
    return call.tool === "todowrite" || call.tool === "plan_exit" || this.#editsOf(call).length > 0;
  }

  answer(call: OpenCodeCall, by: Confirmed): void {
    const { tool, input, hasFailed, said } = call;
    const offer = { tool, message: said, input: input as Json };
    switch (tool) {
      case "todowrite": {
        if (!hasFailed) {
          this.isChecklistUsed = true;
          const todos = todosIn(call);
          if (Array.isArray(todos)) this.#telling.setPlan(todoText(todos), by);
          else this.#telling.noList(by.place);
          return;
        }
        const offered = offeredList(input["todos"], todoItem, input as Json);
        this.#telling.refuse("set_plan", { tool, message: said, ...offered }, by);
        return;
      }
      case "plan_exit": {
        const name = this.#document ?? "plan document";
        if (!hasFailed) this.#telling.mark("plan approved", name, by.place, by.at, by.entryId);
        else this.#telling.refuse("sections.write", { ...offer, name, content: this.#telling.sections.get(name) }, by);
        return;
      }
      default:
        for (const edit of this.#editsOf(call)) {
          if (hasFailed) this.#files.refuse({ tool, path: edit.path, input, content: edit.after, message: said }, by);
          else this.#edit(edit, by);
        }
    }
  }

  #edit(edit: FileEdit, by: Confirmed): void {
    if (/(?:^|[\\/])plans[\\/][^\\/]+$/.test(edit.path)) this.#document = this.#files.nameOf(edit.path);
    this.#files.apply(edit, by);
  }

  /** The edits are those of files that are tracked. */
  #editsOf({ tool, input, metadata }: OpenCodeCall): FileEdit[] {
    if (!fileTools.has(tool)) return [];
    const edits = Array.isArray(metadata["files"])
      ? list(metadata["files"]).map((file) => editIn(fields(file)))
      : [editAsked(tool, input, metadata)];
    return edits.filter(({ path }) => path !== "" && this.#files.has(path));
  }
}

/** The list is as the client took it, which is as it was asked for. */
export function todosIn({ input, metadata }: OpenCodeCall): unknown {
  return metadata["todos"] ?? input["todos"];
}

export function todoText(todos: unknown): string {
  return checklistText(todoItems(todos));
}

/** A patch of several files lists each of them so. */
function editIn(file: Fields): FileEdit {
  const path = text(file["filePath"]) ?? text(file["file"]) ?? "";
  const diff = text(file["patch"]) ?? text(file["diff"]) ?? "";
  const whole = { before: text(file["before"]), after: text(file["after"]) };
  return { path, ...whole, isNew: file["type"] === "add", hunks: hunksOf(diff) };
}

function editAsked(tool: string, input: Fields, metadata: Fields): FileEdit {
  const path = text(input["filePath"]) ?? text(metadata["filepath"]) ?? "";
  const diff = fields(metadata["filediff"]);
  const whole = { before: text(diff["before"]), after: text(diff["after"]) };
  if (tool === "write") {
    return { path, isNew: metadata["exists"] === false, ...whole, after: text(input["content"]) };
  }
  const asked = Array.isArray(input["edits"]) ? list(input["edits"]).map(fields) : [input];
  const edits = asked.map(
    (edit): Replacement => ({
      old: text(edit["oldString"]),
      put: text(edit["newString"]),
      all: edit["replaceAll"] === true,
    }),
  );
  const patch = text(diff["patch"]) ?? text(metadata["diff"]) ?? "";
  return { path, before: whole.before ?? wholeBefore(patch, edits), after: whole.after, edits, hunks: hunksOf(patch) };
}

/** The client's diffs show so many lines around a change, if the file has them. */
const contextLines = 4;

/**
 * The whole text before, where the diff shows that: it begins with the first line and ends before its context is full.
 * The client takes away white space that all lines begin with, so what was replaced must stand in the text.
 */
function wholeBefore(patch: string, edits: readonly Replacement[]): string | undefined {
  const [hunk, ...others] = hunksOf(patch);
  if (hunk === undefined || others.length > 0 || hunk.oldStart > 1 || patch.includes("\n\\ No newline"))
    return undefined;
  const lastChange = hunk.lines.findLastIndex((line) => !line.startsWith(" "));
  if (hunk.lines.length - 1 - lastChange >= contextLines) return undefined;
  const before = hunk.lines.flatMap((line) => (line.startsWith("+") ? [] : [`${line.slice(1)}\n`])).join("");
  return edits.every(({ old }) => old !== undefined && old !== "" && before.includes(old)) ? before : undefined;
}
