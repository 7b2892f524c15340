/**
 * JSON as it stands, text by text: every text and number in it is looked at, also one that `JSON.parse` would drop because its key
 * stands twice, and whatever is not to go keeps its bytes.
 */

/** The values of these fields of a line are for the host's own use: another value would make it another entry. */
const ofLine: ReadonlySet<string> = new Set(["type", "customType", "id", "parentId", "timestamp", "mirror"]);
/** These are the same for the message of a line and for its blocks. */
const ofMessage: ReadonlySet<string> = new Set(["type", "role", "id", "toolCallId", "toolName", "stopReason"]);
/** A message is so deep, and so are its blocks, of which only one that calls a tool has a name. */
const [messageDepth, blockDepth] = [2, 4];
/** What lies in these fields is a tool's or an extension's: its names are no host's. */
const ofOthers: ReadonlySet<string> = new Set(["arguments", "input", "details", "data"]);

const nestedMax = 4;

export interface JsonPart {
  /** With true, `json` is not a line but stands in one: no name in it holds the line together. */
  readonly isInner?: boolean;
  /** With true, every number stays: a text in its place would be read as another value. */
  readonly keepsNumbers?: boolean;
  /** This is called with each name, value and number that stays because it holds the host's line together. */
  readonly kept?: (text: string) => void;
}

/**
 * `json` must parse. `replace` answers the text that stands in place of a text or a number; texts that hold JSON themselves, as the
 * arguments of a tool call do, are gone through in the same way.
 */
export function replaceTexts(json: string, replace: (text: string) => string, part: JsonPart = {}): string {
  return replacedIn(json, replace, part, part.isInner === true ? 1 : 0);
}

function replacedIn(json: string, replace: (text: string) => string, part: JsonPart, nested: number): string {
  const { kept, keepsNumbers = false } = part;
  let printed = "";
  let from = 0;
  /** At each depth, the name of the value that is gone through. */
  const names: string[] = [];
  for (const { start, end, depth } of tokensIn(json)) {
    const found = json.slice(start, end);
    const kind = kindOf(json, start, end);
    names.length = Math.min(names.length, depth + 1);
    if (kind === "name" && nested === 0) names[depth] = textOf(found);
    if ((kind === "number" && keepsNumbers) || (nested === 0 && isOfHost(names, depth, kind))) {
      kept?.(textOf(found));
      continue;
    }
    const replaced = replacedToken(found, replace, { keepsNumbers }, nested);
    if (replaced === found) continue;
    printed += json.slice(from, start) + replaced;
    from = end;
  }
  return from === 0 ? json : printed + json.slice(from);
}

type TokenKind = "name" | "text" | "number";

function kindOf(json: string, start: number, end: number): TokenKind {
  if (json[start] !== '"') return "number";
  return isFollowedByColon(json, end) ? "name" : "text";
}

/** Without it, the host could not read its line. It counts with its numbers: a text in place of one could end it. */
function isOfHost(names: readonly string[], depth: number, kind: TokenKind): boolean {
  const isNumber = kind === "number";
  if (isBelowOthers(names, isNumber && depth === 1 ? 2 : depth)) return false;
  const own = names[depth] ?? "";
  if (kind === "name" || isNumber || (depth === 1 && ofLine.has(own))) return true;
  if (names[1] !== "message" || (depth !== messageDepth && depth !== blockDepth)) return false;
  return ofMessage.has(own) || (depth === blockDepth && own === "name");
}

function isBelowOthers(names: readonly string[], depth: number): boolean {
  return names.slice(0, depth).some((name) => ofOthers.has(name));
}

const numberPattern = /-?\d[\d.eE+-]*/y;

/** The result has every number, every text with its quotes, and how many objects and arrays are around it. */
function* tokensIn(json: string): Generator<{ start: number; end: number; depth: number }> {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const char = json[at] ?? "";
    if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    else if (char === '"' || char === "-" || (char >= "0" && char <= "9")) {
      const end = char === '"' ? endOf(json, at) : endOfNumber(json, at);
      yield { start: at, end, depth };
      at = end - 1;
    }
  }
}

function endOfNumber(json: string, start: number): number {
  numberPattern.lastIndex = start;
  return start + (numberPattern.exec(json)?.[0].length ?? 1);
}

function endOf(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let slashes = 0;
    while (json[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return json.length;
}

function isFollowedByColon(json: string, end: number): boolean {
  let at = end;
  while (" \t\r\n".includes(json[at] ?? "x")) at += 1;
  return json[at] === ":";
}

/** What is left of a number is printed as a text, for it may be no number any more. */
function replacedToken(printed: string, replace: (text: string) => string, part: JsonPart, nested: number): string {
  const text = textOf(printed);
  const inner = nested < nestedMax && isJson(text) ? replacedIn(text, replace, part, nested + 1) : text;
  const replaced = replace(inner);
  return replaced === text ? printed : JSON.stringify(replaced);
}

function textOf(printed: string): string {
  return printed.startsWith('"') ? (JSON.parse(printed) as string) : printed;
}

function isJson(text: string): boolean {
  if (!/^\s*[{["]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
