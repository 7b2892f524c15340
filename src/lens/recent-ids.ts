/** The newest ids: as many as are ever needed, so that memory does not grow with the file. */

const keptMax = 65_536;

export class RecentIds {
  readonly #kept = new Set<string>();
  /** They stand in a circle. Asking the set for its oldest id would step over all that were deleted before, each time. */
  readonly #ids: string[] = [];
  /** The oldest id stands there, once the circle is full. */
  #oldest = 0;

  has(id: string): boolean {
    return this.#kept.has(id);
  }

  /** An id that is there already keeps its age. */
  add(id: string): void {
    if (this.#kept.has(id)) return;
    this.#kept.add(id);
    if (this.#ids.length < keptMax) {
      this.#ids.push(id);
      return;
    }
    this.#kept.delete(this.#ids[this.#oldest] ?? "");
    this.#ids[this.#oldest] = id;
    this.#oldest = (this.#oldest + 1) % keptMax;
  }
}
