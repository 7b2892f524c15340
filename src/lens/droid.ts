/** This lens reads Factory Droid: `~/.factory/sessions/<folder>/<session id>.jsonl`. */
import type { Json } from "../event/event.ts";
import { type Fields, fields, isFields } from "../event/fields.ts";
import type { ForeignFacts } from "../event/foreign.ts";
import { isPrettyPrinted, plainName } from "./bytes.ts";
import { offeredList, todoItem, unusedText } from "./checklist.ts";
import { CodexFiles } from "./codex-patches.ts";
import { isListed, todoText } from "./droid-todos.ts";
import { EditedFiles, type FileEdit } from "./edited-files.ts";
import { blockText, list, text, time } from "./fields.ts";
import { FactsKeeper } from "./keeper.ts";
import type { Lens, LensLine, LensOptions, LensPiece, LensReader } from "./lens.ts";
import { type LineHeads, lineHeads, takeNext, toldAt } from "./line-heads.ts";
import { type Confirmed, type LinePlace, Telling } from "./telling.ts";

export const droid: Lens = {
  client: "droid",
  title: "Factory Droid",
  checkedAgainst: ["session version 2"],
  detects: isDroidLine,
  begin: (options) => new DroidReader(options),
};

const known: ReadonlySet<string> = new Set([
  ...["session_start", "session_end", "session_settings", "message", "todo_state", "compaction_state"],
  "agent_turn_outcome",
]);
const ownTypes: ReadonlySet<string> = new Set(["todo_state", "compaction_state", "agent_turn_outcome"]);
const planTools: ReadonlySet<string> = new Set(["TodoWrite", "ExitSpecMode"]);
export const fileTools: ReadonlySet<string> = new Set(["Create", "Write", "Edit", "MultiEdit"]);
const wantedTools: ReadonlySet<string> = new Set([...planTools, ...fileTools, "ApplyPatch"]);
const document = "plan document";
/** Looking closely at a shorter line costs as much as parsing it. */
const shortBytes = 2048;

/** This stands in each line that can matter; a line of plain talk has none of it. One expression reads a line once. */
const needle =
  /"type":"(?:(?:tool_use|tool_result|todo_state|compaction_state|session_start)"|\w*\\)|"role":"user"|"model":/;

interface Call {
  readonly tool: string;
  readonly input: Fields;
  readonly place: LinePlace;
  /** So many calls of tools stand before it. */
  readonly calls?: number;
}

/** `message` lines and `session_start` are known by what Droid's have besides. */
function isDroidLine(line: unknown): boolean {
  if (!isFields(line)) return false;
  if (line["type"] === "session_start") return text(line["id"]) !== undefined && ("title" in line || "owner" in line);
  return ownTypes.has(text(line["type"]) ?? "") && text(line["timestamp"]) !== undefined;
}

class DroidReader implements LensReader {
  readonly isOvertaken = false;
  readonly #options: LensOptions;
  readonly #telling: Telling;
  readonly #files: EditedFiles;
  readonly #patches: CodexFiles;
  readonly #keeper = new FactsKeeper(known);
  readonly #pending = new Map<string, Call>();
  /** The client repeats its list before the result of the call that set it. */
  #repeated: { readonly todos: string; readonly by: Confirmed } | undefined;
  #actor = "droid";
  #isUsed = false;

  constructor(options: LensOptions) {
    this.#options = options;
    this.#telling = new Telling(options.emit);
    this.#files = new EditedFiles(this.#telling, options.files);
    this.#patches = new CodexFiles(this.#telling, options.files, () => this.#keeper.cwd);
  }

  again(emit: LensOptions["emit"]): LensReader {
    return new DroidReader({ ...this.#options, emit });
  }

  get session(): string {
    return this.#keeper.session;
  }

  facts(): ForeignFacts {
    const none = unusedText("TodoWrite", this.#telling.refusedChecklist);
    return {
      ...this.#keeper.facts(this.#telling.repetitions, this.#pending),
      ...(this.#isUsed ? {} : { noChecklist: none }),
    };
  }

  /** Results that nothing waits for, calls of tools that change no plan, and what the model says are passed. */
  pass(piece: LensPiece): void {
    const program = this.#options.every === true ? undefined : lineHeads(piece.bytes.length);
    const begin = program?.placeOf(piece) ?? -1;
    if (program === undefined || begin === -1) return;
    do {
      if (this.#pending.size === 0 && this.#repeated === undefined) this.#passSettled(piece, program, begin);
    } while (takeNext(piece, this));
  }

  #passSettled(piece: LensPiece, program: LineHeads, begin: number): void {
    const start = begin + piece.at;
    const passed = program.droid(start, begin + piece.bytes.length) - start;
    piece.at += passed;
    piece.offset += passed;
    piece.number += program.numbers[toldAt / 4] ?? 0;
    this.#telling.calls += program.numbers[toldAt / 4 + 1] ?? 0;
  }

  take(line: LensLine): void {
    // With a list that was repeated, talk says that the result of its call was missed.
    if (
      this.#options.every !== true &&
      line.bytes.length > shortBytes &&
      this.#repeated === undefined &&
      !isPrettyPrinted(line.bytes)
    ) {
      const printed = line.bytes.toString("latin1");
      if (printed.includes('{"type":"message"') && !needle.test(printed)) return;
    }
    const value = this.#telling.read(line);
    if (isFields(value)) this.#act(value, line);
    else if (value !== undefined) this.#keeper.count("a value that is no object");
  }

  #act(value: Fields, line: LensLine): void {
    const type = text(value["type"]) ?? "no type";
    this.#keeper.count(type);
    const at = time(value["timestamp"]);
    switch (type) {
      case "session_start":
        this.#begin(value);
        return;
      case "compaction_state":
        this.#telling.mark("compaction", "", line, at, text(value["id"]));
        return;
      case "todo_state": {
        const todos = fields(value["todos"])["todos"] ?? value["todos"];
        if (!isListed(todos)) return;
        this.#settle();
        this.#repeated = { todos: todoText(todos), by: this.#by(text(value["id"]), at, line) };
        if (this.#pending.size === 0) this.#settle();
        return;
      }
      case "message":
        this.#message(fields(value["message"]), at, line);
    }
  }

  #begin(value: Fields): void {
    this.#keeper.session ||= text(value["id"]) ?? "";
    this.#keeper.cwd ??= text(value["cwd"]);
    this.#files.cwd ??= this.#keeper.cwd;
    this.#keeper.parentSession ??= text(value["callingSessionId"]);
    if (this.#keeper.parentSession !== undefined) this.#actor = this.#keeper.session;
  }

  #message(message: Fields, at: string | undefined, line: LensLine): void {
    const blocks = list(message["content"]).map(fields);
    const results = blocks.filter((block) => block["type"] === "tool_result");
    const model = text(message["model"]);
    if (model !== undefined && this.#keeper.model(model)) this.#telling.mark("model", model, line, at);
    for (const block of results) this.#result(block, at, line);
    if (results.length === 0 && blocks.length > 0) this.#settle();
    if (message["role"] === "user" && results.length === 0) this.#said(message["content"]);
    for (const block of blocks) if (block["type"] === "tool_use") this.#call(block, line);
  }

  #said(content: unknown): void {
    const parts =
      typeof content === "string" ? [content] : list(content).flatMap((part) => text(fields(part)["text"]) ?? []);
    const own = parts.find((part) => !part.trimStart().startsWith("<system-reminder>"));
    if (own === undefined) return;
    this.#telling.beginTurn();
    this.#keeper.asked(this.#telling.turn, own);
  }

  #call(block: Fields, { offset, number }: LensLine): void {
    const [id, tool] = [text(block["id"]), text(block["name"]) ?? ""];
    if (!planTools.has(tool)) this.#telling.calls += 1;
    if (!wantedTools.has(tool) && plainName.test(tool)) lineHeads(0)?.add("droidNames", { text: tool, means: 1 });
    const call = { tool, input: fields(block["input"]), place: { offset, number }, calls: this.#telling.calls };
    if (id !== undefined && this.#isPlanCall(call)) this.#pending.set(id, call);
  }

  #isPlanCall(call: Call): boolean {
    return planTools.has(call.tool) || this.#editsOf(call).length > 0 || this.#patches.asked(patchIn(call)).length > 0;
  }

  #result(block: Fields, at: string | undefined, line: LensLine): void {
    const id = text(block["tool_use_id"]) ?? "";
    const call = this.#pending.get(id);
    if (call === undefined) return;
    this.#pending.delete(id);
    const by = { ...this.#by(id, at, line), calls: call.calls };
    const said = blockText(block["content"]);
    if (block["is_error"] === true || /^\{"success":false\b/.test(said)) this.#refuse(call, said, by);
    else this.#apply(call, said, by);
    if (call.tool === "TodoWrite") this.#settle();
  }

  #apply({ tool, input, place }: Call, said: string, by: Confirmed): void {
    if (tool === "TodoWrite") {
      this.#isUsed = true;
      const todos = input["todos"];
      if (isListed(todos)) this.#telling.setPlan(todoText(todos), by);
      else this.#telling.noList(by.place);
    } else if (tool === "ExitSpecMode") {
      const plan = text(input["plan"]);
      if (isRefusal(said)) this.#refuse({ tool, input, place }, said, by);
      else {
        if (plan !== undefined) this.#telling.writeSection(document, plan, by);
        this.#telling.mark("plan approved", document, by.place, by.at, by.entryId);
      }
    } else if (tool === "ApplyPatch") this.#patches.apply(this.#patches.asked(patchIn({ tool, input })), by);
    else for (const edit of this.#editsOf({ tool, input, place })) this.#files.apply(edit, by);
  }

  #refuse(call: Call, message: string, by: Confirmed): void {
    const { tool, input } = call;
    const todos = tool === "TodoWrite" ? input["todos"] : undefined;
    const content = typeof todos === "string" ? todoText(todos) : text(input["plan"]);
    const offer = { tool, message, ...(content ? { content } : offeredList(todos, todoItem, input as Json)) };
    if (tool === "TodoWrite") this.#telling.refuse("set_plan", offer, by);
    else if (tool === "ExitSpecMode") this.#telling.refuse("sections.write", { ...offer, name: document }, by);
    else if (tool === "ApplyPatch") this.#patches.refuse(text(input["input"]) ?? "", message, by);
    else
      for (const { path, after } of this.#editsOf(call))
        this.#files.refuse({ tool, path, input, content: after, message }, by);
  }

  /** What the list was repeated as is held against what the calls add up to by now. */
  #settle(): void {
    const repeated = this.#repeated;
    this.#repeated = undefined;
    if (repeated !== undefined) this.#telling.checkPlan(repeated.todos, repeated.by);
  }

  /** The edits are those of files that are tracked. */
  #editsOf({ tool, input }: Call): FileEdit[] {
    if (!fileTools.has(tool)) return [];
    return editsAsked(tool, input).filter(({ path }) => this.#files.has(path));
  }

  #by(entryId: string | undefined, at: string | undefined, { offset, number }: LensLine): Confirmed {
    this.#keeper.at = at ?? this.#keeper.at;
    return { actor: this.#actor, at: this.#keeper.at, entryId, place: { offset, number } };
  }
}

/** The client's own word for it stands first: what the person adds, and the plan, may speak of what is rejected. */
function isRefusal(said: string): boolean {
  const word = /not approved|approved|reject|denied|declined/i.exec(said)?.[0];
  return word !== undefined && word.toLowerCase() !== "approved";
}

function patchIn({ tool, input }: Pick<Call, "tool" | "input">): string {
  return tool === "ApplyPatch" ? (text(input["input"]) ?? "") : "";
}

/** What a call of a tool that writes files asks for. */
export function editsAsked(tool: string, input: Fields): FileEdit[] {
  const path = text(input["file_path"]) ?? text(input["path"]);
  if (path === undefined) return [];
  const content = text(input["content"]);
  if (tool === "Create" || tool === "Write") return [{ path, after: content }];
  const changes = Array.isArray(input["changes"]) ? list(input["changes"]).map(fields) : [input];
  const edits = changes.map((change) => ({
    old: text(change["old_str"]) ?? text(change["old_string"]),
    put: text(change["new_str"]) ?? text(change["new_string"]),
    all: change["change_all"] === true,
  }));
  return [{ path, edits }];
}
