/**
 * What the first bytes of a line tell, where it begins with `type` but is printed otherwise than the known clients print
 * theirs: with white space, with other fields before the role, with ids of any length. It walks the plain fields before
 * the first nested value, and those of `message`, and gives up at everything else. A line that it knows need not be
 * searched for what might make it matter.
 */

export type Glance = "custom" | "user" | "other" | "unknown";

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const opening = 0x7b;

/** Looks at no byte from `limit` on. */
export function looseGlance(bytes: Uint8Array, start: number, limit: number): Glance {
  const walk = new FieldWalk(bytes, start, limit);
  if (walk.next() !== "plain" || !walk.isKey("type") || !walk.isText()) return "unknown";
  if (walk.isValue("custom")) return "custom";
  return walk.isValue("message") ? roleIn(walk) : "other";
}

function roleIn(walk: FieldWalk): Glance {
  let field = walk.next();
  while (field === "plain") field = walk.next();
  if (field !== "object" || !walk.isKey("message")) return "unknown";
  walk.enter();
  field = walk.next();
  while (field === "plain" && !walk.isKey("role")) field = walk.next();
  if (field !== "plain" || !walk.isText()) return "unknown";
  return walk.isValue("user") ? "user" : "other";
}

class FieldWalk {
  readonly #bytes: Uint8Array;
  readonly #limit: number;
  /** Where the brace or the comma before the next field is, white space aside. */
  #at: number;
  /** The first and the last byte of the field's key and value. */
  #key = 0;
  #keyEnd = 0;
  #value = 0;
  #valueEnd = 0;

  constructor(bytes: Uint8Array, start: number, limit: number) {
    this.#bytes = bytes;
    this.#limit = limit;
    this.#at = this.#skipBlanks(start);
    if (bytes[this.#at] !== opening) this.#at = limit;
  }

  /** Goes on to the next field, if it is plain to see: no escapes, no array. */
  next(): "plain" | "object" | "over" {
    const bytes = this.#bytes;
    this.#key = this.#skipBlanks(this.#at + 1);
    this.#keyEnd = this.#stringEnd(this.#key);
    if (this.#keyEnd === -1) return "over";
    const separator = this.#skipBlanks(this.#keyEnd + 1);
    this.#value = this.#skipBlanks(separator + 1);
    if (this.#value >= this.#limit || bytes[separator] !== colon) return "over";
    if (bytes[this.#value] === opening) return "object";
    this.#valueEnd = bytes[this.#value] === quote ? this.#stringEnd(this.#value) : this.#literalEnd(this.#value);
    if (this.#valueEnd === -1) return "over";
    this.#at = this.#skipBlanks(this.#valueEnd + 1);
    if (bytes[this.#at] !== comma) this.#at = this.#limit;
    return "plain";
  }

  /** The fields of the object that the field holds are next. */
  enter(): void {
    this.#at = this.#value;
  }

  isKey(name: string): boolean {
    return this.#isWord(this.#key, this.#keyEnd, name);
  }

  isText(): boolean {
    return this.#bytes[this.#value] === quote;
  }

  isValue(text: string): boolean {
    return this.#isWord(this.#value, this.#valueEnd, text);
  }

  #isWord(start: number, end: number, word: string): boolean {
    if (end - start - 1 !== word.length) return false;
    for (let index = 0; index < word.length; index++) {
      if (this.#bytes[start + 1 + index] !== word.charCodeAt(index)) return false;
    }
    return true;
  }

  #skipBlanks(from: number): number {
    let at = from;
    while (at < this.#limit && (this.#bytes[at] === 0x20 || this.#bytes[at] === 0x09)) at += 1;
    return at;
  }

  /** -1: no string begins here, or one with escapes. */
  #stringEnd(start: number): number {
    if (start >= this.#limit || this.#bytes[start] !== quote) return -1;
    for (let at = start + 1; at < this.#limit; at++) {
      if (this.#bytes[at] === quote) return at;
      if (this.#bytes[at] === backslash) return -1;
    }
    return -1;
  }

  /** -1: neither a number nor `null`, `true` or `false` begins here. */
  #literalEnd(start: number): number {
    let at = start;
    while (at < this.#limit && isOfLiteral(this.#bytes[at] as number)) at += 1;
    return at === start ? -1 : at - 1;
  }
}

/** `-` to `9`, letters, `+`. */
function isOfLiteral(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x2d && byte <= 0x39) || byte === 0x2b || byte === 0x45;
}
