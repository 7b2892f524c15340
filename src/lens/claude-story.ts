/** What the lines of Claude Code's say, and what that changes: turns, calls with their results, reminders, compactions, models. */
import { type Fields, fields, isFields } from "../event/fields.ts";
import type { ForeignFacts } from "../event/foreign.ts";
import { box, oneLine } from "./checklist.ts";
import { type ClaudeCall, ClaudeCalls, checklistTools, fileTools, listTools, planTools } from "./claude-calls.ts";
import { ClaudeChecklist } from "./claude-checklist.ts";
import { isPrompt, noChecklistText, otherTypes } from "./claude-fields.ts";
import { timestampIn } from "./claude-lines.ts";
import { EarlyResults } from "./early-results.ts";
import { blockText, list, parsed, text, texts, time } from "./fields.ts";
import { FactsKeeper } from "./keeper.ts";
import type { LensLine, LensOptions } from "./lens.ts";
import { keyOf } from "./main-line.ts";
import { type Confirmed, type LinePlace, Telling } from "./telling.ts";

function isWork(block: unknown): boolean {
  const { type, name } = fields(block);
  return type === "tool_use" && !checklistTools.has(text(name) ?? "");
}

function forkedFromIn(value: Fields): string | undefined {
  return text(fields(value["forkedFrom"])["sessionId"]);
}

interface WaitingCall extends ClaudeCall {
  /** It stands on a branch of the conversation that was left. */
  readonly isLeft: boolean;
  /** So many calls of tools stand before it. */
  readonly calls: number;
}

export class ClaudeStory {
  readonly keeper = new FactsKeeper(otherTypes);
  readonly telling: Telling;
  readonly checklist: ClaudeChecklist;
  readonly early = new EarlyResults();
  /** The model of the newest answer. */
  model: string | undefined;
  readonly #files: LensOptions["files"];
  /** The session belongs to this subagent. */
  readonly #agent: () => string | undefined;
  readonly #calls: ClaudeCalls;
  readonly #pending = new Map<string, WaitingCall>();
  readonly #agents: string[] = [];
  readonly #offered = new Set<string>();
  #isFork = false;
  /** A compaction stands here before all else that was said: only a copy begins so. */
  #begunBy: { readonly value: Fields; readonly place: LinePlace } | undefined;
  #planFile: string | undefined;

  constructor({ emit, files }: LensOptions, agent: () => string | undefined) {
    this.#files = files;
    this.#agent = agent;
    this.telling = new Telling(emit);
    this.checklist = new ClaudeChecklist(this.telling);
    this.#calls = new ClaudeCalls({
      telling: this.telling,
      checklist: this.checklist,
      files,
      cwd: () => this.keeper.cwd,
      planFile: () => this.#planFile,
      agents: this.#agents,
    });
  }

  /** A call has no result yet. */
  get isWaiting(): boolean {
    return this.#pending.size > 0;
  }

  isAwaited(call: string): boolean {
    return this.#pending.has(call);
  }

  /** One of the blocks of a message is the result of a call that has none yet. */
  isAnswer(blocks: readonly unknown[]): boolean {
    return blocks.some((block) => this.#pending.has(text(fields(block)["tool_use_id"]) ?? ""));
  }

  /** The blocks are those of a message that is taken next. */
  countWork(blocks: readonly unknown[]): void {
    this.telling.calls += blocks.filter(isWork).length;
  }

  get session(): string {
    return this.#agent() ?? this.keeper.session;
  }

  /** `roots` are those of the subagents whose lines stand in the file. */
  facts(roots: readonly string[]): ForeignFacts {
    const agent = this.#agent();
    const { session } = this.keeper;
    const waiting = [...this.#pending].filter(([, call]) => !call.isLeft && this.#calls.isPlanCall(call));
    return {
      ...this.keeper.facts(this.telling.repetitions, waiting),
      ...(agent === undefined ? {} : { parentSession: session }),
      agents: agent === undefined ? [...this.#calls.ownAgents, ...roots] : [],
      ...(this.checklist.isUsed
        ? {}
        : { noChecklist: noChecklistText(this.keeper, this.#offered, this.telling.refusedChecklist) }),
    };
  }

  /** The conversation was rewound, and goes on with this line. */
  markRewind(value: Fields, line: LensLine): void {
    const parent = text(value["parentUuid"]) ?? text(value["logicalParentUuid"]);
    const detail = parent === undefined ? "goes on from the beginning" : `goes on from entry ${parent}`;
    this.telling.mark("branch", detail, line, time(value["timestamp"]), text(value["uuid"]));
  }

  /** `on`: the line is on the main line. */
  act(value: Fields, type: string, on: boolean, line: LensLine): void {
    this.keeper.learn(value);
    switch (type) {
      case "user":
        this.#user(value, on, line);
        return;
      case "assistant":
        if (on) this.#assistant(value, line);
        else this.#left(value, line);
        return;
      case "attachment":
        if (on) this.#attachment(fields(value["attachment"]), value, line);
        return;
      case "system":
        if (value["subtype"] === "compact_boundary") this.#compaction(value, on, line);
        return;
      case "api-request-shape":
        for (const tool of list(fields(value["shape"])["tools"])) this.#offered.add(text(fields(tool)["name"]) ?? "");
    }
  }

  /** A message of the model stands on a branch that was left. What its calls changed is known once they have results. */
  #left(value: Fields, line: LensLine): void {
    const isWanted = (block: Fields, tool: string) =>
      listTools.has(tool) || this.#isOfFile(tool, fields(block["input"]));
    this.#await(value, line, isWanted, true);
  }

  #isOfFile(tool: string, input: Fields): boolean {
    return fileTools.has(tool) && this.#files.has(text(input["file_path"]) ?? "");
  }

  #user(value: Fields, on: boolean, line: LensLine): void {
    const { content } = fields(value["message"]);
    const results = list(content)
      .map(fields)
      .filter((block) => text(block["tool_use_id"]) !== undefined);
    for (const block of results) this.#result(block, value, line, this.telling.turn);
    if (results.length > 0 || !isPrompt(value, this.#agent() !== undefined)) return;
    this.telling.beginTurn();
    this.keeper.asked(this.telling.turn, blockText(content));
    if (on) this.#copiedFrom(forkedFromIn(value), value, line);
  }

  #copiedFrom(from: string | undefined, value: Fields, line: LinePlace): void {
    if (from === undefined || this.#isFork) return;
    this.#isFork = true;
    const first = this.#begunBy ?? { value, place: line };
    const { at, entryId, place } = this.#by(first.value, first.place);
    this.telling.mark("fork", `copied from session ${from}`, place, at, entryId);
    this.telling.inherited(place, `what stands from here on was copied from session ${from}`);
  }

  #result(block: Fields, value: Fields, line: LinePlace, turn: number): void {
    const id = text(block["tool_use_id"]) ?? "";
    const call = this.#pending.get(id);
    if (call === undefined) return;
    this.#pending.delete(id);
    const data = isFields(value["toolUseResult"]) ? value["toolUseResult"] : {};
    const result = { isError: block["is_error"] === true, said: blockText(block["content"]), data };
    if (!call.isLeft) this.#calls.answer(call, result, { ...this.#by(value, line), turn, calls: call.calls });
    else this.#calls.left(call, result);
  }

  #assistant(value: Fields, line: LensLine): void {
    // Of a copy newer clients say only to which session's request the model answered.
    const asked = text(value["requestSessionId"]);
    const from = forkedFromIn(value) ?? (asked === text(value["sessionId"]) ? undefined : asked);
    this.checklist.isCopied = from !== undefined;
    this.#copiedFrom(from, value, line);
    const isWanted = (block: Fields, tool: string) =>
      planTools.has(tool) || this.#isOfFile(tool, fields(block["input"]));
    this.#await(value, line, isWanted, false);
  }

  /** The calls in the line that are wanted wait for their results. */
  #await(value: Fields, line: LensLine, isWanted: (block: Fields, tool: string) => boolean, isLeft: boolean): void {
    let isPending = false;
    const blocks = list(fields(value["message"])["content"]).map(fields);
    let before = this.telling.calls - blocks.filter(isWork).length;
    for (const block of blocks) {
      const calls = before;
      if (isWork(block)) before += 1;
      const [id, tool] = [text(block["id"]), text(block["name"])];
      if (block["type"] !== "tool_use" || id === undefined || tool === undefined || !isWanted(block, tool)) continue;
      isPending = true;
      const place = { offset: line.offset, number: line.number };
      this.#pending.set(id, { tool, input: fields(block["input"]), place, isLeft, calls });
    }
    if (isPending && this.early.hasAny) this.#answerEarly(keyOf(text(value["uuid"])));
  }

  /** The results that stand before the line that calls are taken now. */
  #answerEarly(line: number): void {
    for (const early of this.early.of(line)) {
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
        this.checklist.remindTasks(attached["content"], by, this.#agents);
        return;
      case "todo_reminder":
        this.checklist.remindTodos(attached["content"], by);
        return;
      case "deferred_tools_delta":
        for (const name of texts(attached["addedNames"])) this.#offered.add(name);
        return;
      case "plan_mode":
        this.#planFile = text(attached["planFilePath"]) ?? this.#planFile;
        return;
      case "model":
        this.sawModel(text(fields(attached["identity"])["modelId"]) ?? "", line);
        return;
      case "goal_status": {
        const goal = `- ${box(attached["met"] === true ? "completed" : "in_progress")} ${oneLine(text(attached["condition"]) ?? "")}`;
        this.telling.writeSection("plan document", goal, by);
      }
    }
  }

  /** The client's process may have lost its list on a branch that was left, too. */
  #compaction(value: Fields, on: boolean, line: LensLine): void {
    const { trigger, preTokens } = fields(value["compactMetadata"]);
    const parts = [text(trigger), typeof preTokens === "number" ? `${preTokens} tokens before` : undefined];
    const { at, entryId } = this.#by(value, line);
    const detail = parts.filter((part) => part !== undefined).join(", ");
    if (this.telling.turn === 0 && this.model === undefined) this.#begunBy ??= { value, place: line };
    if (on) this.telling.mark("compaction", detail, line, at, entryId);
    this.checklist.compacted({ ...this.#by(value, line), turn: this.telling.turn });
  }

  /** The result says whether no model was seen before. */
  sawModel(model: string, line: LensLine): boolean {
    if (model === "" || model === "<synthetic>") return false;
    const isFirst = this.model === undefined;
    this.model = model;
    if (this.keeper.model(model)) this.telling.mark("model", model, line, time(timestampIn(line.bytes)));
    return isFirst;
  }

  #by(value: Fields, { offset, number }: LinePlace): Confirmed {
    const at = time(value["timestamp"]) ?? this.keeper.at;
    return { actor: this.#agent() ?? "claude-code", at, entryId: text(value["uuid"]), place: { offset, number } };
  }
}
