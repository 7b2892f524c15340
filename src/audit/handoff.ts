/** A page in Markdown for whoever goes on with the work: what is open first, then what became of the rest, then the texts. */
import type { RecordedEvent } from "../event/event.ts";
import { offeredText } from "../event/type-words.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { lost } from "./lost.ts";
import { type PlanStep, planSteps, type StepStatus } from "./steps.ts";

/** Of what history the page is. */
export interface HandoffSource {
  /** "Claude Code 2.1.330", or "session-journal". */
  readonly writtenBy: string;
  readonly session: string;
  /** The folder that the work is in. */
  readonly cwd?: string | undefined;
  readonly version: number;
  readonly turn: number;
  /** ISO time of the newest event. */
  readonly at?: string | undefined;
  /** Why there is no checklist, where there is none. */
  readonly noChecklist?: string | undefined;
}

const boxes: Readonly<Record<StepStatus, string>> = {
  ...{ pending: "[ ]", in_progress: "[>]", completed: "[x]", cancelled: "[-]", blocked: "[!]" },
};

/** `events` are the whole history up to `source.version`. */
export function handoffPage(source: HandoffSource, events: readonly RecordedEvent[]): string {
  const { state, completed } = told(events);
  const steps = planSteps(state.plan);
  const open = steps.filter(({ status }) => status !== "completed" && status !== "cancelled");
  const done = [...completed, ...steps.filter(({ status }) => status === "completed")];
  const cancelled = steps.filter(({ status }) => status === "cancelled").map((step) => `- ${stepText(step)}`);
  const dropped = lost(events)
    .filter(({ reason }) => reason === "dropped")
    .map(({ text, turn, actor }) => `- ${oneLine(text)} (turn ${turn}, ${actor})`);
  const parts = [
    `# Handoff of session ${source.session || "without id"}`,
    placeOf(source, done.length, done.length + open.length),
    section("Open", open.length > 0 ? open.map((step) => `- ${stepText(step)}`) : [nothingOpen(source, steps)]),
    steps.length === 0 && state.plan.trim() !== "" ? section("Plan", [state.plan.trimEnd()]) : "",
    section(
      "Done",
      done.map((step) => `- ${stepText(step)}`),
    ),
    section("Refused", events.flatMap(refusal)),
    section("Dropped", [...cancelled, ...dropped]),
    ...textsOf(state),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** What the history adds up to, and the steps that were completed and are not in the plan any more. */
function told(events: readonly RecordedEvent[]): { state: ScratchpadState; completed: PlanStep[] } {
  let state = initialState;
  let plan = "";
  const completed = new Map<string, PlanStep>();
  for (const { event } of events) {
    state = evolve(state, event);
    if (state.plan === plan) continue;
    plan = state.plan;
    for (const step of planSteps(plan)) {
      if (step.status === "completed") completed.set(keyOf(step), step);
      else completed.delete(keyOf(step));
    }
  }
  for (const step of planSteps(plan)) completed.delete(keyOf(step));
  return { state, completed: [...completed.values()] };
}

/** A client may give an id again, to another step. */
function keyOf({ id = "", text }: PlanStep): string {
  return `${id} ${text}`;
}

function placeOf({ writtenBy, cwd, version, turn, at }: HandoffSource, done: number, total: number): string {
  const parts = [
    `Written by ${writtenBy}`,
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
    `up to v${version}, turn ${turn}`,
    ...(at === undefined ? [] : [at]),
  ];
  return `${parts.join(", ")}.${total === 0 ? "" : ` ${done} of ${total} steps are done.`}`;
}

function nothingOpen({ noChecklist }: HandoffSource, steps: readonly PlanStep[]): string {
  if (steps.length > 0) return "Every step is done.";
  return noChecklist === undefined ? "There is no step in the plan." : `There is ${noChecklist}.`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `## ${title}\n\n${lines.join("\n")}`;
}

function stepText({ id, text, status, after = [] }: PlanStep): string {
  const behind = after.length === 0 ? "" : ` (after ${after.map((each) => `#${each}`).join(", ")})`;
  return `${boxes[status]} ${id === undefined ? "" : `#${id} `}${oneLine(text)}${behind}`;
}

function refusal({ event, turn, actor }: RecordedEvent): string[] {
  if (event.type !== "action.refused") return [];
  const { offered } = event;
  const message = typeof offered === "object" && offered !== null && "message" in offered ? offered["message"] : "";
  const why = typeof message === "string" && message !== "" ? `: ${oneLine(message)}` : "";
  return [`- ${event.action} (turn ${turn}, ${actor})${why}\n\n${fenced(offeredText(offered))}\n`];
}

function textsOf({ notes, refs, entries, sections }: ScratchpadState): string[] {
  return [
    notes === "" ? "" : section("Notes", [fenced(notes)]),
    section(
      "References",
      refs.map((ref) => `- ${oneLine(ref)}`),
    ),
    ...Object.entries(entries).map(([key, text]) => section(`Entry ${oneLine(key)}`, [fenced(text)])),
    ...Object.entries(sections).map(([name, { text, at }]) =>
      section(oneLine(name), [`As of ${at}:`, "", fenced(text)]),
    ),
  ];
}

/** The fence is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
