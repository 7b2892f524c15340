/** A page in Markdown for whoever goes on with the work: what is open first, then what became of the rest, then the texts. */
import type { RecordedEvent } from "../event/event.ts";
import { fields } from "../event/fields.ts";
import { offeredText } from "../event/type-words.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { lostIn } from "./lost.ts";
import { Newest } from "./newest.ts";
import { type PlanProgress, type PlanStep, planProgress, planSteps, type StepStatus } from "./steps.ts";
import { inOneLine } from "./turn-prompts.ts";

/** The page is about this history. */
export interface HandoffSource {
  /** This names the writer, such as "Claude Code 2.1.330" or "session-journal". */
  readonly writtenBy: string;
  readonly session: string;
  /** The work is in this folder. */
  readonly cwd?: string | undefined;
  readonly version: number;
  readonly turn: number;
  /** This is the time of the newest event, as an ISO time. */
  readonly at?: string | undefined;
  /** This says why there is no checklist, if there is none. */
  readonly noChecklist?: string | undefined;
}

const boxes: Readonly<Record<StepStatus, string>> = {
  ...{ pending: "[ ]", in_progress: "[>]", completed: "[x]", cancelled: "[-]", blocked: "[!]" },
};

/** So many of what is done, refused and dropped stand on the page, and so much of their texts. */
const listedMax = 200;
const listedUnitsMax = 1 << 20;

/** `read` begins with the first event, and ends at `source.version`; it is read again where something was restored. */
export async function handoffPage(source: HandoffSource, read: () => AsyncIterable<RecordedEvent>): Promise<string> {
  const facts = new HandoffFacts();
  let isRead = false;
  const readings = (): AsyncIterable<RecordedEvent> => {
    const history = isRead ? read() : facts.passOn(read());
    isRead = true;
    return history;
  };
  const dropped = new Newest<string>(listedMax, listedUnitsMax);
  for await (const { reason, text, turn, actor } of lostIn(readings)) {
    if (reason !== "dropped") continue;
    dropped.add(`- ${inOneLine(text)} (turn ${turn}, ${inOneLine(actor)})`, text.length);
  }
  const { state, completed, olderCompleted, refused } = facts;
  const steps = planSteps(state.plan);
  const open = steps.filter(({ status }) => status !== "completed" && status !== "cancelled");
  const done = steps.filter(({ status }) => status === "completed");
  const completedEarlier = [...completed.values()].map((step) => `- ${stepText(step)}`);
  const cancelled = steps.filter(({ status }) => status === "cancelled").map((step) => `- ${stepText(step)}`);
  const parts = [
    `# Handoff of session ${inOneLine(source.session) || "without id"}`,
    placeOf(source, planProgress(state.plan)),
    section("Open", open.length > 0 ? open.map((step) => `- ${stepText(step)}`) : [nothingOpen(source, steps)]),
    steps.length === 0 && state.plan.trim() !== "" ? section("Plan", [state.plan.trimEnd()]) : "",
    section(
      "Done",
      done.map((step) => `- ${stepText(step)}`),
    ),
    section("Done earlier", [...leftOut(olderCompleted, "log --space plan"), ...completedEarlier]),
    section("Refused", [...leftOut(refused.leftOut, "log --type action.refused"), ...refused.items]),
    section("Dropped", [...cancelled, ...leftOut(dropped.leftOut, "lost"), ...dropped.items]),
    ...textsOf(state),
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function leftOut(count: number, verb: string): string[] {
  return count === 0 ? [] : [`- ${count} older ones are left out here: \`session-journal ${verb}\` lists all`];
}

/** What the history adds up to, the steps that were completed and are not in the plan any more, and what was refused. */
class HandoffFacts {
  state: ScratchpadState = initialState;
  readonly completed = new Map<string, PlanStep>();
  /** Completed before those, and left out. */
  olderCompleted = 0;
  readonly refused = new Newest<string>(listedMax, listedUnitsMax);
  #listed: readonly PlanStep[] = [];

  /** Takes each event before it is handed on. */
  async *passOn(history: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
    for await (const recorded of history) {
      this.#take(recorded);
      yield recorded;
    }
  }

  #take(recorded: RecordedEvent): void {
    const { plan } = this.state;
    this.state = evolve(this.state, recorded.event);
    for (const text of refusal(recorded)) this.refused.add(text, text.length);
    if (this.state.plan !== plan) this.#takePlan(planSteps(this.state.plan));
  }

  #takePlan(steps: readonly PlanStep[]): void {
    for (const step of this.#listed) if (step.status === "completed") this.completed.set(keyOf(step), step);
    for (const step of steps) this.completed.delete(keyOf(step));
    this.#listed = steps;
    for (const [key] of this.completed) {
      if (this.completed.size <= listedMax) return;
      this.completed.delete(key);
      this.olderCompleted += 1;
    }
  }
}

/** A client may give an id again, to another step. */
function keyOf({ id = "", text }: PlanStep): string {
  return `${id} ${text}`;
}

function placeOf({ writtenBy, cwd, version, turn, at }: HandoffSource, { done, total }: PlanProgress): string {
  const parts = [
    `Written by ${inOneLine(writtenBy)}`,
    ...(cwd === undefined ? [] : [`in ${inOneLine(cwd)}`]),
    `up to v${version}, turn ${turn}`,
    ...(at === undefined ? [] : [inOneLine(at)]),
  ];
  return `${parts.join(", ")}.${total === 0 ? "" : ` Plan: ${done} of ${total} done.`}`;
}

function nothingOpen({ noChecklist }: HandoffSource, steps: readonly PlanStep[]): string {
  if (steps.length > 0) return "Every step is done.";
  return noChecklist === undefined ? "There is no step in the plan." : `There is ${inOneLine(noChecklist)}.`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `## ${title}\n\n${lines.join("\n").trimEnd()}`;
}

function stepText({ id, text, status, after = [] }: PlanStep): string {
  const behind = after.length === 0 ? "" : ` (after ${after.map((each) => `#${each}`).join(", ")})`;
  return `${boxes[status]} ${id === undefined ? "" : `#${id} `}${inOneLine(text)}${behind}`;
}

function refusal({ event, turn, actor }: RecordedEvent): string[] {
  if (event.type !== "action.refused") return [];
  const { tool, message } = fields(event.offered);
  const why = typeof message === "string" && message !== "" ? `: ${inOneLine(message)}` : "";
  const what = typeof tool === "string" ? inOneLine(tool) : event.action;
  return [`- ${what} (turn ${turn}, ${inOneLine(actor)})${why}\n\n${fenced(offeredText(event.offered))}\n`];
}

function textsOf({ notes, refs, entries, sections }: ScratchpadState): string[] {
  return [
    notes === "" ? "" : section("Notes", [fenced(notes)]),
    section(
      "References",
      refs.map((ref) => `- ${inOneLine(ref)}`),
    ),
    ...Object.entries(entries).map(([key, text]) => section(`Entry ${inOneLine(key)}`, [fenced(text)])),
    ...Object.entries(sections).map(([name, { text, at }]) =>
      section(inOneLine(name), [`As of ${inOneLine(at)}:`, "", fenced(text)]),
    ),
  ];
}

/** The fence is longer than any in the text. */
function fenced(text: string): string {
  const longest = text.match(/`+/g)?.reduce((most, { length }) => Math.max(most, length), 2) ?? 2;
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}
