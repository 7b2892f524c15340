/**
 * Entry ids that were met before. Those of hosts are eight hexadecimal digits, as a rule, and are kept as the numbers that they are, outside
 * of the heap: nothing is hashed, and none is taken for another. All others are kept as in `IdSet`.
 */
import { IdSet, plainIdsOfCheck } from "./id-set.ts";

const digits = 8;
const slotsMin = 8192;

/** Whoever chooses ids that fall on one place gains nothing: the rest of them are kept with the others. */
const probesMax = 64;

export class EntryIdSet {
  readonly #others = new IdSet("", plainIdsOfCheck);
  /** An open hash table of numbers, in which 0 is none. The size is a power of two. */
  #table = new Uint32Array(slotsMin);
  #count = 0;
  /** Numbers are among the others. */
  #isCrowded = false;

  has(id: string): boolean {
    const number = numberOf(id);
    if (number === 0) return this.#others.has(id);
    return this.#table[this.#slot(number)] === number || (this.#isCrowded && this.#others.has(id));
  }

  /** The result is true if the id is new. */
  add(id: string): boolean {
    const number = numberOf(id);
    if (number === 0) return this.#others.add(id);
    return !(this.#isCrowded && this.#others.has(id)) && this.#put(number);
  }

  #put(number: number): boolean {
    if ((this.#count + 1) * 2 > this.#table.length) this.#grow();
    const slot = this.#slot(number);
    if (slot === -1) {
      this.#isCrowded = true;
      return this.#others.add(number.toString(16).padStart(digits, "0"));
    }
    if (this.#table[slot] !== 0) return false;
    this.#table[slot] = number;
    this.#count += 1;
    return true;
  }

  /** Where the number stands, or would stand; -1 where too many others stand. */
  #slot(number: number): number {
    const last = this.#table.length - 1;
    const first = Math.imul(number, 0x9e3779b1) >>> 8;
    for (let probe = 0; probe < probesMax; probe++) {
      const slot = (first + probe) & last;
      if (this.#table[slot] === 0 || this.#table[slot] === number) return slot;
    }
    return -1;
  }

  #grow(): void {
    const before = this.#table;
    this.#table = new Uint32Array(before.length * 2);
    this.#count = 0;
    for (const number of before) if (number !== 0) this.#put(number);
  }
}

/** The result is 0 if the id is not the number of eight lower-case digits. */
function numberOf(id: string): number {
  if (id.length !== digits) return 0;
  let number = 0;
  for (let at = 0; at < digits; at++) {
    const unit = id.charCodeAt(at);
    const digit = unit < 0x3a ? unit - 0x30 : unit - 0x57;
    if (digit < 0 || digit > 15 || (unit >= 0x3a && digit < 10)) return 0;
    number = number * 16 + digit;
  }
  return number;
}
