/** This file reads the calls of Claude Code that are about plans: what each of them changed, as its result confirms it. */
import type { Json } from "../event/event.ts";
import { type Fields, fields } from "../event/fields.ts";
import { elsewhere } from "../event/foreign.ts";
import { offeredList, todoItem } from "./checklist.ts";
import type { ClaudeChecklist, TaskChange } from "./claude-checklist.ts";
import { ClaudeEdits } from "./claude-edits.ts";
import { withLineFeeds } from "./edited-files.ts";
import { text } from "./fields.ts";
import type { Confirmed, LinePlace, Telling } from "./telling.ts";
import type { TrackedFiles } from "./tracked-files.ts";

/** Every call of these tools matters. A call that changes a file matters if the file does. */
export const planTools: ReadonlySet<string> = new Set([
  ...["TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "ExitPlanMode", "Agent", "Task"],
]);
/** Using them is no work on a step. */
export const checklistTools: ReadonlySet<string> = new Set([
  ...["TodoWrite", "TaskCreate", "TaskUpdate", "TaskList", "TaskGet", "ToolSearch"],
]);
/** These change the checklist. */
export const listTools: ReadonlySet<string> = new Set(["TodoWrite", "TaskCreate", "TaskUpdate"]);
export const fileTools: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit"]);

/** Those that are no plan calls: they are looked at for what their results say. */
const sideTools: ReadonlySet<string> = new Set(["TaskList", "Agent", "Task"]);

export interface ClaudeCall {
  readonly tool: string;
  readonly input: Fields;
  readonly place: LinePlace;
}

export interface ClaudeResult {
  readonly isError: boolean;
  /** The model was given this text. */
  readonly said: string;
  /** The client keeps these fields besides. There are none in the file of a subagent. */
  readonly data: Fields;
}

export interface ClaudeCallsParts {
  readonly telling: Telling;
  readonly checklist: ClaudeChecklist;
  readonly files: TrackedFiles;
  readonly cwd: () => string | undefined;
  /** It returns the document of the plan mode, if the client named one. */
  readonly planFile: () => string | undefined;
  /** The ids of the subagents so far; an Agent call adds one. */
  readonly agents: string[];
}

export class ClaudeCalls {
  /** These subagents were not begun in the conversation that this one is a fork of. */
  readonly ownAgents: string[] = [];
  readonly #parts: ClaudeCallsParts;
  readonly #knownAgents: Set<string>;
  readonly #edits = new ClaudeEdits();

  constructor(parts: ClaudeCallsParts) {
    this.#parts = parts;
    this.#knownAgents = new Set(parts.agents);
  }

  isPlanCall({ tool }: ClaudeCall): boolean {
    return !sideTools.has(tool);
  }

  answer(call: ClaudeCall, result: ClaudeResult, by: Confirmed): void {
    const { tool, input } = call;
    if (result.isError || result.data["success"] === false) {
      if (this.isPlanCall(call)) this.#refuse(call, result, by);
      if (result.data["error"] === "Task not found") this.#parts.checklist.missed(text(input["taskId"]) ?? "", by);
      return;
    }
    switch (tool) {
      case "TodoWrite":
        this.#parts.checklist.write(result.data["newTodos"] ?? input["todos"], result.data["oldTodos"], by);
        return;
      case "TaskCreate":
        this.#create(input, result, by);
        return;
      case "TaskUpdate":
        this.#update(input, result, by);
        return;
      case "TaskList":
        this.#parts.checklist.listed(result.data["tasks"], by, this.#parts.agents);
        return;
      case "ExitPlanMode":
        this.#approve(input, result, by);
        return;
      case "Agent":
      case "Task":
        this.#began(result);
        return;
      case "Write":
        this.#write(input, result, by);
        return;
      case "Edit":
      case "MultiEdit":
        this.#edit(input, result, by);
        return;
    }
  }

  /** The call stands on a branch that was left. The client rewinds neither its list nor, unless asked to, files. */
  left({ tool, input }: ClaudeCall, result: ClaudeResult): void {
    const { isError, data } = result;
    if (isError || data["success"] === false) return;
    if (fileTools.has(tool)) this.#leftFile(tool, input, data);
    else if (tool === "TaskCreate") this.#parts.checklist.left(createdIn(input, result));
    else this.#parts.checklist.left(tool === "TaskUpdate" ? updatedIn(input, result) : undefined);
  }

  #leftFile(tool: string, input: Fields, data: Fields): void {
    const { telling } = this.#parts;
    const name = this.#fileIn(input, data);
    const before = originalIn(data) ?? telling.heldOnBranch(name);
    telling.leftSection(name, tool === "Write" ? contentIn(input, data) : this.#edits.after(before, input, data));
  }

  #refuse({ tool, input }: ClaudeCall, { said, data }: ClaudeResult, by: Confirmed): void {
    const message = unwrapped(text(data["error"]) ?? said);
    const todos = tool === "TodoWrite" ? input["todos"] : undefined;
    const content = text(input["plan"]) ?? text(input["content"]);
    const offered = content === undefined ? offeredList(todos, todoItem, input as Json) : { content };
    const offer = { tool, message, ...offered };
    if (tool !== "ExitPlanMode" && !fileTools.has(tool)) {
      this.#parts.telling.refuse("set_plan", offer, by);
      return;
    }
    const path = text(input["file_path"]) ?? "";
    const name = tool === "ExitPlanMode" ? this.#documentName(input, data) : this.#nameOf(path);
    this.#parts.telling.refuse("sections.write", { ...offer, name }, by);
  }

  #create(input: Fields, result: ClaudeResult, by: Confirmed): void {
    const created = createdIn(input, result);
    if (created === undefined) this.#parts.telling.note(by.place, "a TaskCreate has a result that names no task");
    else this.#parts.checklist.create(created, by);
  }

  #update(input: Fields, result: ClaudeResult, by: Confirmed): void {
    const updated = updatedIn(input, result);
    const isShared = this.#parts.agents.length > 0 || by.actor !== "claude-code";
    if (updated !== undefined) this.#parts.checklist.update(updated, by, isShared);
  }

  #approve(input: Fields, { data }: ClaudeResult, by: Confirmed): void {
    const { telling } = this.#parts;
    const [offered, approved] = [text(input["plan"]), text(data["plan"])];
    const name = this.#documentName(input, data);
    if (offered !== undefined) telling.writeSection(name, offered, by);
    const author = data["planWasEdited"] === true ? { ...by, actor: elsewhere } : by;
    if (approved !== undefined) telling.writeSection(name, approved, author);
    telling.mark("plan approved", name, by.place, by.at, by.entryId);
  }

  #documentName(input: Fields, data: Fields): string {
    const path = text(data["filePath"]) ?? text(input["planFilePath"]) ?? this.#parts.planFile();
    return path === undefined ? "plan document" : this.#nameOf(path);
  }

  #began({ data }: ClaudeResult): void {
    const id = text(data["agentId"]);
    if (id === undefined || this.#knownAgents.has(id)) return;
    this.#knownAgents.add(id);
    this.#parts.agents.push(id);
    if (!this.#parts.checklist.isCopied) this.ownAgents.push(id);
  }

  #write(input: Fields, { data }: ClaudeResult, by: Confirmed): void {
    const name = this.#fileIn(input, data);
    const content = contentIn(input, data);
    if (content === undefined) return;
    const before = originalIn(data);
    const { telling } = this.#parts;
    if (before !== undefined) telling.checkSection(name, before, by);
    // The client says the same of an empty file as of none.
    else if (data["type"] === "create" && telling.sections.get(name) !== "") telling.checkSection(name, undefined, by);
    telling.writeSection(name, content, by);
  }

  #edit(input: Fields, { data }: ClaudeResult, by: Confirmed): void {
    const { telling } = this.#parts;
    const name = this.#fileIn(input, data);
    const original = originalIn(data);
    if (original !== undefined) telling.checkSection(name, original, by);
    const after = this.#edits.after(original ?? telling.sections.get(name), input, data);
    if (after === undefined) telling.note(by.place, `${name} was edited, but what it holds since is not in the file`);
    else telling.writeSection(name, after, by);
  }

  #fileIn(input: Fields, data: Fields): string {
    return this.#nameOf(text(data["filePath"]) ?? text(input["file_path"]) ?? "");
  }

  #nameOf(path: string): string {
    return this.#parts.telling.names.of(path, this.#parts.cwd());
  }
}

/** The id is in the result alone; in a subagent's file in its words. */
function createdIn(input: Fields, { data, said }: ClaudeResult): TaskChange | undefined {
  const task = fields(data["task"]);
  const id = text(task["id"]) ?? /^Task #([^\s:]{1,64}) created/.exec(said)?.[1];
  const subject = text(task["subject"]) ?? text(input["subject"]) ?? "";
  return id === undefined ? undefined : { id, change: { subject, status: "pending" } };
}

function updatedIn(input: Fields, { data }: ClaudeResult): TaskChange | undefined {
  const id = text(data["taskId"]) ?? text(input["taskId"]);
  const status = text(fields(data["statusChange"])["to"]);
  return id === undefined ? undefined : { id, change: status === undefined ? input : { ...input, status } };
}

function contentIn(input: Fields, data: Fields): string | undefined {
  return fileText(data["content"]) ?? fileText(input["content"]);
}

function originalIn(data: Fields): string | undefined {
  return fileText(data["originalFile"]) ?? fileText(data["originalFileContents"]);
}

function fileText(value: unknown): string | undefined {
  return typeof value === "string" ? withLineFeeds(value) : undefined;
}

function unwrapped(said: string): string {
  return said
    .replace(/^<tool_use_error>/, "")
    .replace(/<\/tool_use_error>$/, "")
    .replace(/^Error: /, "");
}
