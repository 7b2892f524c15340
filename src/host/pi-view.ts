/** What the user of pi's terminal sees of the scratchpad: calls and their results, the status line, the whole of it. */
import type { Limits } from "../action/limits.ts";
import { byteCount } from "../action/text.ts";
import { planProgress } from "../audit/steps.ts";
import { visible } from "../audit/visible.ts";
import { widthAtMost, wrap } from "../audit/width.ts";
import { type Face, isEmpty, renderBlock } from "../prompt/block.ts";
import type { ScratchpadConfig } from "../prompt/config.ts";
import type { ScratchpadState } from "../state/state.ts";
import { fieldsOf } from "../tool/tool.ts";
import type { PiColor, PiComponent, PiTheme } from "./pi-api.ts";

interface Colored {
  readonly text: string;
  readonly color: PiColor;
  readonly isBold?: boolean;
}

/** A line is cut at the width, or goes on in the next one where `isWhole`. */
interface DrawnLine {
  readonly spans: readonly Colored[];
  readonly isWhole?: boolean;
}

/** Text comes from models: nothing of it steers the terminal. */
function drawn(lines: readonly DrawnLine[], theme: PiTheme): PiComponent {
  return {
    render: (width) => lines.flatMap((line) => renderLine(line, width, theme)),
    invalidate: () => undefined,
  };
}

function renderLine({ spans, isWhole = false }: DrawnLine, width: number, theme: PiTheme): string[] {
  const columns = Math.max(1, width);
  const [first] = spans;
  if (isWhole && first !== undefined)
    return wrap(visible(first.text), columns).map((piece) => painted({ ...first, text: piece }, theme));
  let left = columns;
  let line = "";
  for (const span of spans) {
    const text = left > 0 ? beginning(visible(span.text), left) : "";
    line += painted({ ...span, text }, theme);
    left -= widthAtMost(text);
  }
  return [line];
}

function beginning(text: string, columns: number): string {
  const [whole = "", ...more] = wrap(text, columns);
  return more.length === 0 ? whole : `${wrap(text, columns - 1)[0]}…`;
}

function painted({ text, color, isBold = false }: Colored, theme: PiTheme): string {
  if (text === "") return "";
  return theme.fg(color, isBold ? theme.bold(text) : text);
}

/** A call is drawn as `session_scratchpad set_plan 1. Find the cause …`. */
export function drawnCall(toolName: string, input: unknown, theme: PiTheme): PiComponent {
  const fields = fieldsOf(input);
  const words = ["action", "mode", "operation", "key", "ref"].map((name) => fields[name]);
  const named = words.filter((word) => typeof word === "string");
  const preview = contentOf(input).trimStart().split("\n", 1)[0] ?? "";
  return drawn(
    [
      {
        spans: [
          { text: toolName, color: "toolTitle", isBold: true },
          { text: named.map((word) => ` ${word}`).join(""), color: "accent" },
          { text: preview === "" ? "" : ` ${preview}`, color: "dim" },
        ],
      },
    ],
    theme,
  );
}

/** The result shows the answer's first line. Expanded, it shows the whole answer, and what was written. */
export function drawnResult(
  answer: string,
  { input, isError, isExpanded }: { readonly input: unknown; readonly isError: boolean; readonly isExpanded: boolean },
  theme: PiTheme,
): PiComponent {
  const [first = "", ...rest] = answer.split("\n");
  const mark: Colored = isError ? { text: "✗ ", color: "error" } : { text: "✓ ", color: "success" };
  const head: DrawnLine = { spans: [mark, { text: first, color: isError ? "error" : "muted" }] };
  const progress = progressOf(fieldsOf(input)["action"] === "set_plan" && !isError ? contentOf(input) : "");
  const under = progress === "" ? [] : [{ spans: [{ text: `  ${progress}`, color: "dim" as const }] }];
  const hidden = rest.length === 0 ? [] : [`  … ${rest.length} more ${rest.length === 1 ? "line" : "lines"}`];
  const written = contentOf(input);
  const body = isExpanded ? [...rest, ...(written === "" ? [] : written.split("\n"))] : hidden;
  const color: PiColor = isExpanded ? "toolOutput" : "dim";
  return drawn([head, ...under, ...body.map((text) => ({ spans: [{ text, color }], isWhole: isExpanded }))], theme);
}

function contentOf(input: unknown): string {
  const { content, items, find, replace } = fieldsOf(input);
  if (typeof content === "string") return content;
  if (Array.isArray(items)) return items.filter((item) => typeof item === "string").join("\n");
  return typeof find === "string" ? `${find} → ${typeof replace === "string" ? replace : ""}` : "";
}

/** One line with budgets and progress; undefined where nothing is written. */
export function statusOf(
  state: ScratchpadState,
  { face, limits }: Pick<ScratchpadConfig, "face" | "limits">,
  theme: PiTheme,
): string | undefined {
  const parts = statusParts(state, face, limits);
  if (parts.length === 0) return undefined;
  const texts = parts.map(({ text, isNearlyFull }) => theme.fg(isNearlyFull ? "warning" : "dim", text));
  return `${theme.fg("accent", face === "scratchpad" || face === "single-key" ? "scratchpad" : face)} ${texts.join(theme.fg("dim", " · "))}`;
}

interface StatusPart {
  readonly text: string;
  readonly isNearlyFull: boolean;
}

function statusParts(state: ScratchpadState, face: Face, limits: Limits): readonly StatusPart[] {
  const { notes, plan, refs, entries } = state;
  switch (face) {
    case "scratchpad": {
      const parts = [
        { name: "plan", used: plan.length, limit: limits.plan, more: stepsOf(plan) },
        { name: "notes", used: notes.length, limit: limits.notes, more: "" },
        { name: "refs", used: refs.length, limit: limits.refs, more: "" },
      ];
      return parts.filter(({ used }) => used > 0).map(budgetPart);
    }
    case "single-key":
    case "notepad":
      return notes === ""
        ? []
        : [{ text: [`${notes.length} chars`, stepsOf(notes)].filter(Boolean).join(", "), isNearlyFull: false }];
    case "pad": {
      const texts = Object.values(entries);
      const used = texts.reduce((sum, text) => sum + byteCount(text), 0);
      const name = texts.length === 1 ? "1 entry," : `${texts.length} entries,`;
      return texts.length === 0 ? [] : [budgetPart({ name, used, limit: limits.entriesTotal, more: "" })];
    }
  }
}

function budgetPart(part: {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  readonly more: string;
}) {
  const { name, used, limit, more } = part;
  const text = [`${name} ${used}/${limit}`, more].filter((one) => one !== "").join(", ");
  return { text, isNearlyFull: used >= limit * nearlyFull };
}

const nearlyFull = 0.9;

/** The result is a text such as `2 of 5 steps done`. It is "" if there are no steps. */
function stepsOf(text: string): string {
  const { done, total } = planProgress(text);
  return total === 0 ? "" : `${done} of ${total} steps done`;
}

function progressOf(plan: string): string {
  const { current } = planProgress(plan);
  return [stepsOf(plan), current === undefined ? "" : `now: ${current}`].filter((one) => one !== "").join(", ");
}

/** This is the text for the command `/scratchpad`. */
export function wholeScratchpad(
  { version, turn, state }: { readonly version: number; readonly turn: number; readonly state: ScratchpadState },
  face: Face,
): string {
  const place = `Version ${version}, turn ${turn}.`;
  const steps = progressOf(state.plan);
  const text = face === "pad" ? entriesText(state) : isEmpty(state) ? "" : renderBlock(state, face);
  if (text === "") return `The scratchpad is empty. ${place}`;
  const shown = text.split("\n").map(visible).join("\n");
  return `${shown}\n\n${steps === "" ? place : `${place} Plan: ${visible(steps)}.`}`;
}

function entriesText({ entries }: ScratchpadState): string {
  return Object.entries(entries)
    .map(([key, text]) => `${key}: ${text}`)
    .join("\n");
}
