/** This file keeps the parts of a session that rewinds left behind, in the order of their ends. A hostile file has tens of thousands of them. */

/** Each is given by offsets: its first line is left behind, and the one behind it is not. */
export type Span = readonly [from: number, to: number];

export class LeftSpans {
  readonly #spans: readonly Span[];
  /** It says of each span where the earliest begins of that one and those behind it. */
  readonly #least: Float64Array;

  constructor(spans: readonly Span[]) {
    this.#spans = spans;
    this.#least = new Float64Array(spans.length);
    let least = Number.POSITIVE_INFINITY;
    for (let index = spans.length - 1; index >= 0; index--) {
      least = Math.min(least, spans[index]?.[0] ?? 0);
      this.#least[index] = least;
    }
  }

  /** The result says whether the line at the offset was left behind. */
  has(offset: number): boolean {
    let [low, high] = [0, this.#spans.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#spans[middle]?.[1] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return (this.#least[low] ?? Number.POSITIVE_INFINITY) <= offset;
  }

  /** The result says whether all of `found` were known, as far as it goes. */
  knows(found: readonly Span[]): boolean {
    return found.every(([from, to], index) => {
      const known = this.#spans[index];
      return known !== undefined && known[0] === from && known[1] === to;
    });
  }
}
