/** What a search found is marked: in texts of ours by elements, in the scratchpad as it stands by the browser. */
import { element, excerpt, foreign } from "./dom.ts";

/** A row is narrow, and what stands before the hit must leave room for it. */
const before = 16;
const unitsMax = 110;
const rangesMax = 1000;
/** The style gives a color to this name. */
const highlightName = "hit";

/** The result is the index at which `wanted`, in lower case, stands in a text, or -1. */
function indexIn(text: string, wanted: string): number {
  const lower = text.toLowerCase();
  // Some letters have another length in lower case.
  return lower.length === text.length ? lower.indexOf(wanted) : text.indexOf(wanted);
}

/** The result is the text around its first hit, which is marked, or its beginning if there is no hit. It is on one line. */
export function snippet(text: string, wanted: string): (HTMLElement | string)[] {
  const found = wanted === "" ? -1 : indexIn(text, wanted);
  if (found === -1) return foreign(excerpt(text, unitsMax));
  const from = found <= before ? 0 : found - before;
  const end = found + wanted.length;
  const head = text.slice(from, found).replaceAll(/\s+/g, " ");
  const tail = text.slice(end, end + unitsMax).replaceAll(/\s+/g, " ");
  return [
    ...foreign(`${from === 0 ? "" : "…"}${head}`),
    element("mark", {}, ...foreign(text.slice(found, end))),
    ...foreign(`${tail}${text.length > end + unitsMax ? "…" : ""}`),
  ];
}

/** The result is the whole text, with its first hit marked. */
export function withHit(text: string, wanted: string): (HTMLElement | string)[] {
  const found = wanted === "" ? -1 : indexIn(text, wanted);
  if (found === -1) return foreign(text);
  const end = found + wanted.length;
  return [
    ...foreign(text.slice(0, found)),
    element("mark", {}, ...foreign(text.slice(found, end))),
    ...foreign(text.slice(end)),
  ];
}

/** Marks every hit in the texts of `area`, as it stands. Browsers that cannot do that show it unmarked. */
export function highlight(area: HTMLElement, wanted: string): void {
  if (typeof Highlight === "undefined") return;
  CSS.highlights.delete(highlightName);
  if (wanted === "") return;
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(area, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null && ranges.length < rangesMax) ranges.push(...rangesIn(texts.currentNode, wanted));
  CSS.highlights.set(highlightName, new Highlight(...ranges));
}

function rangesIn(node: Node, wanted: string): Range[] {
  const text = (node.textContent ?? "").toLowerCase();
  const ranges: Range[] = [];
  if (text.length !== node.textContent?.length) return ranges;
  for (let from = text.indexOf(wanted); from !== -1; from = text.indexOf(wanted, from + wanted.length)) {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, from + wanted.length);
    ranges.push(range);
  }
  return ranges;
}
