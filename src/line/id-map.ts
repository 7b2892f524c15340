/** Numbers under texts: a few texts are kept as they are, many as 72 bits of their SHA-256, outside of the heap. */
import { plainIds } from "./id-set.ts";
import { ShortIds } from "./short-ids.ts";

/** There is room for so many from the start. */
const valuesMin = 8192;

export class IdMap {
  #plain: Map<string, number> | undefined = new Map();
  readonly #plainMax: number;
  readonly #short = new ShortIds();
  /** The values are indexed by the number of the text. */
  #values = new Float64Array(0);

  constructor(plainMax = plainIds) {
    this.#plainMax = plainMax;
  }

  has(text: string): boolean {
    return this.#plain?.has(text) ?? this.#short.find(text) !== 0;
  }

  get(text: string): number | undefined {
    if (this.#plain !== undefined) return this.#plain.get(text);
    const item = this.#short.find(text);
    return item === 0 ? undefined : this.#values[item];
  }

  set(text: string, value: number): void {
    if (this.#plain !== undefined) {
      this.#plain.set(text, value);
      if (this.#plain.size > this.#plainMax) this.#shorten(this.#plain);
    } else this.#setShort(text, value);
  }

  #shorten(plain: ReadonlyMap<string, number>): void {
    this.#plain = undefined;
    for (const [text, value] of plain) this.#setShort(text, value);
  }

  #setShort(text: string, value: number): void {
    const item = this.#short.add(text);
    if (item >= this.#values.length) {
      const values = new Float64Array(Math.max(valuesMin, item * 2));
      values.set(this.#values);
      this.#values = values;
    }
    this.#values[item] = value;
  }
}
