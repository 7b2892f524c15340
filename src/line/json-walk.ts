/**
 * Walks the bytes of a JSON object, piece by piece, and accepts exactly what `JSON.parse` accepts (text that is UTF-8
 * apart, which is the caller's to check), with a byte order mark before and blanks and NUL bytes around. It tells the fields
 * of the object and of the objects directly in it. Its memory is a bit for each open bracket.
 */

import { endsNumber, firstPart, isDigit, type NumberPart, numberPart } from "./json-number.ts";

/** `value`: a string that is not too long, or null; undefined for anything else. Told where the value begins or ends. */
export type OnField = (key: string, depth: number, value: string | null | undefined) => void;

type Expect = "start" | "value" | "firstValue" | "key" | "firstKey" | "colon" | "next" | "over" | "never";

const quote = 0x22;
const backslash = 0x5c;
const capturedBytesMax = 4096;
const toldDepth = 2;

const literals: ReadonlyMap<number, string> = new Map(
  ["true", "false", "null"].map((word) => [word.charCodeAt(0), word]),
);

export class JsonWalk {
  readonly #onField: OnField;
  #expect: Expect = "start";
  /** This part goes on from one piece of bytes to the next. */
  #inside: "string" | "number" | "literal" | undefined;
  #depth = 0;
  /** This says how deep the brackets went. */
  deepest = 0;
  /** This says for each depth whether it is an object. */
  #objects = new Uint8Array(64);
  #seen = 0;
  /** 1 behind a backslash; 2 to 5 in `\uXXXX`, before as many digits as are missing from 6. */
  #escape = 0;
  #key: string | undefined;
  #captured: Buffer[] | undefined;
  #capturedLength = 0;
  #number: NumberPart = "sign";
  #literal = "";
  #literalAt = 0;

  constructor(onField: OnField) {
    this.#onField = onField;
  }

  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length && this.#expect !== "never") {
      switch (this.#inside) {
        case "string":
          at = this.#readString(bytes, at);
          break;
        case "number":
          at = this.#readNumber(bytes, at);
          break;
        case "literal":
          at = this.#readLiteral(bytes, at);
          break;
        case undefined:
          this.#readOne(bytes[at] as number);
          at += 1;
      }
      if (this.#seen < 3) this.#seen += 1;
    }
  }

  /** One whole object has ended. */
  get isOver(): boolean {
    return this.#expect === "over";
  }

  get isBlank(): boolean {
    return this.#expect === "start" && (this.#mark === 0 || this.#mark === 3);
  }

  #readOne(byte: number): void {
    if (this.#isPassedOver(byte)) return;
    switch (this.#expect) {
      case "start":
        if (byte === 0x7b) this.#open(true);
        else this.#fail();
        break;
      case "value":
        this.#value(byte);
        break;
      case "firstValue":
        if (byte === 0x5d) this.#close(false);
        else this.#value(byte);
        break;
      case "key":
      case "firstKey":
        this.#readKey(byte);
        break;
      case "colon":
        this.#expect = byte === 0x3a ? "value" : "never";
        break;
      case "next":
        this.#readNext(byte);
        break;
      case "over":
      case "never":
        this.#fail();
    }
  }

  #isPassedOver(byte: number): boolean {
    if (this.#expect === "start" && this.#isOfMark(byte)) return true;
    return isBlank(byte) || (byte === 0 && (this.#expect === "start" || this.#expect === "over"));
  }

  #readKey(byte: number): void {
    if (byte === quote) this.#beginString();
    else if (byte === 0x7d && this.#expect === "firstKey") this.#close(true);
    else this.#fail();
  }

  #readNext(byte: number): void {
    if (byte === 0x7d || byte === 0x5d) this.#close(byte === 0x7d);
    else if (byte === 0x2c) this.#expect = this.#isInObject ? "key" : "value";
    else this.#fail();
  }

  /** The mark is EF BB BF as the first three bytes. */
  #isOfMark(byte: number): boolean {
    const isOf = this.#mark < 3 && this.#mark === this.#seen && byte === [0xef, 0xbb, 0xbf][this.#mark];
    if (isOf) this.#mark += 1;
    else if (this.#mark === 1 || this.#mark === 2) this.#fail();
    return isOf;
  }
  #mark = 0;

  get #isInObject(): boolean {
    return ((this.#objects[this.#depth >> 3] ?? 0) & (1 << (this.#depth & 7))) !== 0;
  }

  get #tells(): boolean {
    return this.#depth <= toldDepth && this.#isInObject;
  }

  #value(byte: number): void {
    if (byte === quote) this.#beginString();
    else if (byte === 0x7b || byte === 0x5b) this.#open(byte === 0x7b);
    else if (byte === 0x2d || isDigit(byte)) this.#beginNumber(byte);
    else this.#beginLiteral(byte);
  }

  #open(isObject: boolean): void {
    if (this.#depth > 0) this.#tell(undefined);
    this.#depth += 1;
    if (this.#depth > this.deepest) this.deepest = this.#depth;
    const at = this.#depth >> 3;
    if (at >= this.#objects.length) {
      const grown = new Uint8Array(this.#objects.length * 2);
      grown.set(this.#objects);
      this.#objects = grown;
    }
    const bit = 1 << (this.#depth & 7);
    const byte = this.#objects[at] ?? 0;
    this.#objects[at] = isObject ? byte | bit : byte & ~bit;
    this.#expect = isObject ? "firstKey" : "firstValue";
  }

  #close(isObject: boolean): void {
    const fits = this.#isInObject === isObject;
    this.#depth -= 1;
    this.#expect = !fits ? "never" : this.#depth === 0 ? "over" : "next";
  }

  #fail(): void {
    this.#expect = "never";
  }

  #tell(value: string | null | undefined): void {
    if (this.#tells && this.#key !== undefined) this.#onField(this.#key, this.#depth, value);
    this.#key = undefined;
  }

  #beginString(): void {
    this.#inside = "string";
    this.#escape = 0;
    this.#captured = this.#tells ? [] : undefined;
    this.#capturedLength = 0;
  }

  #readString(bytes: Uint8Array, from: number): number {
    let at = from;
    while (at < bytes.length && this.#isInString(bytes[at] as number)) at += 1;
    this.#capture(bytes, from, at);
    if (at === bytes.length || this.#expect === "never") return at;
    this.#inside = undefined;
    this.#endString();
    return at + 1;
  }

  #isInString(byte: number): boolean {
    if (this.#escape > 0) return this.#readEscape(byte);
    if (byte === quote) return false;
    if (byte === backslash) this.#escape = 1;
    else if (byte < 0x20) this.#fail();
    return byte >= 0x20;
  }

  /** False: it is none. */
  #readEscape(byte: number): boolean {
    if (this.#escape === 1) {
      if (byte === 0x75) this.#escape = 2;
      else if (isEscaped(byte)) this.#escape = 0;
      else this.#fail();
    } else if (!isHexDigit(byte)) this.#fail();
    else this.#escape = this.#escape === 5 ? 0 : this.#escape + 1;
    return this.#expect !== "never";
  }

  #capture(bytes: Uint8Array, from: number, to: number): void {
    if (this.#captured === undefined) return;
    this.#capturedLength += to - from;
    if (this.#capturedLength > capturedBytesMax) this.#captured = undefined;
    else this.#captured.push(Buffer.from(bytes.subarray(from, to)));
  }

  #endString(): void {
    const text = this.#captured === undefined ? undefined : unescaped(Buffer.concat(this.#captured));
    this.#captured = undefined;
    if (this.#expect === "key" || this.#expect === "firstKey") {
      this.#key = this.#tells ? (text ?? "") : undefined;
      this.#expect = "colon";
    } else {
      this.#tell(text);
      this.#expect = "next";
    }
  }

  #beginNumber(byte: number): void {
    this.#tell(undefined);
    this.#inside = "number";
    this.#number = firstPart(byte);
  }

  #readNumber(bytes: Uint8Array, from: number): number {
    let at = from;
    for (; at < bytes.length; at++) {
      const next = numberPart(this.#number, bytes[at] as number);
      if (next === undefined) break;
      this.#number = next;
    }
    if (at === bytes.length) return at;
    this.#inside = undefined;
    this.#expect = endsNumber.has(this.#number) ? "next" : "never";
    return at;
  }

  #beginLiteral(byte: number): void {
    const literal = literals.get(byte);
    if (literal === undefined) {
      this.#fail();
      return;
    }
    this.#tell(literal === "null" ? null : undefined);
    this.#literal = literal;
    this.#literalAt = 1;
    this.#inside = "literal";
  }

  #readLiteral(bytes: Uint8Array, from: number): number {
    if (bytes[from] !== this.#literal.charCodeAt(this.#literalAt)) this.#fail();
    this.#literalAt += 1;
    if (this.#literalAt === this.#literal.length && this.#expect !== "never") {
      this.#inside = undefined;
      this.#expect = "next";
    }
    return from + 1;
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/** The characters are `"\/bfnrt`. */
function isEscaped(byte: number): boolean {
  return [quote, backslash, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74].includes(byte);
}

function unescaped(raw: Buffer): string {
  const text = raw.toString("utf8");
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}
