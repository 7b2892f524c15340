/** This lens reads Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and the files of its subagents. */
import type { ForeignFacts } from "../event/foreign.ts";
import { box, oneLine } from "./checklist.ts";
import { type ClaudeCall, ClaudeCalls, checklistTools, fileTools, planTools } from "./claude-calls.ts";
import { ClaudeChecklist } from "./claude-checklist.ts";
import { isPrompt, isTreeLine, noChecklistText, nodeIn, otherTypes } from "./claude-fields.ts";
import { type ScannedLine, scanLine, scanOther, timestampIn, wantedAttachments } from "./claude-lines.ts";
import { ClaudePlaces, keyOf } from "./claude-places.ts";
import { ClaudeLineScan } from "./claude-scan.ts";
import { EarlyResults } from "./early-results.ts";
import { blockText, type Fields, fields, isFields, list, parsed, text, texts, time } from "./fields.ts";
import { FactsKeeper } from "./keeper.ts";
import type { Lens, LensLine, LensOptions, LensReader } from "./lens.ts";
import { MainLine, resultKind } from "./main-line.ts";
import { type Confirmed, type LinePlace, Telling } from "./telling.ts";

export const claudeCode: Lens = {
  client: "claude-code",
  title: "Claude Code",
  checkedAgainst: ["1.0.98", "1.0.108", "1.0.111", "2.1.39", "2.1.119", "2.1.199", "2.1.330"],
  detects: isTreeLine,
  begin: (options) => new ClaudeReader(options),
};

const shortBytes = 8 * 1024;

function isWork(block: Fields): boolean {
  return block["type"] === "tool_use" && !checklistTools.has(text(block["name"]) ?? "");
}

class ClaudeReader implements LensReader {
  readonly #options: LensOptions;
  readonly #places: ClaudePlaces;
  readonly #telling: Telling;
  readonly #checklist: ClaudeChecklist;
  readonly #calls: ClaudeCalls;
  readonly #keeper = new FactsKeeper(otherTypes);
  readonly #scan: ClaudeLineScan;
  readonly #pending = new Map<string, ClaudeCall>();
  readonly #early = new EarlyResults();
  readonly #agents: string[] = [];
  readonly #offered = new Set<string>();
  #model: string | undefined;
  #isFork = false;
  #planFile: string | undefined;

  constructor(options: LensOptions, main = new MainLine()) {
    this.#options = options;
    this.#scan = new ClaudeLineScan(options.files);
    this.#places = new ClaudePlaces(main, options.agent);
    this.#telling = new Telling(options.emit);
    this.#checklist = new ClaudeChecklist(this.#telling);
    this.#calls = new ClaudeCalls({
      telling: this.#telling,
      checklist: this.#checklist,
      files: options.files,
      cwd: () => this.#keeper.cwd,
      planFile: () => this.#planFile,
      agents: this.#agents,
    });
  }

  get isOvertaken(): boolean {
    return this.#places.isRewound;
  }

  again(emit: LensOptions["emit"]): LensReader {
    return new ClaudeReader({ ...this.#options, emit }, this.#places.main);
  }

  facts(): ForeignFacts {
    const agent = this.#agent;
    const { session } = this.#keeper;
    const waiting = [...this.#pending].filter(([, call]) => this.#calls.isPlanCall(call));
    return {
      ...this.#keeper.facts(this.#telling.repetitions),
      ...(agent === undefined ? {} : { session: agent, parentSession: session }),
      agents: agent === undefined ? [...this.#agents, ...this.#places.roots] : [],
      ...(this.#checklist.isUsed
        ? {}
        : { noChecklist: noChecklistText(this.#keeper, this.#offered, this.#telling.refusedChecklist) }),
      unanswered: waiting.map(([call, { tool, place }]) => ({ tool, call, line: place.number })),
    };
  }

  take(line: LensLine): void {
    if (this.#options.every === true) return void this.#takeParsed(line);
    if (this.#isSettled(line)) return;
    // Of a short line that was not settled a closer look costs as much as parsing it.
    const found = line.bytes.length < shortBytes ? scanOther(line.bytes) : scanLine(line.bytes, this.#options.files);
    if (found === "parse") this.#takeParsed(line);
    else this.#takeScanned(found, line);
  }

  /** The session belongs to this subagent. */
  get #agent(): string | undefined {
    return this.#options.agent ?? this.#places.fileOf;
  }

  /** True: the line is none that matters, as its first bytes tell. */
  #isSettled(line: LensLine): boolean {
    const { bytes } = line;
    const scan = this.#scan;
    if (this.#keeper.session === "" || this.#options.agent !== undefined || !scan.settle(bytes)) return false;
    if (scan.kind === "result" && this.#pending.size > 0) return false;
    if (scan.kind === "assistant" && scan.model !== this.#model) return false;
    if (scan.kind === "attachment" && wantedAttachments.has(scan.attached)) return false;
    const place = this.#places.settled(scan);
    if (place === undefined) return true;
    if (place.isRewind) this.#markRewind(fields(parsed(bytes)), line);
    this.#telling.calls += scan.calls;
    if (place.isEarly && scan.kind === "result") this.#early.keep(line, scan.parent, this.#telling.turn);
    return true;
  }

  #takeScanned({ type, node, matters, model, results = [], calls = 0 }: ScannedLine, line: LensLine): void {
    this.#keeper.count(type);
    const place = node === undefined ? undefined : this.#places.place(node, () => fields(parsed(line.bytes)));
    if (node !== undefined && place === undefined) return;
    if (place?.isRewind === true) this.#markRewind(fields(parsed(line.bytes)), line);
    this.#telling.calls += calls;
    const isFirstAnswer = model !== undefined && this.#sawModel(model, line);
    const isAwaited = results.some((call) => this.#pending.has(call));
    // What is offered is long, and says something only where there is no checklist.
    if (type === "api-request-shape" && this.#checklist.isUsed) return;
    if (matters || isAwaited || isFirstAnswer || this.#keeper.session === "") {
      const value = parsed(line.bytes);
      if (isFields(value)) this.#act(value, type, place?.isOn ?? true, line);
      else this.#telling.damage(line, "the line is no JSON");
    } else if (place?.isEarly === true && results.length > 0)
      this.#early.keep(line, keyOf(node?.parent), this.#telling.turn);
  }

  #takeParsed(line: LensLine): void {
    const value = parsed(line.bytes);
    if (value === undefined) {
      this.#telling.damage(line, "the line is no JSON");
      return;
    }
    const type = isFields(value) ? (text(value["type"]) ?? "no type") : "a value that is no object";
    this.#keeper.count(type);
    if (!isFields(value)) return;
    if (this.#options.agent !== undefined && this.#keeper.session === "") this.#keeper.learn(value);
    const node = nodeIn(value);
    const place = node === undefined ? undefined : this.#places.place(node, () => value);
    if (node !== undefined && place === undefined) return;
    if (place?.isRewind === true) this.#markRewind(value, line);
    const blocks = list(fields(value["message"])["content"]).map(fields);
    if (type === "assistant") this.#spoke(fields(value["message"]), blocks, line);
    const isAwaited = blocks.some((block) => this.#pending.has(text(block["tool_use_id"]) ?? ""));
    this.#act(value, type, place?.isOn ?? true, line);
    if (place?.isEarly === true && node?.kind === resultKind && !isAwaited) {
      this.#early.keep(line, keyOf(node.parent), this.#telling.turn);
    }
  }

  #spoke(message: Fields, blocks: readonly Fields[], line: LensLine): void {
    this.#telling.calls += blocks.filter(isWork).length;
    const model = text(message["model"]);
    if (model !== undefined) this.#sawModel(model, line);
  }

  #markRewind(value: Fields, line: LensLine): void {
    const parent = text(value["parentUuid"]) ?? text(value["logicalParentUuid"]);
    const detail = parent === undefined ? "goes on from the beginning" : `goes on from entry ${parent}`;
    this.#telling.mark("branch", detail, line, time(value["timestamp"]), text(value["uuid"]));
  }

  #act(value: Fields, type: string, on: boolean, line: LensLine): void {
    this.#keeper.learn(value);
    switch (type) {
      case "user":
        this.#user(value, on, line);
        return;
      case "assistant":
        if (on) this.#assistant(value, line);
        return;
      case "attachment":
        if (on) this.#attachment(fields(value["attachment"]), value, line);
        return;
      case "system":
        if (value["subtype"] === "compact_boundary") this.#compaction(value, line);
        return;
      case "api-request-shape":
        for (const tool of list(fields(value["shape"])["tools"])) this.#offered.add(text(fields(tool)["name"]) ?? "");
    }
  }

  #user(value: Fields, on: boolean, line: LensLine): void {
    const { content } = fields(value["message"]);
    const results = list(content)
      .map(fields)
      .filter((block) => text(block["tool_use_id"]) !== undefined);
    for (const block of results) this.#result(block, value, line, this.#telling.turn);
    if (results.length > 0 || !isPrompt(value, this.#agent !== undefined)) return;
    this.#telling.beginTurn();
    this.#keeper.asked(this.#telling.turn, blockText(content));
    if (on) this.#copiedFrom(text(fields(value["forkedFrom"])["sessionId"]), value, line);
  }

  #copiedFrom(from: string | undefined, value: Fields, line: LensLine): void {
    if (from === undefined || this.#isFork) return;
    this.#isFork = true;
    this.#telling.mark("fork", `copied from session ${from}`, line, time(value["timestamp"]), text(value["uuid"]));
    this.#telling.inherited(line, `what stands from here on was copied from session ${from}`);
  }

  #result(block: Fields, value: Fields, line: LinePlace, turn: number): void {
    const id = text(block["tool_use_id"]) ?? "";
    const call = this.#pending.get(id);
    if (call === undefined) return;
    this.#pending.delete(id);
    const data = isFields(value["toolUseResult"]) ? value["toolUseResult"] : {};
    const result = { isError: block["is_error"] === true, said: blockText(block["content"]), data };
    this.#calls.answer(call, result, { ...this.#by(value, line), turn });
  }

  #assistant(value: Fields, line: LensLine): void {
    // Of a copy newer clients say only to which session's request the model answered.
    const asked = text(value["requestSessionId"]);
    if (asked !== text(value["sessionId"])) this.#copiedFrom(asked, value, line);
    let isPending = false;
    for (const block of list(fields(value["message"])["content"]).map(fields)) {
      const [id, tool] = [text(block["id"]), text(block["name"])];
      if (block["type"] !== "tool_use" || id === undefined || tool === undefined) continue;
      const input = fields(block["input"]);
      const isWanted =
        planTools.has(tool) || (fileTools.has(tool) && this.#options.files.has(text(input["file_path"]) ?? ""));
      if (!isWanted) continue;
      isPending = true;
      this.#pending.set(id, { tool, input, place: { offset: line.offset, number: line.number } });
    }
    if (isPending) this.#answerEarly(keyOf(text(value["uuid"])));
  }

  /** The results that stand before the line that calls are taken now. */
  #answerEarly(line: number): void {
    for (const early of this.#early.of(line)) {
      const value = fields(parsed(early.bytes));
      for (const block of list(fields(value["message"])["content"]).map(fields)) {
        this.#result(block, value, early, early.turn);
      }
    }
  }

  #attachment(attached: Fields, value: Fields, line: LensLine): void {
    const by = this.#by(value, line);
    switch (attached["type"]) {
      case "task_reminder":
        this.#checklist.remindTasks(attached["content"], by, this.#agents);
        return;
      case "todo_reminder":
        this.#checklist.remindTodos(attached["content"], by);
        return;
      case "deferred_tools_delta":
        for (const name of texts(attached["addedNames"])) this.#offered.add(name);
        return;
      case "plan_mode":
        this.#planFile = text(attached["planFilePath"]) ?? this.#planFile;
        return;
      case "model":
        this.#sawModel(text(fields(attached["identity"])["modelId"]) ?? "", line);
        return;
      case "goal_status": {
        const goal = `- ${box(attached["met"] === true ? "completed" : "in_progress")} ${oneLine(text(attached["condition"]) ?? "")}`;
        this.#telling.writeSection("plan document", goal, by);
      }
    }
  }

  #compaction(value: Fields, line: LensLine): void {
    const { trigger, preTokens } = fields(value["compactMetadata"]);
    const parts = [text(trigger), typeof preTokens === "number" ? `${preTokens} tokens before` : undefined];
    const { at, entryId } = this.#by(value, line);
    this.#telling.mark("compaction", parts.filter((part) => part !== undefined).join(", "), line, at, entryId);
    this.#checklist.compacted({ ...this.#by(value, line), turn: this.#telling.turn });
  }

  /** The result says whether no model was seen before. */
  #sawModel(model: string, line: LensLine): boolean {
    if (model === "" || model === "<synthetic>") return false;
    const isFirst = this.#model === undefined;
    this.#model = model;
    if (this.#keeper.model(model)) this.#telling.mark("model", model, line, time(timestampIn(line.bytes)));
    return isFirst;
  }

  #by(value: Fields, { offset, number }: LinePlace): Confirmed {
    const at = time(value["timestamp"]) ?? this.#keeper.at;
    return { actor: this.#agent ?? "claude-code", at, entryId: text(value["uuid"]), place: { offset, number } };
  }
}
