/** Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and the files of its subagents. */
import type { ForeignFacts } from "../event/foreign.ts";
import { box, oneLine } from "./checklist.ts";
import { type ClaudeCall, ClaudeCalls, checklistTools, fileTools, planTools } from "./claude-calls.ts";
import { ClaudeChecklist } from "./claude-checklist.ts";
import { isPrompt, isTreeLine, noChecklistText, nodeIn, otherTypes } from "./claude-fields.ts";
import { type ClaudeNode, type GlancedLine, glanceAt, timestampIn } from "./claude-lines.ts";
import { blockText, type Fields, fields, isFields, list, parsed, text, texts } from "./fields.ts";
import { FactsKeeper } from "./keeper.ts";
import type { Lens, LensLine, LensOptions, LensReader } from "./lens.ts";
import { MainLine } from "./main-line.ts";
import { type Confirmed, Telling } from "./telling.ts";

export const claudeCode: Lens = {
  client: "claude-code",
  title: "Claude Code",
  checkedAgainst: ["1.0.98", "1.0.108", "1.0.111", "2.1.39", "2.1.119", "2.1.199", "2.1.330"],
  detects: isTreeLine,
  begin: (options) => new ClaudeReader(options),
};

/** A result that stands before its call: how many are kept, and how long a line. */
const earlyMax = 16;
const earlyBytesMax = 256 * 1024;

function isWork(block: Fields): boolean {
  return block["type"] === "tool_use" && !checklistTools.has(text(block["name"]) ?? "");
}

class ClaudeReader implements LensReader {
  readonly #options: LensOptions;
  readonly #main: MainLine;
  /** How many lines of the tree are known from a reading before. */
  readonly #known: number;
  readonly #isOn: (index: number) => boolean;
  readonly #telling: Telling;
  readonly #checklist: ClaudeChecklist;
  readonly #calls: ClaudeCalls;
  readonly #keeper = new FactsKeeper(otherTypes);
  readonly #pending = new Map<string, ClaudeCall>();
  readonly #early = new Map<string, { readonly bytes: Buffer; readonly line: LensLine; readonly turn: number }>();
  readonly #agents: string[] = [];
  readonly #offered = new Set<string>();
  /** Of a subagent whose lines stand in its parent's file: the ids of those so far. */
  readonly #branch = new Set<string>();
  #actor = "claude-code";
  #isAgentFile = false;
  #isFork = false;
  #isRewound = false;
  #index = 0;
  #planFile: string | undefined;

  constructor(options: LensOptions, main = new MainLine()) {
    this.#options = options;
    this.#main = main;
    this.#known = main.size;
    this.#isOn = main.now();
    this.#telling = new Telling(options.emit);
    this.#checklist = new ClaudeChecklist(this.#telling);
    if (options.agent !== undefined) this.#actor = options.agent;
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
    return this.#isRewound;
  }

  again(emit: LensOptions["emit"]): LensReader {
    return new ClaudeReader({ ...this.#options, emit }, this.#main);
  }

  facts(): ForeignFacts {
    const { agent } = this.#options;
    const isAgent = agent !== undefined || this.#isAgentFile;
    const session = this.#keeper.session;
    const waiting = [...this.#pending].filter(([, call]) => this.#calls.isPlanCall(call));
    return {
      ...this.#keeper.facts(this.#telling.repetitions),
      ...(isAgent ? { session: this.#actor, parentSession: session } : {}),
      agents: isAgent ? [] : this.#agents,
      ...(this.#checklist.isUsed ? {} : { noChecklist: noChecklistText(this.#keeper, this.#offered) }),
      unanswered: waiting.map(([call, { tool, place }]) => ({ tool, call, line: place.number })),
    };
  }

  take(line: LensLine): void {
    const glance = this.#options.every === true ? "parse" : glanceAt(line.bytes, this.#options.files);
    if (glance === "parse") this.#takeParsed(line);
    else this.#takeGlanced(glance, line);
  }

  #takeGlanced(glance: GlancedLine, line: LensLine): void {
    const { type, node, matters, model, results = [], calls = 0 } = glance;
    this.#keeper.count(type);
    const on = node === undefined ? true : this.#place(node, undefined, line);
    if (on === undefined) return;
    this.#telling.calls += calls;
    if (model !== undefined) this.#model(model, line);
    const waited = results.some((call) => this.#pending.has(call));
    if (matters || waited || this.#keeper.session === "") {
      const value = parsed(line.bytes);
      if (isFields(value)) this.#act(value, type, on, line);
      else this.#telling.damage(line, "the line is no JSON");
    } else if (results.length > 0) this.#keepEarly(results, line);
  }

  #takeParsed(line: LensLine): void {
    const value = parsed(line.bytes);
    if (value === undefined) {
      this.#telling.damage(line, "the line is no JSON");
      return;
    }
    const type = text(fields(value)["type"]) ?? "a value that is no object";
    this.#keeper.count(isFields(value) ? type : "a value that is no object");
    if (!isFields(value)) return;
    const node = nodeIn(value);
    const on = node === undefined ? true : this.#place(node, value, line);
    if (on === undefined) return;
    const message = fields(value["message"]);
    const blocks = list(message["content"]).map(fields);
    if (type === "assistant") this.#telling.calls += blocks.filter(isWork).length;
    const model = type === "assistant" ? text(message["model"]) : undefined;
    if (model !== undefined) this.#model(model, line);
    const results = blocks.flatMap((block) => text(block["tool_use_id"]) ?? []);
    this.#act(value, type, on, line);
    if (results.some((call) => !this.#pending.has(call))) this.#keepEarly(results, line);
  }

  /** Whether it is on the main line; undefined: it belongs to another session. */
  #place(node: ClaudeNode, value: Fields | undefined, line: LensLine): boolean | undefined {
    if (!this.#isOwn(node, value, line)) return undefined;
    const index = this.#index++;
    if (index >= this.#known && this.#main.add(node)) {
      this.#isRewound = true;
      this.#main.rewinds.add(index);
    }
    const at = text(fields(value ?? (this.#main.rewinds.has(index) ? parsed(line.bytes) : undefined))["timestamp"]);
    if (this.#main.rewinds.has(index))
      this.#telling.mark("branch", `goes on from entry ${node.parent ?? ""}`, line, at, node.id);
    return this.#isOn(index);
  }

  #isOwn(node: ClaudeNode, value: Fields | undefined, line: LensLine): boolean {
    const { agent } = this.#options;
    if (this.#index === 0 && node.side && agent === undefined && this.#agents.length === 0) {
      const id = text(fields(value ?? parsed(line.bytes))["agentId"]);
      this.#isAgentFile = id !== undefined;
      if (id !== undefined) this.#actor = id;
    }
    if (agent === undefined) {
      if (node.side && !this.#isAgentFile && node.parent === undefined) this.#agents.push(node.id.slice(0, 8));
      return node.side === this.#isAgentFile;
    }
    if (this.#keeper.session === "") this.#keeper.learn(fields(value ?? parsed(line.bytes)));
    const isIn = node.parent === undefined ? node.id.startsWith(agent) : this.#branch.has(node.parent);
    if (node.side && isIn) this.#branch.add(node.id);
    return node.side && isIn;
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
    if (results.length > 0 || !isPrompt(value, this.#isAgentFile || this.#options.agent !== undefined)) return;
    this.#telling.beginTurn();
    this.#keeper.firstMessage ??= oneLine(blockText(content)).slice(0, 200);
    const from = text(fields(value["forkedFrom"])["sessionId"]);
    if (from === undefined || this.#isFork || !on) return;
    this.#isFork = true;
    this.#telling.mark("fork", `copied from session ${from}`, line, text(value["timestamp"]), text(value["uuid"]));
    this.#telling.inherited(line, `what stands from here on was copied from session ${from}`);
  }

  #result(block: Fields, value: Fields, line: LensLine, turn: number): void {
    const id = text(block["tool_use_id"]) ?? "";
    const call = this.#pending.get(id);
    if (call === undefined) return;
    this.#pending.delete(id);
    const data = isFields(value["toolUseResult"]) ? value["toolUseResult"] : {};
    const result = { isError: block["is_error"] === true, said: blockText(block["content"]), data };
    this.#calls.answer(call, result, { ...this.#by(value, line), turn });
  }

  #assistant(value: Fields, line: LensLine): void {
    for (const block of list(fields(value["message"])["content"]).map(fields)) {
      const [id, tool] = [text(block["id"]), text(block["name"])];
      if (block["type"] !== "tool_use" || id === undefined || tool === undefined) continue;
      const input = fields(block["input"]);
      const isWanted =
        planTools.has(tool) || (fileTools.has(tool) && this.#options.files.has(text(input["file_path"]) ?? ""));
      if (isWanted) this.#call(id, { tool, input, place: { offset: line.offset, number: line.number } });
    }
  }

  #call(id: string, call: ClaudeCall): void {
    this.#pending.set(id, call);
    const early = this.#early.get(id);
    if (early === undefined) return;
    const value = fields(parsed(early.bytes));
    const blocks = list(fields(value["message"])["content"]).map(fields);
    const block = blocks.find((each) => each["tool_use_id"] === id);
    if (block !== undefined) this.#result(block, value, early.line, early.turn);
  }

  #keepEarly(results: readonly string[], line: LensLine): void {
    if (line.bytes.length > earlyBytesMax) return;
    const kept = {
      bytes: Buffer.from(line.bytes),
      line: { ...line, bytes: Buffer.alloc(0) },
      turn: this.#telling.turn,
    };
    for (const call of results) this.#early.set(call, kept);
    for (const call of this.#early.keys()) {
      if (this.#early.size <= earlyMax) break;
      this.#early.delete(call);
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
        this.#model(text(fields(attached["identity"])["modelId"]) ?? "", line);
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

  #model(model: string, line: LensLine): void {
    if (model === "" || model === "<synthetic>" || !this.#keeper.model(model)) return;
    this.#telling.mark("model", model, line, timestampIn(line.bytes));
  }

  #by(value: Fields, { offset, number }: LensLine): Confirmed {
    const at = text(value["timestamp"]) ?? this.#keeper.at;
    return { actor: this.#actor, at, entryId: text(value["uuid"]), place: { offset, number } };
  }
}
