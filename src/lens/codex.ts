/** This lens reads Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`. */
import type { ForeignFacts } from "../event/foreign.ts";
import { approval, type CodexCall, CodexCalls } from "./codex-calls.ts";
import {
  type CodexFound,
  type CodexSettled,
  isCodexLine,
  knownTypes,
  parentIn,
  timeIn,
  wantedTools,
} from "./codex-lines.ts";
import { CodexFiles } from "./codex-patches.ts";
import { CodexScan, printedTime } from "./codex-scan.ts";
import { blockText, type Fields, fields, isFields, parsed, text, time } from "./fields.ts";
import { FactsKeeper } from "./keeper.ts";
import type { Lens, LensLine, LensOptions, LensPiece, LensReader } from "./lens.ts";
import { lineIn, passLine } from "./line-heads.ts";
import { type Confirmed, Telling } from "./telling.ts";

export const codex: Lens = {
  client: "codex",
  title: "Codex",
  checkedAgainst: ["0.66", "0.118", "0.126", "0.149", "0.169.0"],
  detects: isCodexLine,
  begin: (options) => new CodexReader(options),
};

class CodexReader implements LensReader {
  readonly #options: LensOptions;
  readonly #telling: Telling;
  readonly #files: CodexFiles;
  readonly #calls: CodexCalls;
  readonly #scan: CodexScan;
  readonly #keeper = new FactsKeeper(knownTypes);
  readonly #pending = new Map<string, CodexCall>();
  /** Turns that a rollback takes back, as a reading before found out. */
  readonly #abandoned: ReadonlySet<number>;
  readonly #rolledBack = new Set<number>();
  #turns: number[] = [];
  #actor = "codex";
  /** What is read was copied from the parent: since when its turn went on, as an ISO time. */
  #inheritedAt: string | undefined;
  #hasTurnEvents = false;
  /** A plan was offered, and nobody has said anything since. */
  #isPlanOffered = false;

  constructor(options: LensOptions, abandoned: ReadonlySet<number> = new Set()) {
    this.#options = options;
    this.#abandoned = abandoned;
    this.#telling = new Telling(options.emit);
    this.#scan = new CodexScan(options.files);
    this.#files = new CodexFiles(this.#telling, options.files, () => this.#keeper.cwd);
    this.#calls = new CodexCalls(this.#telling, this.#files);
  }

  get isOvertaken(): boolean {
    return [...this.#rolledBack].some((turn) => !this.#abandoned.has(turn));
  }

  again(emit: LensOptions["emit"]): LensReader {
    return new CodexReader({ ...this.#options, emit }, new Set(this.#rolledBack));
  }

  facts(): ForeignFacts {
    const unanswered = [...this.#pending].map(([call, { tool, place }]) => ({ tool, call, line: place.number }));
    const noChecklist = this.#calls.isPlanUsed ? {} : { noChecklist: this.#calls.noChecklist(this.#keeper) };
    const agents = [...this.#calls.agents];
    return { ...this.#keeper.facts(this.#telling.repetitions), agents, ...noChecklist, unanswered };
  }

  readonly room = (length: number) => (this.#options.every === true ? undefined : this.#scan.room(length));

  pass(piece: LensPiece): void {
    if (this.#options.every === true || this.#isBare()) return;
    this.#scan.over(piece);
    for (;;) {
      this.#telling.calls += this.#scan.pass(piece, this.#pending.size > 0);
      const end = this.#scan.endOf(piece);
      if (end === -1) return;
      const found = this.#scan.settle(piece, end, this.#pending.size > 0);
      if (found === undefined) return;
      if (found !== "pass") this.#takeFound(found, lineIn(piece, end));
      passLine(piece, end);
    }
  }

  take(line: LensLine): void {
    const found = this.#scan.settleLine(line, this.#pending.size > 0) ?? this.#scan.lookCloser(line.bytes);
    this.#takeFound(this.#options.every === true || this.#isBare() ? "parse" : found, line);
  }

  #takeFound(found: CodexFound, line: LensLine): void {
    if (found === "call") this.#telling.calls += 1;
    if (found === "parse" || (typeof found === "object" && "call" in found && this.#pending.has(found.call)))
      this.#read(line);
    else if (typeof found === "object" && found.what !== "output") this.#takeSettled(found, line);
  }

  /** This takes what matters of a line that is not parsed. */
  #takeSettled(found: CodexSettled, line: LensLine): void {
    this.#keeper.at = time(printedTime(line)) ?? this.#keeper.at;
    if (found.what === "turn") this.#turn(found.turn);
    else if (found.what === "patch") this.#calls.saysChanges = true;
    else this.#telling.mark("compaction", "", line, this.#at());
  }

  #read(line: LensLine): void {
    const value = parsed(line.bytes);
    if (value === undefined) this.#telling.damage(line, "the line is no JSON");
    else if (isFields(value)) this.#readObject(value, line);
    else this.#keeper.count("a value that is no object");
  }

  #readObject(value: Fields, line: LensLine): void {
    const outer = text(value["type"]);
    const isHeader = outer === undefined && text(value["id"]) !== undefined;
    this.#keeper.count(isHeader ? "header" : (outer ?? "no type"));
    this.#keeper.at = time(value["timestamp"]) ?? this.#keeper.at;
    const payload = isFields(value["payload"]) ? value["payload"] : value;
    if (isHeader) this.#meta(payload, line);
    else this.#act(outer ?? "", payload, line);
  }

  #act(outer: string, payload: Fields, line: LensLine): void {
    if (outer === "session_meta") this.#meta(payload, line);
    else if (outer === "turn_context") this.#context(payload, line);
    else if (outer === "compacted") this.#telling.mark("compaction", "", line, this.#at());
    else if (outer === "event_msg") this.#event(payload, line);
    else this.#item(payload, line);
  }

  #context(payload: Fields, line: LensLine): void {
    const model = text(payload["model"]);
    this.#keeper.cwd ??= text(payload["cwd"]);
    if (model !== undefined && this.#keeper.model(model)) this.#telling.mark("model", model, line, this.#keeper.at);
  }

  /** The same id again stands at each turn of the desktop client; another one begins what was copied from the parent. */
  #meta(meta: Fields, line: LensLine): void {
    const id = text(meta["id"]) ?? "";
    this.#keeper.version(text(meta["cli_version"]));
    if (isFields(meta["history_base"])) this.#goOnFrom(meta["history_base"], time(meta["timestamp"]), line);
    if (this.#keeper.session === "") {
      this.#keeper.session = id;
      this.#keeper.cwd = text(meta["cwd"]);
      this.#keeper.parentSession = parentIn(meta);
      if (isFields(fields(meta["source"])["subagent"])) this.#actor = id;
    } else if (id !== this.#keeper.session && this.#inheritedAt === undefined) {
      this.#inheritedAt = time(meta["timestamp"]) ?? this.#keeper.at;
      this.#telling.mark("fork", `copied from session ${id}`, line, this.#inheritedAt);
      const what = "what stands from here to the session's own first turn";
      this.#telling.inherited(line, `${what} was copied from session ${id}`);
    }
  }

  /** A person rewound the conversation: it goes on in this file, behind a place in another one, which stands before it here. */
  #goOnFrom(base: Fields, at: string | undefined, line: LensLine): void {
    const from = `line ${String(base["end_ordinal_exclusive"])} of the file of thread ${text(base["thread_id"]) ?? "?"}`;
    if (this.#keeper.session === "")
      this.#telling.note(
        line,
        `the conversation goes on from ${from}, which was not found: what stands there is not told`,
      );
    else this.#telling.mark("branch", `goes on from ${from}`, line, at);
  }

  #event(payload: Fields, line: LensLine): void {
    switch (payload["type"]) {
      case "task_started":
      case "turn_started":
        this.#turn(text(payload["turn_id"]) ?? "");
        return;
      case "user_message":
        this.#userSaid(text(payload["message"]) ?? "", line);
        return;
      case "thread_goal_updated":
        if (!this.#isLeft()) this.#calls.goal(payload["goal"], this.#by(undefined, line));
        return;
      case "patch_apply_end":
        this.#patch(payload, text(payload["call_id"]) ?? "", payload["success"] !== false, line);
        return;
      case "thread_rolled_back":
        this.#rollBack(payload["num_turns"], line);
        return;
      case "item_completed":
        this.#completed(fields(payload["item"]), line);
    }
  }

  #completed(item: Fields, line: LensLine): void {
    const id = text(item["id"]);
    this.#calls.collaborated(item, this.#keeper.session);
    switch (item["type"]) {
      case "UserMessage":
        this.#userSaid(blockText(item["content"]), line);
        return;
      case "FileChange":
        this.#patch(item, id ?? "", item["status"] === "completed", line);
        return;
      case "Plan":
        if (this.#isLeft()) return;
        this.#isPlanOffered = true;
        this.#telling.writeSection("plan document", text(item["text"]) ?? "", this.#by(id, line));
    }
  }

  #turn(id: string): void {
    this.#hasTurnEvents = true;
    const began = this.#inheritedAt === undefined ? undefined : timeIn(id);
    if (began !== undefined) {
      const own = timeIn(this.#keeper.session);
      this.#inheritedAt = own !== undefined && began >= own ? undefined : new Date(began).toISOString();
    }
    this.#beginTurn();
  }

  #beginTurn(): void {
    this.#telling.beginTurn();
    this.#turns.push(this.#telling.turn);
  }

  #userSaid(said: string, line: LensLine): void {
    if (!this.#hasTurnEvents) this.#beginTurn();
    if (this.#isPlanOffered && said === approval && !this.#isLeft())
      this.#telling.mark("plan approved", "plan document", line, this.#at());
    this.#isPlanOffered = false;
    this.#keeper.asked(this.#telling.turn, said, this.#inheritedAt === undefined);
  }

  #rollBack(count: unknown, line: LensLine): void {
    const turns =
      typeof count === "number" && count > 0 ? this.#turns.splice(-Math.min(count, this.#turns.length)) : [];
    for (const turn of turns) this.#rolledBack.add(turn);
    const what = turns.length === 1 ? "turn" : "turns";
    this.#telling.mark("branch", `rolled back ${turns.length} ${what}`, line, this.#at());
  }

  #patch(value: Fields, call: string, hasSucceeded: boolean, line: LensLine): void {
    this.#calls.saysChanges = true;
    const pending = this.#pending.get(call);
    this.#pending.delete(call);
    if (this.#isLeft()) return;
    if (hasSucceeded) this.#files.apply(this.#files.said(value["changes"]), this.#by(call, line));
    else if (pending !== undefined)
      this.#files.refuse(pending.input, text(value["stderr"]) ?? "it failed", this.#by(call, line));
  }

  #item(payload: Fields, line: LensLine): void {
    switch (payload["type"]) {
      case "function_call":
      case "custom_tool_call":
        this.#call(payload, line);
        return;
      case "function_call_output":
      case "custom_tool_call_output":
        this.#output(payload, line);
        return;
      case "message": {
        const said = blockText(payload["content"]);
        if (this.#isBare() && payload["role"] === "user" && !said.trimStart().startsWith("<"))
          this.#userSaid(said, line);
      }
    }
  }

  #call(payload: Fields, { offset, number }: LensLine): void {
    const [id, tool] = [text(payload["call_id"]), text(payload["name"])];
    const input = text(payload["arguments"]) ?? text(payload["input"]) ?? "";
    if (tool !== "update_plan" && !input.includes("tools.update_plan(")) this.#telling.calls += 1;
    if (id === undefined || tool === undefined || !wantedTools.has(tool)) return;
    const call = { tool, input, place: { offset, number } };
    if (this.#calls.isPlanCall(call)) this.#pending.set(id, call);
  }

  #output(payload: Fields, line: LensLine): void {
    const id = text(payload["call_id"]) ?? "";
    const call = this.#pending.get(id);
    if (call === undefined) return;
    this.#pending.delete(id);
    if (!this.#isLeft()) this.#calls.answer(call, payload["output"], this.#by(id, line));
  }

  /** Nothing says yet which client it was: what a person says begins a turn. */
  readonly #isBare = () => this.#keeper.versions.length === 0 && !this.#hasTurnEvents;

  /** In a turn that was rolled back later. */
  #isLeft(): boolean {
    return this.#abandoned.has(this.#telling.turn);
  }

  #at(): string {
    return this.#inheritedAt ?? this.#keeper.at;
  }

  #by(entryId: string | undefined, { offset, number }: LensLine): Confirmed {
    const actor = this.#inheritedAt === undefined ? this.#actor : "codex";
    return { actor, at: this.#at(), entryId, place: { offset, number } };
  }
}
