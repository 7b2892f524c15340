/**
 * This keeps the places of the newest things by the numbers of their ids. A map would keep an object for each number that is no small integer, and a long
 * session has hundreds of thousands of them: here they stand in a table of numbers, each behind where it belongs at the nearest free place.
 */
const leastSlots = 1024;
const keptMax = 65_536;
/** At most half of the slots are taken. */
const slotsMax = keptMax * 2;

/** A key is looked at as two halves of its bits. */
const number = new Float64Array(1);
const halves = new Int32Array(number.buffer);

class Table {
  size = 0;
  #keys = new Float64Array(leastSlots);
  #places = new Float64Array(leastSlots);

  get(key: number): number | undefined {
    const slot = this.#slotOf(key);
    return this.#keys[slot] === key ? this.#places[slot] : undefined;
  }

  /** A key that is there already keeps its place. */
  add(key: number, place: number): void {
    if (this.size * 2 >= this.#keys.length) this.#grow();
    const slot = this.#slotOf(key);
    if (this.#keys[slot] === key) return;
    this.#keys[slot] = key;
    this.#places[slot] = place;
    this.size += 1;
  }

  /** The result is where the key stands, or where it is to be put. A slot with 0 is free. */
  #slotOf(key: number): number {
    const keys = this.#keys;
    const mask = keys.length - 1;
    number[0] = key;
    let slot = (Math.imul((halves[0] ?? 0) ^ (halves[1] ?? 0), 0x9e3779b1) >>> 8) & mask;
    while (keys[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [keys, places] = [this.#keys, this.#places];
    const slots = Math.min(keys.length * 8, slotsMax);
    this.#keys = new Float64Array(slots);
    this.#places = new Float64Array(slots);
    this.size = 0;
    for (let slot = 0; slot < keys.length; slot++) {
      const key = keys[slot] ?? 0;
      if (key !== 0) this.add(key, places[slot] ?? 0);
    }
  }
}

export class RecentPlaces {
  hasForgotten = false;
  #newer = new Table();
  /** What is full is kept until there are as many newer ones, and then forgotten at once. */
  #older: Table | undefined;

  has(key: number): boolean {
    return this.get(key) !== undefined;
  }

  /** No key is 0. */
  get(key: number): number | undefined {
    return this.#newer.get(key) ?? this.#older?.get(key);
  }

  /** A key that is there already keeps its place. */
  add(key: number, place: number): void {
    if (this.#older?.get(key) !== undefined) return;
    if (this.#newer.size === keptMax && this.#newer.get(key) === undefined) {
      this.hasForgotten ||= this.#older !== undefined;
      this.#older = this.#newer;
      this.#newer = new Table();
    }
    this.#newer.add(key, place);
  }
}
