/** Where the entries of a session stand, by their ids: for each of a million the cost is a hash of a few operations, and 16 bytes. */
export class EntryPlaces {
  readonly #keys: number[] = [];
  readonly #offsets: number[] = [];
  /** Most sessions are never asked, so this is made for the first question. */
  #known: Map<number, number> | undefined;

  add(id: string, offset: number): void {
    const key = keyOf(id);
    if (this.#known !== undefined) this.#known.set(key, offset);
    else {
      this.#keys.push(key);
      this.#offsets.push(offset);
    }
  }

  /** The result is undefined if no such entry was added. */
  offsetOf(id: string): number | undefined {
    this.#known ??= new Map(this.#keys.map((key, index) => [key, this.#offsets[index] ?? 0]));
    return this.#known.get(keyOf(id));
  }
}

/** The result is 53 bits of two hashes (FNV-1a): in one of 10,000 sessions of a million entries, two of them are alike in it. */
function keyOf(id: string): number {
  let [one, other] = [0x811c9dc5, ~0x811c9dc5];
  for (let index = 0; index < id.length; index++) {
    const unit = id.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x5bd1e995);
  }
  return (one >>> 0) * 2 ** 21 + (other >>> 11);
}
