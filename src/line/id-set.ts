/**
 * Texts that were met before: a few as they are, many as 72 bits of their SHA-256, outside of the heap. A session of a
 * million commits is then read in a process of 128 MB, and printing what was met takes a moment. What comes from a snapshot
 * stays printed until somebody asks for it: a resume that meets no new commit never does.
 */
import { hashText } from "./chain.ts";

/** So many are kept as they are: most sessions never have more. */
const plainMax = 4096;

export class IdSet {
  #printed: string;
  #plain: Set<string> | undefined = new Set();
  #short: ShortIds | undefined;

  constructor(printed = "") {
    this.#printed = printed;
    if (printed !== "") this.#plain = undefined;
  }

  has(text: string): boolean {
    return this.#plain === undefined ? this.#shortened().has(text) : this.#plain.has(text);
  }

  add(text: string): void {
    if (this.#plain !== undefined && this.#plain.size < plainMax) this.#plain.add(text);
    else this.#shortened().add(text);
  }

  /** One text for all, that the constructor takes: 12 characters each. */
  print(): string {
    if (this.#printed !== "" || this.#plain?.size === 0) return this.#printed;
    return this.#shortened().print();
  }

  #shortened(): ShortIds {
    if (this.#short === undefined) {
      this.#short = new ShortIds(this.#printed);
      for (const text of this.#plain ?? []) this.#short.add(text);
      this.#plain = undefined;
      this.#printed = "";
    }
    return this.#short;
  }
}

/** Of each text, printed as 12 characters of base64. Two texts of a session are alike in them once in 10^9 sessions of a million. */
const shortBytes = 9;

/** An open hash table over a list. */
class ShortIds {
  #list: Buffer;
  #count: number;
  /** Each the number of an item, counted from 1; 0 where there is none. As many as a power of two. */
  #table: Int32Array;
  readonly #asked = Buffer.alloc(shortBytes);
  #askedText: string | undefined;

  constructor(printed: string) {
    this.#list = Buffer.from(printed, "base64");
    this.#count = Math.floor(this.#list.length / shortBytes);
    this.#table = new Int32Array(0);
    this.#grow();
  }

  has(text: string): boolean {
    this.#ask(text);
    return this.#table[this.#slot(this.#asked, 0)] !== 0;
  }

  add(text: string): void {
    if (this.has(text)) return;
    if ((this.#count + 1) * 2 > this.#table.length) this.#grow();
    const at = this.#count * shortBytes;
    if (at === this.#list.length) this.#list = Buffer.concat([this.#list], Math.max(2 * at, shortBytes * plainMax));
    this.#asked.copy(this.#list, at);
    this.#table[this.#slot(this.#asked, 0)] = ++this.#count;
  }

  print(): string {
    return this.#list.toString("base64", 0, this.#count * shortBytes);
  }

  /** One is added right after it was asked for, as a rule. */
  #ask(text: string): void {
    if (text === this.#askedText) return;
    // As JSON, for lone surrogates have no bytes of their own.
    this.#asked.write(hashText(JSON.stringify(text)), 0, shortBytes, "hex");
    this.#askedText = text;
  }

  /** Where the item stands that is written at `at`, or would stand. */
  #slot(bytes: Buffer, at: number): number {
    const last = this.#table.length - 1;
    let slot = bytes.readUInt32LE(at) & last;
    for (let item = this.#table[slot]; item !== 0; item = this.#table[slot]) {
      const start = ((item ?? 1) - 1) * shortBytes;
      if (bytes.compare(this.#list, start, start + shortBytes, at, at + shortBytes) === 0) return slot;
      slot = (slot + 1) & last;
    }
    return slot;
  }

  #grow(): void {
    let slots = plainMax * 2;
    while (slots <= this.#count * 2) slots *= 2;
    this.#table = new Int32Array(slots);
    for (let item = 1; item <= this.#count; item++) this.#table[this.#slot(this.#list, (item - 1) * shortBytes)] = item;
  }
}
