/** Values in the code of a script: literals are read, and nothing is run. */

import { endOfText, withoutTexts } from "./script-texts.ts";

/** Literals that are nested deeper are not read. */
const depthMax = 32;

/**
 * The result has the argument of each call of `name` in `script`; undefined for one that is no single literal. What stands in strings and
 * comments is no call.
 */
export function* argumentsOf(name: string, script: string): Generator<unknown> {
  for (const { argument } of callsOf(name, script)) yield argument;
}

/** This does the same, and also says where each call begins. */
export function* callsOf(name: string, script: string): Generator<{ readonly argument: unknown; readonly at: number }> {
  const opening = `${name}(`;
  if (!script.includes(opening)) return;
  const code = withoutTexts(script);
  for (let at = code.indexOf(opening); at !== -1; ) {
    const from = at + opening.length;
    const reader = new LiteralReader(script, from);
    const value = reader.value(0);
    yield { argument: value !== undefined && reader.isAt(")", ",") ? value : undefined, at };
    // The last word that was read may be the name of the next call.
    at = code.indexOf(opening, Math.max(from, reader.at - opening.length));
  }
}

class LiteralReader {
  readonly #code: string;
  #at: number;

  constructor(code: string, at: number) {
    this.#code = code;
    this.#at = at;
  }

  /** This is the place that was read up to. */
  get at(): number {
    return this.#at;
  }

  /** What comes next, white space apart, is one of these. */
  isAt(...characters: readonly string[]): boolean {
    this.#skip();
    return characters.includes(this.#code[this.#at] ?? "");
  }

  /** The result is undefined if no literal stands here. */
  value(depth: number): unknown {
    if (depth > depthMax) return undefined;
    this.#skip();
    const character = this.#code[this.#at] ?? "";
    if (character === "{") return this.#object(depth);
    if (character === "[") return this.#array(depth);
    if (character === '"' || character === "'" || character === "`") return this.#string(character);
    const word = this.#word();
    if (word === "null") return null;
    if (word === "true" || word === "false") return word === "true";
    return word !== "" && Number.isFinite(Number(word)) ? Number(word) : undefined;
  }

  #object(depth: number): unknown {
    const found: Record<string, unknown> = Object.create(null);
    this.#at += 1;
    while (!this.#take("}")) {
      this.#skip();
      const quote = this.#code[this.#at] ?? "";
      const name = quote === '"' || quote === "'" ? this.#string(quote) : this.#word();
      if (name === undefined || name === "" || !this.#take(":")) return undefined;
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      found[name] = value;
      if (!this.#take(",") && !this.isAt("}")) return undefined;
    }
    return found;
  }

  #array(depth: number): unknown {
    const found: unknown[] = [];
    this.#at += 1;
    while (!this.#take("]")) {
      const value = this.value(depth + 1);
      if (value === undefined) return undefined;
      found.push(value);
      if (!this.#take(",") && !this.isAt("]")) return undefined;
    }
    return found;
  }

  #string(quote: string): string | undefined {
    let value = "";
    for (let at = this.#at + 1; at < this.#code.length; at++) {
      const character = this.#code[at] ?? "";
      if (character === quote) {
        this.#at = at + 1;
        return value;
      }
      if (quote === "`" && character === "$" && this.#code[at + 1] === "{") return undefined;
      if (character !== "\\") {
        value += character;
        continue;
      }
      const escaped = escapeAt(this.#code, at);
      value += escaped.text;
      at += escaped.length - 1;
    }
    return undefined;
  }

  #word(): string {
    const word = /^[\w$.+-]{1,64}/.exec(this.#code.slice(this.#at, this.#at + 64))?.[0] ?? "";
    this.#at += word.length;
    return word;
  }

  #take(character: string): boolean {
    if (!this.isAt(character)) return false;
    this.#at += 1;
    return true;
  }

  #skip(): void {
    for (;;) {
      while (/\s/.test(this.#code[this.#at] ?? "")) this.#at += 1;
      const isBlock = this.#code.startsWith("/*", this.#at);
      if (!isBlock && !this.#code.startsWith("//", this.#at)) return;
      this.#at = endOfText(this.#code, isBlock ? "/*" : "//", this.#at + 2);
    }
  }
}

const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  b: "\b",
  f: "\f",
  v: "\v",
  "0": "\0",
  "\n": "",
};

function escapeAt(code: string, at: number): { readonly text: string; readonly length: number } {
  const unicode = /^\\u\{([0-9a-f]{1,6})\}|^\\u([0-9a-f]{4})|^\\x([0-9a-f]{2})/i.exec(code.slice(at, at + 11));
  const digits = unicode?.[1] ?? unicode?.[2] ?? unicode?.[3];
  if (unicode !== null && digits !== undefined && Number.parseInt(digits, 16) <= 0x10ffff) {
    return { text: String.fromCodePoint(Number.parseInt(digits, 16)), length: unicode[0].length };
  }
  const character = code[at + 1] ?? "";
  return { text: (Object.hasOwn(escapes, character) ? escapes[character] : undefined) ?? character, length: 2 };
}
