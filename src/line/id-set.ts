/**
 * Texts that were met before: a few as they are, many as 72 bits of their SHA-256, outside of the heap. A session of a
 * million commits is then read in a process of 128 MB, and printing what was met takes a moment. What comes from a snapshot
 * stays printed until somebody asks for it: a resume that meets no new commit never does.
 */
import { ShortIds } from "./short-ids.ts";

/** So many are kept as they are: most sessions never have more. More could not be printed in a moment. */
export const plainIds = 4096;

/** So many are kept as they are by a check, which prints none: for each of them it would take as long as a hash. */
export const plainIdsOfCheck = 32_768;

/** So many are looked through one by one: sets that hold a handful are made by the thousand. */
const handful = 4;

export class IdSet {
  #printed: string;
  readonly #plainMax: number;
  /** All of them, as long as they are few and none came printed. Made for the first: most sets of a short session stay empty. */
  #plain: Set<string> | string[] | undefined;
  /** All of them are here otherwise; of few texts those that were printed. */
  #short: ShortIds | undefined;

  constructor(printed = "", plainMax = plainIds) {
    this.#printed = printed;
    this.#plainMax = plainMax;
  }

  has(text: string): boolean {
    const plain = this.#plain;
    if (plain !== undefined) return Array.isArray(plain) ? plain.includes(text) : plain.has(text);
    if (this.#isPlain) return false;
    return this.#shortened().find(text) !== 0;
  }

  /** The result is true if the text is new. */
  add(text: string): boolean {
    if (!this.#isPlain) {
      const short = this.#shortened();
      const { count } = short;
      return short.add(text) > count;
    }
    this.#plain ??= [];
    if (Array.isArray(this.#plain)) {
      if (this.#plain.includes(text)) return false;
      if (this.#plain.push(text) > handful) this.#plain = new Set(this.#plain);
      return true;
    }
    const { size } = this.#plain;
    const isNew = this.#plain.add(text).size > size;
    if (size < this.#plainMax || !isNew) return isNew;
    this.#shortened();
    this.#plain = undefined;
    return true;
  }

  /** One text for all, that the constructor takes: 12 characters each. */
  print(): string {
    return this.#plain === undefined && this.#short === undefined ? this.#printed : this.#shortened().print();
  }

  get #isPlain(): boolean {
    return this.#plain !== undefined || (this.#short === undefined && this.#printed === "");
  }

  #shortened(): ShortIds {
    this.#short ??= new ShortIds(this.#printed);
    this.#printed = "";
    let left = this.#short.count;
    for (const text of this.#plain ?? []) if (--left < 0) this.#short.add(text);
    return this.#short;
  }
}
