/** There is room for so many from the start. */
const roomMin = 4096;

/**
 * Where the entries of a session stand, by their ids: for each of a million the cost is a hash of a few operations, and 16 bytes outside of
 * the heap. Most sessions are never asked, so the table that finds an entry is made for the first question.
 */
export class EntryPlaces {
  #ones = new Uint32Array(roomMin);
  #others = new Uint32Array(roomMin);
  #offsets = new Float64Array(roomMin);
  #count = 0;
  /** Each cell has the number of an entry, counted from 1, or 0 for none. The size is a power of two, and half of the cells are free. */
  #table: Int32Array | undefined;

  add(id: string, offset: number): void {
    const item = this.#count++;
    if (item === this.#offsets.length) this.#grow();
    [this.#ones[item], this.#others[item]] = hashesOf(id);
    this.#offsets[item] = offset;
    if (this.#table === undefined) return;
    if (this.#count * 2 > this.#table.length) this.#table = undefined;
    else this.#put(item, this.#table);
  }

  /** The result is undefined if no such entry was added. */
  offsetOf(id: string): number | undefined {
    this.#table ??= this.#made();
    const number = this.#table[this.#cell(hashesOf(id), this.#table)] ?? 0;
    return number === 0 ? undefined : this.#offsets[number - 1];
  }

  #made(): Int32Array {
    const table = new Int32Array(4 * this.#offsets.length);
    for (let item = 0; item < this.#count; item++) this.#put(item, table);
    return table;
  }

  /** An id that is there already has the newer place. */
  #put(item: number, table: Int32Array): void {
    table[this.#cell([this.#ones[item] ?? 0, this.#others[item] ?? 0], table)] = item + 1;
  }

  /** The result is the cell of an entry, or the one where it is to be put. The second hash says how far to go on. */
  #cell([one, other]: readonly [one: number, other: number], table: Int32Array): number {
    const last = table.length - 1;
    let cell = one & last;
    for (let number = table[cell]; number; number = table[cell]) {
      if (this.#ones[number - 1] === one && this.#others[number - 1] === other) break;
      cell = (cell + (other | 1)) & last;
    }
    return cell;
  }

  #grow(): void {
    const [ones, others, offsets] = [this.#ones, this.#others, this.#offsets];
    const room = 2 * offsets.length;
    this.#ones = new Uint32Array(room);
    this.#others = new Uint32Array(room);
    this.#offsets = new Float64Array(room);
    this.#ones.set(ones);
    this.#others.set(others);
    this.#offsets.set(offsets);
  }
}

/** The result is two hashes (FNV-1a): in one of ten million sessions of a million entries, two of them are alike in both. */
function hashesOf(id: string): [one: number, other: number] {
  let [one, other] = [0x811c9dc5, ~0x811c9dc5];
  for (let index = 0; index < id.length; index++) {
    const unit = id.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x5bd1e995);
  }
  return [one >>> 0, other >>> 0];
}
