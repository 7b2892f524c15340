/** This does without `Math.max(…)`: a table may have more rows than arguments fit on the stack. */
export function highest<Item>(items: readonly Item[], of: (item: Item) => number, atLeast = 0): number {
  return items.reduce((max, item) => Math.max(max, of(item)), atLeast);
}
