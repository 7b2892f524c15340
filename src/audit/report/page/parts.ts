/** Lists of what may be much are shown in parts. */
import { button } from "./dom.ts";

/**
 * This appends the first `partMax` items to `list`, and a row with a button for the next ones. `rowOf` makes the row around that button.
 */
export function appendInParts<Item>(
  list: HTMLElement,
  items: readonly Item[],
  partMax: number,
  itemOf: (item: Item) => HTMLElement,
  rowOf: (more: HTMLElement) => HTMLElement,
): void {
  const show = (from: number): void => {
    const end = from + partMax;
    list.append(...items.slice(from, end).map(itemOf));
    if (items.length <= end) return;
    const label = `Show ${Math.min(partMax, items.length - end)} more of ${items.length.toLocaleString("en")}`;
    const row = rowOf(
      button(label, () => {
        row.remove();
        show(end);
      }),
    );
    list.append(row);
  };
  show(0);
}
