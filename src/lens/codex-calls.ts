/** This file reads the calls of Codex that are about plans: what each of them changed, as its output confirms it. */
import type { Json } from "../event/event.ts";
import { type Fields, fields, isFields } from "../event/fields.ts";
import { box, type ChecklistItem, checklistText, offeredList, oneLine, unusedText } from "./checklist.ts";
import type { CodexFiles } from "./codex-patches.ts";
import { blockText, list, parsed, text } from "./fields.ts";
import type { FactsKeeper } from "./keeper.ts";
import { argumentsOf, callsOf } from "./literals.ts";
import { withoutTexts } from "./script-texts.ts";
import type { Confirmed, LinePlace, Telling } from "./telling.ts";

/** The client says it in the name of a person who chose to have a plan carried out. */
export const approval = "Implement the plan.";

export const goalTools: ReadonlySet<string> = new Set(["create_goal", "update_goal"]);

/** This call waits for its output. */
export interface CodexCall {
  readonly id: string;
  readonly tool: string;
  /** This is the JSON of the arguments, or the text of a patch or a script. */
  readonly input: string;
  readonly place: LinePlace;
  /** So many calls of tools stand before it. */
  readonly calls: number;
}

const statuses: Readonly<Record<string, string>> = {
  active: "in_progress",
  complete: "completed",
  paused: "blocked",
  blocked: "blocked",
  usage_limited: "blocked",
  budget_limited: "blocked",
};

/** From this minor version on the checklist is offered only where it is switched on. */
const offeredNoneFrom = 150;

export class CodexCalls {
  isPlanUsed = false;
  /** The client says itself what a patch changed. */
  saysChanges = false;
  /** These are the ids of the subagents, with the session that began each. */
  readonly #agents = new Map<string, unknown>();
  readonly #telling: Telling;
  readonly #files: CodexFiles;

  constructor(telling: Telling, files: CodexFiles) {
    this.#telling = telling;
    this.#files = files;
  }

  /** The result says whether the output of the call matters. */
  isPlanCall({ tool, input }: CodexCall): boolean {
    if (tool === "apply_patch") return this.#files.asked(input).length > 0;
    if (tool !== "exec") return true;
    return namesOf(input) > 0 || this.#patchesIn(input).length > 0;
  }

  /** This learns from the item of a call that begins a subagent. */
  collaborated(item: Fields): void {
    if (item["type"] !== "CollabAgentToolCall" || item["tool"] !== "spawn_agent") return;
    for (const id of list(item["receiver_thread_ids"]).flatMap((id) => text(id) ?? []))
      this.#agents.set(id, item["sender_thread_id"]);
  }

  /** A copied beginning, and what a fork goes on from, have those of the session that they are of, which the fork has not begun. */
  agentsOf(session: string): readonly string[] {
    return [...this.#agents].flatMap(([id, sender]) => (sender === session ? [id] : []));
  }

  answer(call: CodexCall, output: unknown, confirmed: Confirmed): void {
    const said = saidIn(output);
    const by = { ...confirmed, calls: call.calls };
    switch (call.tool) {
      case "update_plan":
        if (said.trim() === "Plan updated") this.#plan(parsed(call.input), call, by);
        else this.#refuse(call, said, by);
        return;
      case "create_goal":
      case "update_goal":
        this.#goalAnswer(call, said, by);
        return;
      case "apply_patch":
        if (hasFailed(said)) this.#files.refuse(call.input, said, by);
        else if (!this.saysChanges) this.#files.apply(this.#files.asked(call.input), by);
        return;
      case "exec":
        this.#script(call, said, by);
        return;
    }
  }

  /** The call stands in a turn that was rolled back. */
  left({ tool, input }: CodexCall, output: unknown): void {
    const isPatch = tool === "apply_patch" && !this.saysChanges && !hasFailed(saidIn(output));
    if (isPatch) this.#files.left(this.#files.asked(input));
  }

  /** The result says why there is no checklist. */
  noChecklist({ versions, newestModel }: FactsKeeper): string {
    const version = versions.at(-1) ?? "";
    const minor = Number(/^0\.(\d{1,6})/.exec(version)?.[1] ?? Number.NaN);
    // A call that was refused shows that it was offered. The file has no list of what is.
    if (minor >= offeredNoneFrom && this.#telling.refusedChecklist === undefined) {
      return `no checklist in this session: Codex ${version} by itself offers none to ${newestModel ?? "this model"} (enabled = true under [tools.update_plan] in config.toml brings it back)`;
    }
    return unusedText("update_plan", this.#telling.refusedChecklist);
  }

  goal(value: unknown, by: Confirmed): void {
    const goal = fields(value);
    const objective = text(goal["objective"]);
    const status = text(goal["status"]) ?? "";
    if (objective === undefined) return;
    const mark = box((Object.hasOwn(statuses, status) ? statuses[status] : undefined) ?? "pending");
    this.#telling.writeSection("plan document", `- ${mark} ${oneLine(objective)}`, by);
  }

  #plan(args: unknown, { place }: CodexCall, by: Confirmed): void {
    const plan = fields(args)["plan"];
    if (!Array.isArray(plan)) {
      this.#telling.note(place, "a plan call could not be read: its list is no literal");
      return;
    }
    this.isPlanUsed = true;
    this.#telling.setPlan(checklistText(list(plan).filter(isFields).map(itemOf)), by);
  }

  #goalAnswer(call: CodexCall, said: string, by: Confirmed): void {
    const goal = fields(parsed(said))["goal"];
    if (isFields(goal)) this.goal(goal, by);
    else
      this.#telling.refuse(
        "sections.write",
        { tool: call.tool, name: "plan document", input: inputOf(call), message: said },
        by,
      );
  }

  /** Code mode: the calls stand in a script, and its output says only whether that ran to its end. */
  #script(call: CodexCall, said: string, by: Confirmed): void {
    const plans = [...callsOf("tools.update_plan", call.input)];
    if (hasFailed(said) || !said.startsWith("Script completed")) {
      // Why it failed stands behind what says how long it ran.
      const why = said
        .replace(/^Script failed\n(?:Wall time .{1,40}\n)?(?:Output:\s{0,8})?(?:Script error:\n)?/, "")
        .trim();
      if (plans.length > 0) this.#refuse(call, why || said, by);
      for (const patch of this.#patchesIn(call.input)) this.#files.refuse(patch, why || said, by);
      return;
    }
    const works = plans.length === 0 ? [] : workPlaces(call.input);
    let before = 0;
    for (const { argument, at } of plans) {
      while ((works[before] ?? Number.POSITIVE_INFINITY) < at) before += 1;
      this.#plan(argument, call, { ...by, calls: call.calls + before });
    }
    if (namesOf(call.input) > plans.length) this.#plan(undefined, call, by);
  }

  #patchesIn(script: string): string[] {
    const patches = [...argumentsOf("tools.apply_patch", script)].flatMap(
      (patch) => text(patch) ?? text(fields(patch)["input"]) ?? [],
    );
    return patches.filter((patch) => this.#files.asked(patch).length > 0);
  }

  #refuse(call: CodexCall, message: string, by: Confirmed): void {
    const offered = offeredList(fields(parsed(call.input))["plan"], itemOf, inputOf(call));
    this.#telling.refuse("set_plan", { tool: "update_plan", ...offered, message }, by);
  }
}

/** A script that runs for long goes on under this id, and the output of a call of `wait` says how it ended. */
export function cellIn(output: unknown): string | undefined {
  return /^Script running with cell ID (\S{1,64})/.exec(saidIn(output))?.[1];
}

/** A script that is about the plan alone is no work on a step. */
export function worksIn(script: string): number {
  // Only a script calls tools: other input may be about such calls.
  return script.includes("tools.update_plan(") ? workPlaces(script).length : 1;
}

/** A script uses other tools than that of the plan at these places. It may call one by another name, or hand it to who calls it. */
function workPlaces(script: string): number[] {
  const others = /(?<![\w$.])tools\b(?!\s{0,9}\.\s{0,9}update_plan\b)/g;
  return Array.from(withoutTexts(script).matchAll(others), ({ index }) => index);
}

/** How often the code of a script names the tool, whether it is called by that name there or not. */
function namesOf(script: string): number {
  if (!script.includes("update_plan")) return 0;
  const named = withoutTexts(script).match(/\bupdate_plan\b/g) ?? [];
  const quoted = script.match(/\btools\??\.?\[\s{0,9}["'`]update_plan["'`]/g) ?? [];
  return named.length + quoted.length;
}

function inputOf({ input }: CodexCall): Json {
  const value = parsed(input);
  return value === undefined ? input : (value as Json);
}

function itemOf(step: Fields): ChecklistItem {
  return { text: text(step["step"]) ?? "", status: text(step["status"]) ?? "" };
}

function saidIn(output: unknown): string {
  return blockText(isFields(output) ? (output["content"] ?? output["output"]) : output);
}

function hasFailed(said: string): boolean {
  const code = /^Exit code: (-?\d{1,9})/.exec(said)?.[1];
  if (code !== undefined) return code !== "0";
  const metadata = fields(fields(said.startsWith("{") ? parsed(said) : undefined)["metadata"]);
  if (typeof metadata["exit_code"] === "number") return metadata["exit_code"] !== 0;
  return (
    said.startsWith("Script failed") || /^(?:apply_patch verification failed|patch rejected|failed|error)/i.test(said)
  );
}
