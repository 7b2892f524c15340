/** The newest things by their id: as many as are ever needed, so that memory does not grow with the file. */

const keptMax = 65_536;

export class Recent<Id extends string | number, Value> {
  hasForgotten = false;
  readonly #kept = new Map<Id, Value>();
  /** They stand in a circle. Asking the map for its oldest id would step over all that were deleted before, each time. */
  readonly #ids: Id[] = [];
  /** The oldest id stands there, once the circle is full. */
  #oldest = 0;

  has(id: Id): boolean {
    return this.#kept.has(id);
  }

  get(id: Id): Value | undefined {
    return this.#kept.get(id);
  }

  /** An id that is there already keeps its age. */
  set(id: Id, value: Value): void {
    if (!this.#kept.has(id)) this.#add(id);
    this.#kept.set(id, value);
  }

  #add(id: Id): void {
    if (this.#ids.length < keptMax) {
      this.#ids.push(id);
      return;
    }
    const oldest = this.#ids[this.#oldest];
    if (oldest !== undefined) this.#kept.delete(oldest);
    this.#ids[this.#oldest] = id;
    this.#oldest = (this.#oldest + 1) % keptMax;
    this.hasForgotten = true;
  }
}
