/** A text at a version, line by line: who wrote each, and what came and went. */
import type { RecordedEvent } from "../../../event/event.ts";
import type { AuthoredLines } from "../../blame.ts";
import { diffLines, diffWords, type WordRun } from "../../lines.ts";
import { authored, authorText } from "./blame-card.ts";
import { button, element, foreign, unseen } from "./dom.ts";

interface Row {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
  readonly author: RecordedEvent | undefined;
  words?: readonly WordRun[];
}

export interface LinesView {
  readonly list: HTMLElement;
  readonly added: number;
  readonly removed: number;
}

/** Unchanged lines further than this from a change are folded away in a long text. */
const contextMax = 8;
const longMin = 60;
/** So many pairs of lines are compared at most, and so alike they are at least to be shown as one that changed. */
const comparedMax = 400;
const alikeMin = 0.5;

export function linesView(
  before: AuthoredLines,
  after: AuthoredLines,
  goTo: (author: RecordedEvent) => void,
): LinesView {
  const rows = rowsOf(before, after);
  markWords(rows);
  const list = element("ol", { class: "lines" });
  for (const [start, end, folded] of rows.length < longMin ? [[0, rows.length, false] as const] : folds(rows)) {
    const part = rows.slice(start, end);
    const shown = (): HTMLElement[] => part.map((row) => lineElement(row, goTo));
    if (folded) list.append(foldElement(part, shown));
    else list.append(...shown());
  }
  walkable(list);
  const count = (kind: Row["kind"]): number => rows.filter((row) => row.kind === kind).length;
  return { list, added: count("added"), removed: count("removed") };
}

function rowsOf(before: AuthoredLines, after: AuthoredLines): Row[] {
  let oldAt = 0;
  let newAt = 0;
  const rows: Row[] = [];
  for (const { kind, lines } of diffLines(before.lines, after.lines)) {
    for (const text of lines) {
      const author = kind === "removed" ? before.authors[oldAt] : after.authors[newAt];
      if (kind !== "added") oldAt += 1;
      if (kind !== "removed") newAt += 1;
      rows.push({ kind, text, author });
    }
  }
  return rows;
}

/** Lines that went and those that came in their place are compared word by word. */
function markWords(rows: readonly Row[]): void {
  for (let start = 0; start < rows.length; ) {
    const removed = runLength(rows, start, "removed");
    const added = runLength(rows, start + removed, "added");
    const [out, come] = [rows.slice(start, start + removed), rows.slice(start + removed, start + removed + added)];
    if (removed === added) for (const [index, row] of out.entries()) markPair(row, come[index]);
    else if (removed * added <= comparedMax) markAlike(out, come);
    start += Math.max(removed + added, 1);
  }
}

function markPair(out: Row, come: Row | undefined): void {
  if (come === undefined) return;
  const words = diffWords(out.text, come.text);
  out.words = words.before;
  come.words = words.after;
}

/** Where more came than went, or fewer: each line with the next one that has most of its words. */
function markAlike(out: readonly Row[], come: readonly Row[]): void {
  let from = 0;
  for (const row of out) {
    const alike = come.slice(from).findIndex((other) => likeness(row.text, other.text) >= alikeMin);
    if (alike === -1) continue;
    markPair(row, come[from + alike]);
    from += alike + 1;
  }
}

/** The result is the share of the longer of two lines that stands in both, from 0 to 1. */
function likeness(one: string, other: string): number {
  const kept = diffWords(one, other).before.reduce((sum, run) => sum + (run.changed ? 0 : run.text.trim().length), 0);
  return kept / Math.max(one.length, other.length, 1);
}

function runLength(rows: readonly Row[], from: number, kind: Row["kind"]): number {
  let end = from;
  while (rows[end]?.kind === kind) end++;
  return end - from;
}

function folds(rows: readonly Row[]): (readonly [number, number, boolean])[] {
  const parts: (readonly [number, number, boolean])[] = [];
  for (let start = 0; start < rows.length; ) {
    const same = runLength(rows, start, "same");
    const length = Math.max(same, 1);
    const head = start === 0 ? longMin / 2 : contextMax;
    if (same > head + contextMax + 1) {
      parts.push([start, start + head, false]);
      parts.push([start + head, start + same - contextMax, true]);
      parts.push([start + same - contextMax, start + same, false]);
    } else parts.push([start, start + length, false]);
    start += length;
  }
  return parts;
}

function foldElement(rows: readonly Row[], shown: () => HTMLElement[]): HTMLElement {
  const folded = element("li", { class: "folded" });
  const open = (): void => folded.replaceWith(...shown());
  folded.append(button(`Show ${rows.length} unchanged lines`, open));
  foldsOf.set(folded, {
    text: rows
      .map(({ text }) => text)
      .join("\n")
      .toLowerCase(),
    open,
  });
  return folded;
}

interface Fold {
  /** The text is in lower case. */
  readonly text: string;
  readonly open: () => void;
}

const foldsOf = new WeakMap<Element, Fold>();

/** Shows the folded lines in `area` that have `wanted`, which is in lower case; "" is in all. */
export function unfold(area: HTMLElement, wanted: string): void {
  for (const folded of area.querySelectorAll(".folded")) {
    const fold = foldsOf.get(folded);
    if (fold?.text.includes(wanted) === true) fold.open();
  }
}

function lineElement({ kind, text, author, words }: Row, goTo: (author: RecordedEvent) => void): HTMLLIElement {
  const tag = kind === "added" ? "ins" : kind === "removed" ? "del" : "span";
  const content =
    words?.map((word) =>
      word.changed ? element("mark", {}, ...foreign(word.text)) : element("span", {}, ...foreign(word.text)),
    ) ?? foreign(text);
  const line = element(
    "li",
    { class: `line ${kind}` },
    author === undefined ? undefined : authorButton(author, goTo),
    element("span", { class: "sign", "aria-hidden": "true" }, kind === "added" ? "+" : kind === "removed" ? "-" : " "),
    kind === "same" ? undefined : unseen(`${kind}: `),
    element(tag, { class: "text", dir: "auto" }, ...content),
  );
  return author === undefined ? line : authored(line, author);
}

function authorButton(author: RecordedEvent, goTo: (author: RecordedEvent) => void): HTMLElement {
  return button(`v${author.version}`, () => goTo(author), {
    class: "author",
    tabindex: -1,
    "aria-label": `v${author.version}, ${authorText(author)}; go there`,
  });
}

/** One stop for the tab key; up and down go from line to line. */
function walkable(list: HTMLElement): void {
  list.querySelector(".author")?.setAttribute("tabindex", "0");
  list.addEventListener("keydown", (pressed) => {
    const step = pressed.key === "ArrowDown" ? 1 : pressed.key === "ArrowUp" ? -1 : 0;
    const stops = [...list.querySelectorAll<HTMLElement>(".author")];
    const from = stops.indexOf(document.activeElement as HTMLElement);
    const next = stops[from + step];
    if (step === 0 || from === -1 || next === undefined) return;
    stops[from]?.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
    pressed.preventDefault();
  });
}
