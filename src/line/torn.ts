/**
 * This file tells a torn line from a corrupt one. A crash leaves the beginning of a line and nothing else: that is expected, and nothing
 * that was acknowledged. Anything else that does not decode was changed after it was written. So a torn line must be, byte for byte, how a
 * line of ours may begin.
 */
import { trimLine } from "./decode.ts";
import { type LineNames, lineBytesMax } from "./format.ts";

const idBeginning = /^[0-9A-Za-z_-]{0,128}$/;
const timeShape = "0000-00-00T00:00:00.000Z";

/** It is true if the line is the beginning of a line of ours that was cut off. */
export function isTornLine(line: Uint8Array, names: LineNames): boolean {
  if (line.length >= lineBytesMax) return false;
  const text = Buffer.from(trimLine(line)).toString("utf8");
  const opening = `{"type":"custom","customType":"${names.namespace}`;
  if (text.length <= opening.length) return opening.startsWith(text);
  if (!text.startsWith(opening)) return false;
  const open = jsonPrefix(text);
  if (open === undefined) return false;
  const { key, partial } = open;
  if (partial === undefined) return true;
  if (key === "timestamp") return isTimeBeginning(partial);
  return key === "id" || key === "parentId" || key === "mirror" ? idBeginning.test(partial) : true;
}

function isTimeBeginning(text: string): boolean {
  return text.length <= timeShape.length && text.replace(/\d/g, "0") === timeShape.slice(0, text.length);
}

interface OpenPrefix {
  /** This is the top-level key whose value is open. */
  readonly key: string;
  /** The beginning of a top-level string that has not ended. */
  readonly partial: string | undefined;
}

const literalPattern = /(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
const openLiteralPattern = /(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|-?\d+(?:\.\d*)?(?:[eE][+-]?\d*)?)$/y;

type Expect = "value" | "firstValue" | "key" | "firstKey" | "colon" | "next";

/** Walks printed JSON without white space; undefined where it could not go on to a whole object, or already is one. */
function jsonPrefix(text: string): OpenPrefix | undefined {
  const walk = new PrefixWalk(text);
  while (!walk.isOver) walk.step();
  return walk.open;
}

class PrefixWalk {
  /** Set once it is known how the text ends; undefined then where it is no prefix. */
  open: OpenPrefix | undefined;
  isOver = false;
  readonly #text: string;
  readonly #closers: string[] = [];
  #expect: Expect = "value";
  #key = "";
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  step(): void {
    const char = this.#text[this.#at];
    if (char === undefined) this.#end({ key: this.#key, partial: undefined });
    else if (char === '"') this.#string();
    else if (char === ":" || char === ",") this.#separator(char);
    else if (char === "{" || char === "[") this.#enter(char);
    else if (char === "}" || char === "]") this.#leave(char);
    else this.#literal();
  }

  get #asksKey(): boolean {
    return this.#expect === "key" || this.#expect === "firstKey";
  }

  get #asksValue(): boolean {
    return this.#expect === "value" || this.#expect === "firstValue";
  }

  #end(open: OpenPrefix | undefined): void {
    this.open = open;
    this.isOver = true;
  }

  #go(length: number, expect: Expect): void {
    this.#at += length;
    this.#expect = expect;
  }

  #string(): void {
    const isKey = this.#asksKey;
    const begun = isKey || this.#asksValue ? stringAt(this.#text, this.#at) : undefined;
    const atTop = this.#closers.length === 1;
    if (begun === undefined) this.#end(undefined);
    else if (!begun.isWhole) this.#end({ key: this.#key, partial: atTop && !isKey ? begun.body : undefined });
    else {
      if (isKey && atTop) this.#key = begun.body;
      this.#go(begun.body.length + 2, isKey ? "colon" : "next");
    }
  }

  #separator(char: ":" | ","): void {
    if (char === ":" && this.#expect === "colon") this.#go(1, "value");
    else if (char === "," && this.#expect === "next") this.#go(1, this.#closers.at(-1) === "}" ? "key" : "value");
    else this.#end(undefined);
  }

  #enter(char: "{" | "["): void {
    this.#closers.push(char === "{" ? "}" : "]");
    if (this.#asksValue) this.#go(1, char === "{" ? "firstKey" : "firstValue");
    else this.#end(undefined);
  }

  #leave(char: "}" | "]"): void {
    const mayLeave = this.#expect === "next" || this.#expect === "firstKey" || this.#expect === "firstValue";
    if (mayLeave && this.#closers.pop() === char && this.#closers.length > 0) this.#go(1, "next");
    else this.#end(undefined);
  }

  /** A number that is cut off behind its point or its exponent holds a whole one: how it ends is asked first. */
  #literal(): void {
    const whole = this.#asksValue ? this.#match(literalPattern)?.[0] : undefined;
    if (this.#asksValue && this.#match(openLiteralPattern) !== null) this.#end({ key: this.#key, partial: undefined });
    else if (whole !== undefined) this.#go(whole.length, "next");
    else this.#end(undefined);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }
}

const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const openEscape = /\\(?:u[0-9a-fA-F]{0,3})?$/y;

/**
 * The result is the string whose quote is at `from`, as it is printed: whole, or cut off by the end of the text, then without
 * an escape that was cut in two. It is undefined if there is no string of JSON. It is walked by hand, because one pattern for
 * all of it keeps something for each escape, and millions of them do not fit on the stack.
 */
function stringAt(text: string, from: number): { readonly body: string; readonly isWhole: boolean } | undefined {
  let at = from + 1;
  while (at < text.length) {
    const char = text[at] as string;
    if (char === '"') return { body: text.slice(from + 1, at), isWhole: true };
    if (char < " ") return undefined;
    if (char !== "\\") at += 1;
    else if (matches(escaped, text, at)) at = escaped.lastIndex;
    else return matches(openEscape, text, at) ? { body: text.slice(from + 1, at), isWhole: false } : undefined;
  }
  return { body: text.slice(from + 1), isWhole: false };
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
