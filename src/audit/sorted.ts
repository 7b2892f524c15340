/** The result is the place of the first of the sorted texts that does not come before `text`: there it stands, if it is one of them. */
export function placeAmong(sorted: readonly string[], text: string): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? "") < text) from = middle + 1;
    else to = middle;
  }
  return from;
}
