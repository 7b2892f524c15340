/** This lens reads Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-<time>-<thread>.jsonl`. */
import { type Fields, fields, isFields } from "../event/fields.ts";
import type { ForeignFacts } from "../event/foreign.ts";
import { approval, type CodexCall, CodexCalls, cellIn, worksIn } from "./codex-calls.ts";
import { type CodexFound, isCodexLine, knownTypes, scanCodex, wantedTools } from "./codex-lines.ts";
import { CodexOrigin } from "./codex-origin.ts";
import { CodexFiles } from "./codex-patches.ts";
import { CodexScan } from "./codex-scan.ts";
import { CodexTurns } from "./codex-turns.ts";
import { blockText, parsed, text, time } from "./fields.ts";
import { FactsKeeper } from "./keeper.ts";
import type { Lens, LensLine, LensOptions, LensPiece, LensReader } from "./lens.ts";
import { type CodexBefore, lineIn, passLine } from "./line-heads.ts";
import { type LinePlace, Telling } from "./telling.ts";

export const codex: Lens = {
  client: "codex",
  title: "Codex",
  checkedAgainst: ["0.66", "0.118", "0.126", "0.149", "0.169.0", "0.171.0"],
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
  readonly #origin: CodexOrigin;
  /** The keys are the ids of the calls whose output is waited for. */
  readonly #pending = new Map<string, CodexCall>();
  /** Scripts that run on, by their cells: nothing waits for one of them now. */
  readonly #running = new Map<string, CodexCall>();
  /** Turns that a rollback takes back, as a reading before found out. */
  readonly #abandoned: ReadonlySet<number>;
  readonly #turns = new CodexTurns();
  #hasTurnEvents = false;
  /** A plan was offered, and nobody has said anything since. */
  #isPlanOffered = false;

  constructor(options: LensOptions, abandoned: ReadonlySet<number> = new Set()) {
    this.#options = options;
    this.#abandoned = abandoned;
    this.#telling = new Telling(options.emit);
    this.#origin = new CodexOrigin(this.#telling, this.#keeper);
    this.#scan = new CodexScan(options.files);
    this.#files = new CodexFiles(this.#telling, options.files, () => this.#keeper.cwd);
    this.#calls = new CodexCalls(this.#telling, this.#files);
  }

  get isOvertaken(): boolean {
    return [...this.#turns.rolledBack].some((turn) => !this.#abandoned.has(turn));
  }

  again(emit: LensOptions["emit"]): LensReader {
    return new CodexReader({ ...this.#options, emit }, new Set(this.#turns.rolledBack));
  }

  get session(): string {
    return this.#keeper.session;
  }

  facts(): ForeignFacts {
    const waiting = [...this.#pending.values(), ...this.#running.values()].map((call) => [call.id, call] as const);
    const facts = this.#keeper.facts(this.#telling.repetitions, waiting);
    const noChecklist = this.#calls.isPlanUsed ? {} : { noChecklist: this.#calls.noChecklist(this.#keeper) };
    return { ...facts, agents: this.#calls.agentsOf(this.session), ...noChecklist };
  }

  pass(piece: LensPiece): void {
    if (this.#options.every === true || this.#isBare()) return;
    const scan = this.#scan;
    scan.over(piece);
    for (;;) {
      scan.pass(piece, this.#before());
      this.#notePassed();
      const end = scan.endOf(piece);
      const found = end === -1 ? undefined : scan.settle(piece, end);
      if (found === undefined) return;
      if (found === "learned") continue;
      if (this.#isToRead(found)) this.#read(lineIn(piece, end));
      else this.#takeFound(found, piece);
      passLine(piece, end);
    }
  }

  take(line: LensLine): void {
    const isParsed = this.#options.every === true || this.#isBare();
    const settled = isParsed ? "parse" : this.#scan.settleLine(line, this.#before());
    if (settled === "pass") this.#notePassed();
    const found = settled ?? scanCodex(line.bytes);
    if (this.#isToRead(found)) this.#read(line);
    else this.#takeFound(found, line);
  }

  #before(): CodexBefore {
    const model = this.#keeper.cwd === undefined ? "" : (this.#keeper.newestModel ?? "");
    return { isWaiting: this.#pending.size > 0, isInherited: this.#origin.isInherited, model };
  }

  #notePassed(): void {
    this.#telling.calls += this.#scan.calls;
    for (let turn = 0; turn < this.#scan.turns; turn++) this.#turn("");
  }

  /** It is to be parsed, or it is about a call that is waited for. */
  #isToRead(found: CodexFound): boolean {
    return found === "parse" || (typeof found === "object" && "call" in found && this.#pending.has(found.call));
  }

  /** This takes what matters of a line that is not parsed. */
  #takeFound(found: CodexFound, place: LinePlace): void {
    if (found === "call") this.#telling.calls += 1;
    if (typeof found !== "object" || found.what === "output") return;
    if (found.what !== "patch" && (found.what !== "said" || this.#isPlanOffered))
      this.#keeper.at = this.#scan.time() ?? this.#keeper.at;
    if (found.what === "turn") this.#turn(found.turn ?? "");
    else if (found.what === "context") this.#context(found, place);
    else if (found.what === "said") this.#userSaid(found.message ?? "", place);
    else if (found.what === "patch") this.#calls.saysChanges = true;
    else this.#compacted(place);
  }

  #read(line: LensLine): void {
    const value = this.#telling.read(line);
    if (isFields(value)) this.#readObject(value, line);
    else if (value !== undefined) this.#keeper.count("a value that is no object");
  }

  #readObject(value: Fields, line: LensLine): void {
    const outer = text(value["type"]);
    const isHeader = outer === undefined && text(value["id"]) !== undefined;
    this.#keeper.count(isHeader ? "header" : (outer ?? "no type"));
    this.#keeper.at = time(value["timestamp"]) ?? this.#keeper.at;
    const payload = isFields(value["payload"]) ? value["payload"] : value;
    if (isHeader) this.#origin.meta(payload, line);
    else this.#act(outer ?? "", payload, line);
  }

  #act(outer: string, payload: Fields, line: LensLine): void {
    if (outer === "session_meta") this.#origin.meta(payload, line);
    else if (outer === "turn_context")
      this.#context({ cwd: text(payload["cwd"]), model: text(payload["model"]) }, line);
    else if (outer === "compacted") this.#compacted(line);
    else if (outer === "event_msg") this.#event(payload, line);
    else this.#item(payload, line);
  }

  #context(
    { cwd, model }: { readonly cwd: string | undefined; readonly model: string | undefined },
    place: LinePlace,
  ): void {
    this.#keeper.cwd ??= cwd;
    if (model !== undefined && this.#keeper.model(model)) this.#telling.mark("model", model, place, this.#keeper.at);
  }

  #compacted(place: LinePlace): void {
    this.#turns.compacted();
    if (!this.#isLeft()) this.#telling.mark("compaction", "", place, this.#origin.at);
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
        if (!this.#isLeft()) this.#calls.goal(payload["goal"], this.#origin.by(undefined, line));
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
    this.#calls.collaborated(item);
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
        this.#telling.writeSection("plan document", text(item["text"]) ?? "", this.#origin.by(id, line));
    }
  }

  #turn(id: string): void {
    this.#hasTurnEvents = true;
    this.#origin.began(id);
    this.#beginTurn();
  }

  #beginTurn(): void {
    this.#telling.beginTurn();
    this.#turns.began(this.#telling.turn);
  }

  #userSaid(said: string, place: LinePlace): void {
    if (!this.#hasTurnEvents) this.#beginTurn();
    this.#turns.asked();
    if (this.#isPlanOffered && said === approval && !this.#isLeft())
      this.#telling.mark("plan approved", "plan document", place, this.#origin.at);
    this.#isPlanOffered = false;
    this.#keeper.asked(this.#telling.turn, said, !this.#origin.isInherited);
  }

  #rollBack(count: unknown, line: LensLine): void {
    const turns = this.#turns.rollBack(typeof count === "number" ? count : 0);
    const what = turns === 1 ? "turn" : "turns";
    this.#telling.mark("branch", `rolled back ${turns} ${what}`, line, this.#origin.at);
  }

  #patch(value: Fields, call: string, hasSucceeded: boolean, line: LensLine): void {
    this.#calls.saysChanges = true;
    const pending = this.#pending.get(call);
    this.#pending.delete(call);
    const changes = hasSucceeded ? this.#files.said(value["changes"]) : [];
    if (this.#isLeft()) this.#files.left(changes);
    else if (hasSucceeded) this.#files.apply(changes, this.#origin.by(call, line));
    else if (pending !== undefined)
      this.#files.refuse(pending.input, text(value["stderr"]) ?? "it failed", this.#origin.by(call, line));
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
    const calls = this.#telling.calls;
    if (tool !== "update_plan") this.#telling.calls += tool === "exec" ? worksIn(input) : 1;
    if (id === undefined || tool === undefined || !wantedTools.has(tool)) return;
    // What runs on is known to be about plans: it may be waited for often, and is long.
    const resumed = tool === "wait" ? this.#resumed(input) : undefined;
    const call = resumed ?? { id, tool, input, place: { offset, number }, calls };
    if (resumed !== undefined || (tool !== "wait" && this.#calls.isPlanCall(call))) this.#pending.set(id, call);
  }

  /** The result is the call whose script is waited for from now on. */
  #resumed(input: string): CodexCall | undefined {
    const cell = text(fields(parsed(input))["cell_id"]) ?? "";
    const call = this.#running.get(cell);
    this.#running.delete(cell);
    return call;
  }

  #output(payload: Fields, line: LensLine): void {
    const id = text(payload["call_id"]) ?? "";
    const call = this.#pending.get(id);
    if (call === undefined) return;
    this.#pending.delete(id);
    const cell = call.tool === "exec" ? cellIn(payload["output"]) : undefined;
    if (cell !== undefined) this.#running.set(cell, call);
    else if (this.#isLeft()) this.#calls.left(call, payload["output"]);
    else this.#calls.answer(call, payload["output"], this.#origin.by(call.id, line));
  }

  /** Nothing says yet which client it was: what a person says begins a turn. */
  readonly #isBare = () => this.#keeper.versions.length === 0 && !this.#hasTurnEvents;

  /** In a turn that was rolled back later. */
  #isLeft(): boolean {
    return this.#abandoned.has(this.#telling.turn);
  }
}
