/**
 * JSON as it stands, text by text: every text in it is looked at, also one that `JSON.parse` would drop because its key
 * stands twice, and whatever is not to go keeps its bytes.
 */

/** What stands in a host's line for its own use: another value would make it another entry. */
const structure: ReadonlySet<string> = new Set(["type", "customType", "id", "parentId", "timestamp", "mirror"]);

const nestedMax = 4;

/**
 * `json` must parse. `replace` answers the text that stands in place of a text; texts that hold JSON themselves, as the
 * arguments of a tool call do, are gone through in the same way.
 */
export function replaceTexts(json: string, replace: (text: string) => string, nested = 0): string {
  let printed = "";
  let from = 0;
  /** This is the key whose value comes next. */
  let key = "";
  for (const { start, end, depth } of stringsIn(json)) {
    const found = json.slice(start, end);
    const isKey = isFollowedByColon(json, end);
    const name = isKey && depth <= 2 ? (JSON.parse(found) as string) : key;
    const isKept = nested === 0 && ((depth === 1 && structure.has(name)) || (depth === 2 && name === "role"));
    key = isKey ? name : "";
    const replaced = isKept ? found : replacedToken(found, replace, nested);
    if (replaced === found) continue;
    printed += json.slice(from, start) + replaced;
    from = end;
  }
  return from === 0 ? json : printed + json.slice(from);
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
  const inner = nested < nestedMax && isJson(text) ? replaceTexts(text, replace, nested + 1) : text;
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
