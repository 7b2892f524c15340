/** These wait in their order. Those that were taken are let go once they are half of all: so each of the others is moved about once. */
export class Waiting<Item> {
  #items: Item[];
  #taken = 0;

  constructor(items: readonly Item[] = []) {
    this.#items = [...items];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  /** The items that are not wanted wait no longer. */
  keep(isWanted: (item: Item) => boolean): void {
    this.#items = this.rest().filter(isWanted);
    this.#taken = 0;
  }

  /** The result has the first ones, up to one that is not wanted. They wait no longer. */
  takeWhile(isWanted: (item: Item) => boolean): Item[] {
    let end = this.#taken;
    for (let item = this.#items[end]; item !== undefined && isWanted(item); item = this.#items[end]) end++;
    const taken = this.#items.slice(this.#taken, end);
    this.#taken = end;
    if (this.#taken * 2 > this.#items.length) {
      this.#items.splice(0, this.#taken);
      this.#taken = 0;
    }
    return taken;
  }

  /** The result has all that still wait. */
  rest(): Item[] {
    return this.#items.slice(this.#taken);
  }
}
