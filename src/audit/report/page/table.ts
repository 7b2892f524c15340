/** This file makes tables that may be long. */
import { element } from "./dom.ts";
import { appendInParts } from "./parts.ts";

const rowsMax = 100;

function heads(...names: string[]): HTMLElement {
  return element("thead", {}, element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name))));
}

/** `label` names it to those who hear the page. */
export function longTable<Item>(
  label: string,
  names: readonly string[],
  items: readonly Item[],
  rowOf: (item: Item) => HTMLElement,
): HTMLElement {
  const rows = element("tbody");
  const moreRow = (more: HTMLElement): HTMLElement => element("tr", {}, element("td", { colspan: names.length }, more));
  appendInParts(rows, items, rowsMax, rowOf, moreRow);
  return element(
    "div",
    { class: "table", role: "region", "aria-label": label, tabindex: 0 },
    element("table", {}, heads(...names), rows),
  );
}
