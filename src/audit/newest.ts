/** The newest of many: a page that somebody reads, and the memory that it takes, do not grow with the history. */
export class Newest<Item> {
  /** So many older items were left out. */
  leftOut = 0;
  readonly #held: { readonly item: Item; readonly units: number }[] = [];
  readonly #itemsMax: number;
  readonly #unitsMax: number;
  #first = 0;
  #units = 0;

  /** Holds up to `itemsMax`, and of texts up to `unitsMax` UTF-16 code units together; always the newest one. */
  constructor(itemsMax: number, unitsMax: number) {
    this.#itemsMax = itemsMax;
    this.#unitsMax = unitsMax;
  }

  /** The items come with the oldest first. */
  get items(): Item[] {
    return this.from(0);
  }

  /** The result has the items behind the first `count` of them. */
  from(count: number): Item[] {
    return this.#held.slice(this.#first + count).map(({ item }) => item);
  }

  /** `units` is the length of the texts in the item. The result has what had to go, the oldest first. */
  add(item: Item, units: number): Item[] {
    this.#held.push({ item, units });
    this.#units += units;
    const gone: Item[] = [];
    while (this.#isFull()) {
      const oldest = this.#held[this.#first++];
      if (oldest === undefined) break;
      this.#units -= oldest.units;
      gone.push(oldest.item);
    }
    this.leftOut += gone.length;
    this.#compact();
    return gone;
  }

  #isFull(): boolean {
    const count = this.#held.length - this.#first;
    return count > 1 && (count > this.#itemsMax || this.#units > this.#unitsMax);
  }

  /** Taking one off the front of a long array each time would move all of it. */
  #compact(): void {
    if (this.#first < 64 || this.#first * 2 < this.#held.length) return;
    this.#held.splice(0, this.#first);
    this.#first = 0;
  }
}
