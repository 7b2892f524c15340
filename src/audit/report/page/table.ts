/** Tables of what may be much: they are shown in parts. */
import { button, element } from "./dom.ts";

const rowsMax = 100;

function heads(...names: string[]): HTMLElement {
  return element("thead", {}, element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name))));
}

/** `titleId` is that of the heading above. */
export function longTable<Item>(
  titleId: string,
  names: readonly string[],
  items: readonly Item[],
  rowOf: (item: Item) => HTMLElement,
): HTMLElement {
  const rows = element("tbody");
  const show = (from: number): void => {
    const end = from + rowsMax;
    rows.append(...items.slice(from, end).map(rowOf));
    if (items.length <= end) return;
    const label = `Show ${Math.min(rowsMax, items.length - end)} more of ${items.length}`;
    const more = element("tr", {}, element("td", { colspan: names.length }));
    more.firstElementChild?.append(
      button(label, () => {
        more.remove();
        show(end);
      }),
    );
    rows.append(more);
  };
  show(0);
  return element(
    "div",
    { class: "table", role: "region", "aria-labelledby": titleId, tabindex: 0 },
    element("table", {}, heads(...names), rows),
  );
}
