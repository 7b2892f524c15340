/**
 * Torn or corrupt? A crash leaves the beginning of a line and nothing else: expected, and nothing that was acknowledged.
 * Anything else that does not decode was changed after it was written. So a torn line must be, byte for byte, how a line
 * of ours may begin.
 */
import { trimLine } from "./decode.ts";
import type { LineNames } from "./format.ts";

const idBeginning = /^[0-9A-Za-z_-]{0,128}$/;
const timeShape = "0000-00-00T00:00:00.000Z";

/** True: the beginning of a line of ours, cut off. */
export function isTornLine(line: Uint8Array, names: LineNames): boolean {
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
  /** The top-level key whose value is open. */
  readonly key: string;
  /** The beginning of a top-level string that has not ended. */
  readonly partial: string | undefined;
}

const stringBody = String.raw`[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*`;
const stringPattern = new RegExp(`"${stringBody}"`, "y");
const openStringPattern = new RegExp(`"(${stringBody})(?:\\\\(?:u[0-9a-fA-F]{0,3})?)?$`, "y");
const literalPattern = /(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
const openLiteralPattern = /(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|-?\d+(?:\.\d*)?(?:[eE][+-]?\d*)?)$/y;

type Expect = "value" | "firstValue" | "key" | "firstKey" | "colon" | "next";

/** Walks printed JSON without white space; undefined where it could not go on to a whole object, or already is one. */
function jsonPrefix(text: string): OpenPrefix | undefined {
  const closers: string[] = [];
  let expect: Expect = "value";
  let key = "";
  let at = 0;
  const matched = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    return match === null ? undefined : match[0];
  };
  while (at < text.length) {
    const char = text[at] as string;
    const asksKey: boolean = expect === "key" || expect === "firstKey";
    if (char === '"' && (asksKey || expect === "value" || expect === "firstValue")) {
      const whole = matched(stringPattern);
      if (whole === undefined) return openString(text, at, closers.length, asksKey, key);
      if (asksKey && closers.length === 1) key = whole.slice(1, -1);
      expect = asksKey ? "colon" : "next";
      at += whole.length;
    } else if (char === ":" && expect === "colon") {
      expect = "value";
      at += 1;
    } else if (char === "," && expect === "next") {
      expect = closers.at(-1) === "}" ? "key" : "value";
      at += 1;
    } else if ((char === "{" || char === "[") && (expect === "value" || expect === "firstValue")) {
      closers.push(char === "{" ? "}" : "]");
      expect = char === "{" ? "firstKey" : "firstValue";
      at += 1;
    } else if (char === closers.at(-1) && (expect === "next" || expect === "firstKey" || expect === "firstValue")) {
      closers.pop();
      if (closers.length === 0) return undefined;
      expect = "next";
      at += 1;
    } else if (expect === "value" || expect === "firstValue") {
      const literal = matched(literalPattern);
      if (literal === undefined)
        return matched(openLiteralPattern) === undefined ? undefined : { key, partial: undefined };
      expect = "next";
      at += literal.length;
    } else return undefined;
  }
  return { key, partial: undefined };
}

function openString(text: string, at: number, depth: number, isKey: boolean, key: string): OpenPrefix | undefined {
  openStringPattern.lastIndex = at;
  const open = openStringPattern.exec(text);
  if (open === null) return undefined;
  return { key, partial: depth === 1 && !isKey ? open[1] : undefined };
}
