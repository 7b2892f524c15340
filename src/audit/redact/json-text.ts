/**
 * JSON as it stands, text by text: every text in it is looked at, also one that `JSON.parse` would drop because its key
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
  /** This is called with each name and value that stays because it holds the host's line together. */
  readonly kept?: (text: string) => void;
}

/**
 * `json` must parse. `replace` answers the text that stands in place of a text; texts that hold JSON themselves, as the
 * arguments of a tool call do, are gone through in the same way.
 */
export function replaceTexts(json: string, replace: (text: string) => string, part: JsonPart = {}): string {
  return replacedIn(json, replace, part, part.isInner === true ? 1 : 0);
}

function replacedIn(json: string, replace: (text: string) => string, { kept }: JsonPart, nested: number): string {
  let printed = "";
  let from = 0;
  /** At each depth, the name of the value that is gone through. */
  const names: string[] = [];
  for (const { start, end, depth } of stringsIn(json)) {
    const found = json.slice(start, end);
    const isName = isFollowedByColon(json, end);
    names.length = Math.min(names.length, depth + 1);
    if (isName && nested === 0) names[depth] = JSON.parse(found) as string;
    if (nested === 0 && isOfHost(names, depth, isName)) {
      kept?.(JSON.parse(found) as string);
      continue;
    }
    const replaced = replacedToken(found, replace, nested);
    if (replaced === found) continue;
    printed += json.slice(from, start) + replaced;
    from = end;
  }
  return from === 0 ? json : printed + json.slice(from);
}

/** Without it, the host could not read its line. */
function isOfHost(names: readonly string[], depth: number, isName: boolean): boolean {
  if (names.slice(0, depth).some((name) => ofOthers.has(name))) return false;
  const own = names[depth] ?? "";
  if (isName || (depth === 1 && ofLine.has(own))) return true;
  if (names[1] !== "message" || (depth !== messageDepth && depth !== blockDepth)) return false;
  return ofMessage.has(own) || (depth === blockDepth && own === "name");
}

/** The result has every text with its quotes, and the number of objects and arrays around it. */
function* stringsIn(json: string): Generator<{ start: number; end: number; depth: number }> {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") depth -= 1;
    else if (char === '"') {
      const end = endOf(json, at);
      yield { start: at, end, depth };
      at = end - 1;
    }
  }
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

function replacedToken(printed: string, replace: (text: string) => string, nested: number): string {
  const text = JSON.parse(printed) as string;
  const inner = nested < nestedMax && isJson(text) ? replacedIn(text, replace, {}, nested + 1) : text;
  const replaced = replace(inner);
  return replaced === text ? printed : JSON.stringify(replaced);
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
