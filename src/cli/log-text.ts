/** The rows of `log` as people read them. */
import type { Limits } from "../action/limits.ts";
import { diffLines, splitLines } from "../audit/lines.ts";
import { withoutLongTexts } from "../audit/long-texts.ts";
import { describe } from "../audit/report/describe.ts";
import { unreadText } from "../audit/unread-text.ts";
import { shorten } from "../audit/width.ts";
import type { ScratchpadEvent } from "../event/event.ts";
import { type HostMarker, markerTitles } from "../event/marker.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { Step } from "./history-filter.ts";
import { isMarker, type LogRow, useAround } from "./log-rows.ts";
import { progressText } from "./progress.ts";
import { actorAndSource } from "./source.ts";
import type { Span } from "./span.ts";
import { shortTime, whoAndWhen } from "./words.ts";

export interface LogColumns {
  /** With true, a row has the use of the budget before and after. */
  readonly withUse: boolean;
  /** Names of actors are cut at this number of columns. */
  readonly actorMax: number;
}

/** The result has the cells of a row. */
export function logSpans(row: LogRow, limits: Limits, { withUse, actorMax }: LogColumns): Span[] {
  if (isMarker(row)) return markerSpans(row, withUse);
  return eventSpans(row, withUse ? [useText(row, limits)] : [], actorMax);
}

/** The spans are the version, what happened, and what is new. */
export function shortSpans(row: LogRow): Span[] {
  if (isMarker(row))
    return ["-", { text: markerTitles[row.marker], style: "bold" }, { text: row.detail, style: "dim" }];
  const { version, event } = row.recorded;
  return [{ text: `v${version}`, style: "yellow" }, describe(event).title, newsOf(row)];
}

function newsOf(step: Step): string {
  return [stepsDone(step), unreadText(step.recorded) ?? preview(step)].filter((part) => part !== "").join(" · ");
}

function eventSpans(step: Step, use: readonly Span[], actorMax: number): Span[] {
  const { actor, source, event } = step.recorded;
  const { title } = describe(event);
  return [
    ...whoAndWhen(step.recorded, actorAndSource(shorten(actor, actorMax), source)),
    event.type === "action.refused" ? { text: title, style: "red" } : title,
    ...use,
    newsOf(step),
  ];
}

function stepsDone({ before, after }: Step): string {
  return before.plan === after.plan ? "" : progressText(after.plan);
}

function markerSpans({ marker, at = "", detail }: HostMarker, withUse: boolean): Span[] {
  const title: Span = { text: markerTitles[marker], style: "bold" };
  return [
    "-",
    { text: shortTime(at), style: "dim" },
    "-",
    { text: "host", style: "cyan" },
    title,
    ...(withUse ? ["-"] : []),
    { text: detail, style: "dim" },
  ];
}

function useText(step: Step, limits: Limits): Span {
  const use = useAround(step, limits);
  return { text: use === undefined ? "-" : `${use.before} → ${use.after}/${use.limit}`, style: "dim" };
}

/** If a value was written whole, the preview is what is new in it, or, if nothing is, what went. */
function preview({ recorded, before }: Step): string {
  const { event } = withoutLongTexts(recorded);
  const text = splitLines(describe(event).text);
  const [old, now] = [linesBefore(before, event), event.type === "refs.set" ? event.refs : text];
  if (old.length === 0) return text.join(" ↵ ");
  const runs = diffLines(old, now);
  const lines = (kind: "added" | "removed") => runs.filter((run) => run.kind === kind).flatMap((run) => run.lines);
  const [added, removed] = [lines("added"), lines("removed")];
  if (added.length > 0) return `+ ${added.join(" ↵ ")}`;
  return removed.length > 0 ? `- ${removed.join(" ↵ ")}` : "unchanged";
}

/** The result has the lines that an event replaces when it writes a value whole. */
function linesBefore(before: ScratchpadState, event: ScratchpadEvent): readonly string[] {
  switch (event.type) {
    case "notes.set":
      return event.ignored ? [] : splitLines(before.notes);
    case "plan.set":
      return event.ignored ? [] : splitLines(before.plan);
    case "refs.set":
      return event.ignored ? [] : before.refs;
    case "entry.written":
      return splitLines(own(before.entries, event.key) ?? "");
    case "section.written":
      return splitLines(own(before.sections, event.name)?.text ?? "");
    default:
      return [];
  }
}
