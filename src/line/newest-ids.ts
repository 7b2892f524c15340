/** The newest texts that were met: at least as many as are wanted, at most twice as many. */

export class NewestIds {
  readonly #wanted: number;
  /** The oldest id comes first. This is a list, for each is met once and asked for seldom: then it is mostly among the last. */
  #ids: string[] = [];

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  has(id: string): boolean {
    return this.#ids.lastIndexOf(id) !== -1;
  }

  add(id: string): void {
    this.#ids.push(id);
    if (this.#ids.length > 2 * this.#wanted) this.#ids = this.newest(this.#wanted);
  }

  clear(): void {
    if (this.#ids.length > 0) this.#ids = [];
  }

  /** The result has the newest `count` of them, oldest first. */
  newest(count: number): string[] {
    return this.#ids.slice(-count);
  }
}
