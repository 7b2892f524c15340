/** This file holds the lines of a text while hunks are put into it, one after the other. */

/** A text that repeats itself over and over is given up after so many comparisons. */
export const comparisonsMax = 10_000_000;

/**
 * These lines are held in two parts: those before the place of the newest change, and those behind it, the first of them last. So a change
 * moves only the lines between its place and that of the change before it.
 */
export class EditedLines {
  readonly #before: string[] = [];
  readonly #behind: string[];
  #comparisons = comparisonsMax;

  constructor(lines: readonly string[]) {
    this.#behind = lines.toReversed();
  }

  get length(): number {
    return this.#before.length + this.#behind.length;
  }

  /** With true, so much was compared and moved that what the search answers since is no answer. */
  get isGivenUp(): boolean {
    return this.#comparisons <= 0;
  }

  /** The result says whether the wanted lines stand there, one behind the other. */
  stand(wanted: readonly string[], at: number): boolean {
    let same = 0;
    while (same < wanted.length && this.#at(at + same) === wanted[same]) same++;
    this.#comparisons -= same + 1;
    return same === wanted.length;
  }

  /** This puts lines in the place of `count` others. */
  replace(at: number, count: number, put: readonly string[]): void {
    this.#comparisons -= Math.abs(at - this.#before.length);
    move(this.#before, this.#behind, this.#before.length - at);
    move(this.#behind, this.#before, at - this.#before.length);
    this.#behind.length -= Math.min(count, this.#behind.length);
    for (const line of put) this.#before.push(line);
  }

  /** The result has the lines as they stand now. */
  all(): string[] {
    return [...this.#before, ...this.#behind.toReversed()];
  }

  #at(index: number): string | undefined {
    const place = index - this.#before.length;
    return place < 0 ? this.#before[index] : this.#behind[this.#behind.length - 1 - place];
  }
}

/** A negative count moves nothing. */
function move(from: string[], to: string[], count: number): void {
  if (count <= 0) return;
  for (const line of from.splice(-count).reverse()) to.push(line);
}
