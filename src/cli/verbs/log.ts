import type { Space } from "../../action/actions.ts";
import { spaces } from "../../action/budget.ts";
import { diffStates } from "../../audit/diff.ts";
import { diffLines, splitLines } from "../../audit/lines.ts";
import { describe } from "../../audit/report/describe.ts";
import type { RecordedEvent } from "../../event/event.ts";
import type { ScratchpadState } from "../../state/state.ts";
import { type HistoryFilter, type Step, selected } from "../history-filter.ts";
import type { Options } from "../options.ts";
import type { Output, Span } from "../output.ts";
import { printUnified } from "../unified.ts";
import type { Verb } from "../verb.ts";
import { shorten } from "../width.ts";
import { shortTime } from "../words.ts";

export const log: Verb = {
  about: "the history, a line per event",
  options: {
    diffs: { short: "p", about: "with what each event changed" },
    space: { value: "SPACE", choices: spaces, about: "events about one space" },
    actor: { value: "NAME", about: "events of one actor" },
    turn: { value: "K", about: "events of one turn" },
    type: { value: "TYPE", about: "events of one type, such as notes.set" },
    grep: { value: "TEXT", about: "events that say TEXT" },
    pickaxe: { short: "S", value: "TEXT", about: "events that introduced or removed TEXT" },
  },
  notes: ["Oldest first. Several filters select what passes all of them."],
  example: 'session-journal log session.jsonl -p -S "root cause"',
  async run({ options, output, open }) {
    const journal = await open("read");
    const steps = await selected(journal.history(), filterOf(options));
    const withDiffs = options.flag("diffs");
    if (options.flag("json")) for (const step of steps) output.json(withDiffs ? withDiff(step) : step.recorded);
    else if (withDiffs) for (const step of steps) printWithDiff(step, output);
    else if (steps.length > 0) output.table(steps.map(row));
    return 0;
  },
};

function filterOf(options: Options): HistoryFilter {
  const text = { space: options.text("space"), actor: options.text("actor"), type: options.text("type") };
  const turn = options.count("turn", "t");
  return { ...text, turn, grep: options.text("grep"), pickaxe: options.text("pickaxe") };
}

function row(step: Step): Span[] {
  const { version, at, turn, actor, event } = step.recorded;
  const { title } = describe(event);
  return [
    { text: `v${version}`, style: "yellow" },
    { text: shortTime(at), style: "dim" },
    `t${turn}`,
    { text: shorten(actor, 20), style: "cyan" },
    event.type === "action.refused" ? { text: title, style: "red" } : title,
    { text: preview(step), style: "dim" },
  ];
}

/** Of a value that was written whole, what is new in it. */
function preview({ recorded: { event }, before }: Step): string {
  const { text, space } = describe(event);
  const isWhole = event.type === "notes.set" || event.type === "plan.set" || event.type === "refs.set";
  const [old, now] = [linesOf(before, space), event.type === "refs.set" ? event.refs : splitLines(text)];
  if (!isWhole || event.ignored || old.length === 0 || now.length === 0) return splitLines(text).join(" ↵ ");
  const runs = diffLines(old, now);
  const lines = (kind: "added" | "removed") => runs.filter((run) => run.kind === kind).flatMap((run) => run.lines);
  const [added, removed] = [lines("added"), lines("removed")];
  if (added.length > 0) return `+ ${added.join(" ↵ ")}`;
  return removed.length > 0 ? `- ${removed.join(" ↵ ")}` : "unchanged";
}

function linesOf({ notes, plan, refs }: ScratchpadState, space: Space | undefined): readonly string[] {
  return space === "refs" ? refs : splitLines(space === "plan" ? plan : notes);
}

function withDiff({ recorded, before, after }: Step) {
  return { ...recorded, ...diffStates(before, after, namesOf(recorded)) };
}

function printWithDiff(step: Step, output: Output): void {
  const { recorded, before, after } = step;
  output.table([row(step)]);
  const { text } = diffStates(before, after, namesOf(recorded));
  if (text !== "") printUnified(text, output);
  output.line();
}

function namesOf({ version }: RecordedEvent) {
  return { before: `v${version - 1}`, after: `v${version}` };
}
