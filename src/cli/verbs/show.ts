import type { Space } from "../../action/actions.ts";
import { useOf } from "../../action/budget.ts";
import { type Limits, limitsWhen, parseLimits } from "../../action/limits.ts";
import { spaces } from "../../action/measures.ts";
import { byteCount } from "../../action/text.ts";
import { planProgress } from "../../audit/steps.ts";
import { withoutPassword } from "../../errors.ts";
import type { ForeignSession } from "../../event/foreign.ts";
import type { Moment } from "../../journal/moment.ts";
import type { Journal } from "../../journal/public.ts";
import { own } from "../../state/own.ts";
import type { ScratchpadState } from "../../state/state.ts";
import { pointOf } from "../moments.ts";
import type { Output } from "../output.ts";
import { progressOf, progressText } from "../progress.ts";
import { limitsOf } from "../session.ts";
import type { Span } from "../span.ts";
import type { Verb } from "../verb.ts";
import { shortTime } from "../words.ts";

export const show: Verb = {
  about: "show the state, and how much of each budget is used",
  endsByItself: true,
  takesNewest: true,
  options: { at: { value: "POINT", about: "the state at this point (default: head)" } },
  example: "session-journal show session.jsonl --at t4",
  async run({ where, options, output, open }) {
    const journal = await open("read");
    const moment = await journal.at(pointOf(options.text("at") ?? "head"));
    const foreign = await journal.foreign();
    const progress = progressOf(moment.state.plan);
    const shown = withoutPassword(where);
    if (options.flag("json"))
      output.json({ ...moment, ...progress, ...(foreign === undefined ? {} : noChecklistOf(foreign)) });
    else if (foreign !== undefined) printForeign(shown, moment, foreign, await emptyText(journal, moment), output);
    else printMoment(shown, moment, budgetsOf(moment, limitsOf(options)), output);
    return 0;
  },
};

/** The result has the budgets that were asked for, else those in force then. */
function budgetsOf(moment: Moment, asked: unknown): Limits {
  return asked === undefined ? limitsWhen(moment) : parseLimits(asked);
}

function printMoment(where: string, { version, turn, at, state }: Moment, limits: Limits, output: Output): void {
  const progress = progressText(state.plan);
  const place = [`v${version}`, `turn ${turn}`, ...(at === undefined ? [] : [shortTime(at)])];
  output.line({ text: where, style: "bold" }, "  ", [...place, ...(progress === "" ? [] : [progress])].join(" · "));
  let wasEmpty = false;
  for (const space of spaces) {
    const { used, limit } = useOf(space, state, limits);
    if (used > 0 || !wasEmpty) output.line();
    output.line(...heading(space, used, limit));
    printSpace(space, state, output);
    wasEmpty = used === 0;
  }
}

function noChecklistOf({ noChecklist }: ForeignSession): { readonly noChecklist?: string } {
  return noChecklist === undefined ? {} : { noChecklist };
}

/** Clients put a list away when all of it is done: the result says so of a plan that is empty. */
async function emptyText(journal: Pick<Journal, "history">, { version, state }: Moment): Promise<string> {
  let last = "";
  if (state.plan === "")
    for await (const { event } of journal.history({ to: version }))
      if (event.type === "plan.set" && event.text !== "") last = event.text;
  const { done, total } = planProgress(last);
  return total > 0 && done === total ? `empty: the list was put away with ${progressText(last)}` : "empty";
}

/** The session is another client's: nothing in it is under a budget of ours. */
function printForeign(
  where: string,
  { version, turn, at, state }: Moment,
  foreign: ForeignSession,
  empty: string,
  output: Output,
): void {
  const client = `${foreign.title} ${foreign.versions.at(-1) ?? ""}`.trim();
  const place = [client, `v${version}`, `turn ${turn}`, ...(at === undefined ? [] : [shortTime(at)])].join(" · ");
  output.line({ text: where, style: "bold" }, "  ", place);
  output.line();
  const progress = progressText(state.plan);
  output.line({ text: "plan", style: "bold" }, { text: progress === "" ? "" : `  ${progress}`, style: "dim" });
  if (state.plan !== "") output.text(state.plan, "  ");
  else output.line({ text: `  ${foreign.noChecklist ?? empty}`, style: "dim" });
  const { notes, refs, entries } = state;
  const sizes = { notes: notes.length, refs: refs.length, entries: Object.keys(entries).length };
  for (const space of ["notes", "refs", "entries"] as const) {
    if (sizes[space] === 0) continue;
    output.line();
    output.line({ text: space, style: "bold" });
    printSpace(space, state, output);
  }
  for (const [name, { text, at: written }] of Object.entries(state.sections)) {
    output.line();
    output.line({ text: name, style: "bold" }, { text: `  ${shortTime(written)}`, style: "dim" });
    output.text(text, "  ");
  }
}

const units: { readonly [Name in Space]: string } = {
  notes: "chars",
  plan: "chars",
  refs: "items",
  entries: "bytes",
  sections: "sections",
};

function heading(space: Space, used: number, limit: number): Span[] {
  const use = `${used}/${limit} ${units[space]}`;
  const name: Span = { text: space.padEnd(10), style: "bold" };
  return used > limit ? [name, { text: `${use}, over budget`, style: "yellow" }] : [name, { text: use, style: "dim" }];
}

function printSpace(space: Space, state: ScratchpadState, output: Output): void {
  switch (space) {
    case "notes":
    case "plan":
      if (state[space] !== "") output.text(state[space], "  ");
      return;
    case "refs":
      state.refs.forEach((ref, index) => {
        output.line({ text: `  ${String(index + 1).padStart(2)}  `, style: "dim" }, ref);
      });
      return;
    case "entries":
      printEntries(state, output);
      return;
    case "sections":
      for (const [name, { text, at, ttlMinutes }] of Object.entries(state.sections)) {
        const ends = ttlMinutes === undefined ? "" : `, for ${ttlMinutes} minutes`;
        output.line({ text: `  ${name}`, style: "cyan" }, { text: `  ${shortTime(at)}${ends}`, style: "dim" });
        output.text(text, "    ");
      }
  }
}

function printEntries({ entries, leases }: ScratchpadState, output: Output): void {
  for (const key of Object.keys({ ...entries, ...leases }).sort()) {
    const text = own(entries, key);
    const lease = own(leases, key);
    const size = text === undefined ? "  not written" : `  ${byteCount(text)} bytes`;
    const held = lease === undefined ? "" : `, held by ${lease.holder} until ${shortTime(lease.until)}`;
    output.line({ text: `  ${key}`, style: "cyan" }, { text: `${size}${held}`, style: "dim" });
    if (text !== undefined) output.text(text, "    ");
  }
}
