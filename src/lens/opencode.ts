/**
 * OpenCode: what `opencode export` prints, and the rows of its database in the same form: a line of the session, then a
 * line with the parts of each message, and behind the last call for it the list as the database has it.
 */

import { type Fields, fields, isFields } from "../event/fields.ts";
import type { ForeignFacts } from "../event/foreign.ts";
import { unusedText } from "./checklist.ts";
import { EditedFiles } from "./edited-files.ts";
import { list, text, timeOf } from "./fields.ts";
import { FactsKeeper } from "./keeper.ts";
import type { Lens, LensLine, LensOptions, LensReader } from "./lens.ts";
import { callIn, OpenCodeCalls, planTools, todoText } from "./opencode-calls.ts";
import { type Confirmed, type LinePlace, Telling } from "./telling.ts";

export const openCode: Lens = {
  client: "opencode",
  title: "OpenCode",
  checkedAgainst: ["1.18.33"],
  detects: isOpenCodeLine,
  begin: (options) => new OpenCodeReader(options),
};

const known: ReadonlySet<string> = new Set([
  ...["session", "todo", "text", "reasoning", "tool", "file", "agent", "subtask", "compaction", "snapshot", "patch"],
  ...["step-start", "step-finish", "retry"],
]);

function isOpenCodeLine(line: unknown): boolean {
  const info = fields(fields(line)["info"]);
  return /^ses_/.test(text(info["id"]) ?? "") && (text(info["directory"]) !== undefined || "projectID" in info);
}

class OpenCodeReader implements LensReader {
  readonly isOvertaken = false;
  readonly #options: LensOptions;
  readonly #telling: Telling;
  readonly #files: EditedFiles;
  readonly #calls: OpenCodeCalls;
  readonly #keeper = new FactsKeeper(known);
  readonly #pending = new Map<string, { readonly tool: string; readonly place: LinePlace }>();
  readonly #agents = new Set<string>();
  #actor = "opencode";
  /** The conversation was taken back to before this message or part. */
  #reverted: string | undefined;
  #isLeft = false;
  /** This message began the turn. */
  #prompt = "";

  constructor(options: LensOptions) {
    this.#options = options;
    this.#telling = new Telling(options.emit);
    this.#files = new EditedFiles(this.#telling, options.files);
    this.#calls = new OpenCodeCalls(this.#telling, this.#files);
  }

  again(emit: LensOptions["emit"]): LensReader {
    return new OpenCodeReader({ ...this.#options, emit });
  }

  get session(): string {
    return this.#keeper.session;
  }

  facts(): ForeignFacts {
    const none = unusedText("todowrite", this.#telling.refusedChecklist);
    return {
      ...this.#keeper.facts(this.#telling.repetitions, this.#pending),
      agents: [...this.#agents],
      ...(this.#calls.isChecklistUsed ? {} : { noChecklist: none }),
    };
  }

  take(line: LensLine): void {
    const value = this.#telling.read(line);
    if (value === undefined) return;
    if (!isFields(value)) this.#keeper.count("a value that is no object");
    else if (Array.isArray(value["parts"])) this.#message(fields(value["info"]), value, line);
    else if (Array.isArray(value["todo"])) this.#check(value["todo"], value["time"], line);
    else if (isFields(value["info"])) this.#session(value["info"]);
    else this.#keeper.count("no type");
  }

  #session(info: Fields): void {
    this.#keeper.session ||= text(info["id"]) ?? "";
    this.#keeper.cwd ??= text(info["directory"]);
    this.#files.cwd ??= this.#keeper.cwd;
    this.#keeper.version(text(info["version"]));
    this.#keeper.parentSession ??= text(info["parentID"]);
    if (this.#keeper.parentSession !== undefined) this.#actor = this.#keeper.session;
    const revert = fields(info["revert"]);
    this.#reverted ??= text(revert["partID"]) ?? text(revert["messageID"]);
  }

  /** Lines of the database have one part each, and say how many calls were made before it. */
  #message(info: Fields, { parts, calls }: Fields, line: LensLine): void {
    const at = timeOf(fields(info["time"])["created"]);
    const id = text(info["id"]) ?? "";
    this.#keeper.at = at ?? this.#keeper.at;
    this.#leave(id, line);
    const model = info["summary"] === true ? undefined : text(info["modelID"]);
    if (model !== undefined && this.#keeper.model(model)) this.#telling.mark("model", model, line, at);
    const before = typeof calls === "number" ? calls : this.#telling.calls;
    for (const { part, works } of settled(list(parts))) {
      const type = text(part["type"]) ?? "no type";
      this.#keeper.count(type);
      this.#leave(text(part["id"]) ?? "", line);
      if (type === "tool") this.#tool(part, line, before + works);
      else if (type === "compaction") this.#compacted(part, at, line);
      else if (info["role"] === "user") this.#said(part, id);
    }
  }

  #compacted(part: Fields, at: string | undefined, line: LensLine): void {
    if (!this.#isLeft) this.#telling.mark("compaction", triggerOf(part), line, at, text(part["id"]));
  }

  #said(part: Fields, message: string): void {
    const isOwn = part["type"] === "subtask" || (part["type"] === "text" && part["synthetic"] !== true);
    if (!isOwn || message === this.#prompt) return;
    this.#prompt = message;
    this.#telling.beginTurn();
    this.#keeper.asked(this.#telling.turn, text(part["text"]) ?? text(part["prompt"]) ?? "");
  }

  #tool(part: Fields, line: LensLine, calls: number): void {
    const state = fields(part["state"]);
    const call = callIn(part);
    const id = text(part["callID"]) ?? text(part["id"]) ?? "";
    const { offset, number } = line;
    if (isWork(part)) this.#telling.calls += 1;
    const agent = call.tool === "task" ? text(call.metadata["sessionId"]) : undefined;
    if (agent !== undefined) this.#agents.add(agent);
    if (this.#isLeft || !this.#calls.isPlanCall(call)) return;
    if (!isFinal(part)) {
      this.#pending.set(id, { tool: call.tool, place: { offset, number } });
      return;
    }
    this.#pending.delete(id);
    this.#calls.answer(call, { ...this.#by(timeOf(fields(state["time"])["end"]), id, line), calls });
  }

  /** The database has the newest list besides. */
  #check(todos: unknown, time: unknown, line: LensLine): void {
    const listed = todoText(todos);
    if (this.#isLeft || (listed === "" && !this.#calls.isChecklistUsed)) return;
    this.#telling.checkPlan(listed, this.#by(timeOf(time), undefined, line));
  }

  /** From here on nothing changes the state: it was taken back. */
  #leave(id: string, line: LensLine): void {
    if (this.#isLeft || id !== this.#reverted) return;
    this.#isLeft = true;
    this.#telling.mark("branch", `reverted to before ${id}`, line, this.#keeper.at, id);
  }

  #by(at: string | undefined, entryId: string | undefined, { offset, number }: LensLine): Confirmed {
    return { actor: this.#actor, at: at ?? this.#keeper.at, entryId, place: { offset, number } };
  }
}

function isFinal(part: Fields): boolean {
  const { status } = fields(part["state"]);
  return status === "completed" || status === "error";
}

/** Using the tools of the plan is no work. */
function isWork(part: Fields): boolean {
  return part["type"] === "tool" && !planTools.has(callIn(part).tool);
}

interface Settled {
  readonly part: Fields;
  /** So many calls that are work were made before it in the message. */
  readonly works: number;
}

/** Calls that were made at once stand in the order in which they were made: they count in that in which they ended. */
function settled(parts: readonly unknown[]): readonly Settled[] {
  let reached = Number.NEGATIVE_INFINITY;
  let made = 0;
  const ends = parts.map(fields).map((part) => {
    const end = fields(fields(part["state"])["time"])["end"];
    const own = typeof end === "number" ? end : reached;
    reached = Math.max(reached, own);
    const works = made;
    if (isWork(part)) made += 1;
    return { part, works, end: own };
  });
  return ends.sort((one, other) => (one.end === other.end ? 0 : one.end - other.end));
}

function triggerOf({ auto }: Fields): string {
  if (typeof auto !== "boolean") return "";
  return auto ? "auto" : "manual";
}
