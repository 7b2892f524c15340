/** pi's own todo extension and plan mode: its session files are ours, and this is what they hold where we wrote nothing. */
import type { Json } from "../event/event.ts";
import { type Fields, fields, isFields } from "../event/fields.ts";
import type { ForeignFacts } from "../event/foreign.ts";
import { type ChecklistItem, checklistText } from "./checklist.ts";
import { blockText, list, parsed, text, time } from "./fields.ts";
import { FactsKeeper } from "./keeper.ts";
import type { Lens, LensLine, LensOptions, LensPiece, LensReader } from "./lens.ts";
import { lineIn, passLine, takeNext } from "./line-heads.ts";
import { keyOf, MainLine, otherKind, spokenKind, type TreeKind } from "./main-line.ts";
import { PiLineScan, withoutContent } from "./pi-scan.ts";
import { type Confirmed, type LinePlace, Telling } from "./telling.ts";

/** No line says that it is pi's and not ours: whoever reads the file finds out whether we wrote into it. */
export const pi: Lens = {
  client: "pi",
  title: "pi",
  checkedAgainst: ["0.73.1", "0.87.1", "1.5.2", "1.6.0"],
  detects: () => false,
  begin: (options) => new PiReader(options),
};

const known: ReadonlySet<string> = new Set([
  ...["session", "message", "compaction", "branch_summary", "custom", "custom_message", "label", "session_info"],
  ...["model_change", "thinking_level_change", "leaf", "usage", "context_edit"],
]);

/** Whoever goes back to before one of these leaves something behind. */
const left: ReadonlySet<string> = new Set(["message", "custom", "compaction"]);

class PiReader implements LensReader {
  readonly #options: LensOptions;
  readonly #telling: Telling;
  readonly #keeper = new FactsKeeper(known);
  readonly #scan = new PiLineScan();
  readonly #main: MainLine;
  /** How many entries are known from a reading before. */
  readonly #known: number;
  readonly #isOn: (index: number) => boolean;
  readonly #pending = new Map<string, { readonly tool: string; readonly place: LinePlace }>();
  #index = -1;
  #isRewound = false;
  /** The conversation went back, and the todo extension has not said since what it holds. */
  #isUnsure = false;
  #isUsed = false;
  #isExecuting = false;

  constructor(options: LensOptions, main = new MainLine("last")) {
    this.#options = options;
    this.#main = main;
    this.#known = main.size;
    this.#isOn = main.now();
    this.#telling = new Telling(options.emit);
  }

  get isOvertaken(): boolean {
    return this.#isRewound;
  }

  again(emit: LensOptions["emit"]): LensReader {
    return new PiReader({ ...this.#options, emit }, this.#main);
  }

  get session(): string {
    return this.#keeper.session;
  }

  facts(): ForeignFacts {
    const none = "no checklist in this session: neither pi's todo extension nor its plan mode was used";
    return {
      ...this.#keeper.facts(this.#telling.repetitions, this.#pending),
      ...(this.#isUsed ? {} : { noChecklist: none }),
    };
  }

  /** This passes what a person and the model say, and what other tools answer: it matters where that hangs, and how many tools it calls. */
  pass(piece: LensPiece): void {
    if (this.#options.every === true || !this.#scan.over(piece)) return;
    do this.#passSettled(piece);
    while (takeNext(piece, this));
  }

  #passSettled(piece: LensPiece): void {
    const scan = this.#scan;
    for (let count = scan.settle(piece.at); count > 0; count = scan.settle(piece.at)) {
      let timed = 0;
      for (let index = 0; index < count; index++) {
        const end = scan.end(index);
        this.#telling.calls += scan.calls(index);
        if (scan.own(index) !== 0 && this.#isBranch(scan.own(index), scan.parent(index), spokenKind)) {
          this.#keeper.at = scan.newestTime(timed, index + 1) ?? this.#keeper.at;
          timed = index + 1;
          const line = lineIn(piece, end);
          this.#markBranch(fields(parsed(line.bytes)), line);
        }
        const said = scan.said(index);
        if (said !== undefined) this.#said(said);
        passLine(piece, end);
      }
      this.#keeper.at = scan.newestTime(timed, count) ?? this.#keeper.at;
    }
  }

  take(line: LensLine): void {
    const value = (this.#options.every === true ? undefined : withoutContent(line)) ?? this.#telling.read(line);
    if (isFields(value)) this.#act(value, line);
    else if (value !== undefined) this.#keeper.count("a value that is no object");
  }

  #act(value: Fields, line: LensLine): void {
    const type = text(value["type"]) ?? "no type";
    this.#keeper.count(type);
    this.#keeper.at = time(value["timestamp"]) ?? this.#keeper.at;
    if (type === "session") {
      this.#keeper.session ||= text(value["id"]) ?? "";
      this.#keeper.cwd ??= text(value["cwd"]);
      this.#keeper.parentSession ??= text(value["parentSession"]);
      return;
    }
    const id = text(value["id"]);
    const isOn = this.#hangs(value, type, line);
    const message = fields(value["message"]);
    if (message["role"] === "user") this.#said(message["content"]);
    const by: Confirmed = { actor: "pi", at: this.#keeper.at, entryId: id, place: line };
    if (type === "compaction") this.#compacted(isOn, line, by);
    else if (type === "model_change") this.#model(text(value["modelId"]), line, by);
    else if (message["role"] === "assistant") this.#called(list(message["content"]), line, isOn);
    else if (isOn && type === "custom" && value["customType"] === "plan-mode")
      this.#planMode(fields(value["data"]), by);
    else if (isOn && message["role"] === "toolResult" && message["toolName"] === "todo") this.#todo(message, by);
  }

  /** Whether it is on the main line. In the oldest files entries have no ids, and all of them are. */
  #hangs(value: Fields, type: string, line: LensLine): boolean {
    const id = text(value["id"]);
    if (id === undefined) return true;
    const kind = left.has(type) ? spokenKind : otherKind;
    if (this.#isBranch(keyOf(id), keyOf(text(value["parentId"])), kind)) this.#markBranch(value, line);
    return this.#isOn(this.#index);
  }

  /** The result says whether the conversation was rewound before this entry, which is the next one. */
  #isBranch(own: number, parent: number, kind: TreeKind): boolean {
    this.#index += 1;
    const index = this.#index;
    if (index >= this.#known && this.#main.add(own, parent, 0, kind)) {
      this.#isRewound = true;
      this.#main.rewinds.add(index);
    }
    return this.#main.rewinds.has(index);
  }

  #markBranch(value: Fields, line: LensLine): void {
    const from = text(value["parentId"]) ?? "";
    this.#telling.mark("branch", `goes on from entry ${from}`, line, this.#keeper.at, text(value["id"]));
    this.#isUnsure ||= this.#isOn(this.#index);
  }

  #said(content: unknown): void {
    this.#telling.beginTurn();
    this.#keeper.asked(this.#telling.turn, blockText(content));
  }

  #compacted(isOn: boolean, line: LensLine, { at, entryId }: Confirmed): void {
    if (isOn) this.#telling.mark("compaction", "", line, at, entryId);
  }

  #model(model: string | undefined, line: LensLine, by: Confirmed): void {
    if (model !== undefined && this.#keeper.model(model)) this.#telling.mark("model", model, line, by.at);
  }

  #called(blocks: readonly unknown[], { offset, number }: LensLine, isOn: boolean): void {
    for (const block of blocks.map(fields)) {
      if (block["type"] !== "toolCall") continue;
      const id = text(block["id"]);
      if (block["name"] !== "todo") this.#telling.calls += 1;
      else if (isOn && id !== undefined) this.#pending.set(id, { tool: "todo", place: { offset, number } });
    }
  }

  /** Each result has the whole list; `list` only repeats it. */
  #todo(message: Fields, by: Confirmed): void {
    const details = fields(message["details"]);
    this.#pending.delete(text(message["toolCallId"]) ?? "");
    const error = text(details["error"]) ?? (message["isError"] === true ? blockText(message["content"]) : undefined);
    if (error !== undefined) {
      const input = { action: details["action"] ?? null } as Json;
      this.#telling.refuse("set_plan", { tool: "todo", input, message: error }, by);
      return;
    }
    if (!Array.isArray(details["todos"])) return;
    this.#isUsed = true;
    const plan = checklistText(details["todos"].filter(isFields).map(itemOf));
    // Going back, the extension takes its list from results in memory, in which it has ticked items off since.
    const isOwn = this.#isUnsure && plan !== this.#telling.plan;
    this.#isUnsure = false;
    if (details["action"] === "list") this.#telling.checkPlan(plan, by, isOwn);
    else this.#telling.setPlan(plan, by);
  }

  #planMode(data: Fields, by: Confirmed): void {
    if (Array.isArray(data["todos"])) {
      this.#isUsed ||= data["todos"].length > 0;
      const items = data["todos"].filter(isFields).map((todo) => ({
        text: text(todo["text"]) ?? "",
        status: todo["completed"] === true ? "completed" : "pending",
      }));
      this.#telling.setPlan(checklistText(items), by);
    }
    const isExecuting = data["executing"] === true;
    if (isExecuting && !this.#isExecuting) this.#telling.mark("plan approved", "plan", by.place, by.at, by.entryId);
    this.#isExecuting = isExecuting;
  }
}

function itemOf(todo: Fields): ChecklistItem {
  const said = text(todo["text"]) ?? "";
  const status = todo["done"] === true ? "done" : "pending";
  const id = typeof todo["id"] === "number" ? String(todo["id"]) : (text(todo["id"]) ?? "");
  return id === "" ? { text: said, status } : { text: said, status, id };
}
