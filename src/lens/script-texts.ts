/** Which parts of a script are only text: strings, templates, comments and regular expressions. Nothing is run. */

/** A word has all that is neither white space nor a mark of the language. */
const wordStart = /^[^\s!"%-/:-@[-^`{-~]/;
/** A value stands behind these words, so that a slash there begins a regular expression. */
const wordsBeforeValues: ReadonlySet<string> = new Set([
  ...["return", "typeof", "case", "in", "instanceof", "delete", "void", "throw", "new", "await", "yield", "default"],
]);
/** A statement stands behind these, and behind the head of those. */
const wordsBeforeStatements: ReadonlySet<string> = new Set(["do", "else"]);
const wordsBeforeHeads: ReadonlySet<string> = new Set(["if", "while", "for", "with"]);
/** A brace that stands behind one of these begins a block, and no object. */
const marksBeforeBlocks: ReadonlySet<string> = new Set(["", ";", "{", "}", ")", "=>"]);

/** The code with what is only text in it left blank: everything else stays in its place, also the code within templates. */
export function withoutTexts(code: string): string {
  const tokens = /\/\/|\/\*|\.{3}|\+\+|--|=>|[^\s!"%-/:-@[-^`{-~]+|\S/g;
  const place = new ScriptPlace();
  const parts: string[] = [];
  let from = 0;
  for (let found = tokens.exec(code); found !== null; found = tokens.exec(code)) {
    const beginning = place.take(found[0]);
    if (beginning === undefined) continue;
    const end = endOfText(code, beginning, found.index + beginning.length);
    if (beginning === "`" && code[end - 1] === "{") place.openTemplate();
    parts.push(code.slice(from, found.index), " ".repeat(end - found.index));
    from = end;
    tokens.lastIndex = end;
  }
  return parts.join("") + code.slice(from);
}

/** What was opened and has not ended. A head is that of `if`, `while`, `for` or `with`; a template goes on behind its code. */
type Opening = "head" | "parenthesis" | "object" | "block" | "template";

/** What a slash or a brace means hangs on what stands before it. */
class ScriptPlace {
  readonly #open: Opening[] = [];
  /** These are the last two tokens that are no comments. */
  #before = "";
  #beforeThat = "";
  /** A slash that follows is a division, because a value stands before it. */
  #isValue = false;

  /** The result is how a text begins here. It is undefined if the token is code. */
  take(token: string): string | undefined {
    if (token === "//" || token === "/*") return token;
    const isText = token === "/" ? !this.#isValue : token === '"' || token === "'" || token === "`";
    const closed = token === "}" ? this.#closeBrace() : undefined;
    const isRest = closed === "template";
    this.#isValue = isText || isRest || closed === "object" || this.#endsValue(token);
    this.#beforeThat = this.#before;
    this.#before = token;
    if (isRest) return "`";
    return isText ? token : undefined;
  }

  /** Code begins in the text of a template. */
  openTemplate(): void {
    this.#open.push("template");
    this.#before = "(";
    this.#isValue = false;
  }

  /** The result says whether what ends with this token of code can be divided. */
  #endsValue(token: string): boolean {
    switch (token) {
      case "(":
        this.#open.push(this.#isHeadBehind() ? "head" : "parenthesis");
        return false;
      case ")":
        return this.#closeParenthesis() !== "head";
      case "{":
        this.#open.push(this.#isObjectHere() ? "object" : "block");
        return false;
      // A number may end with a dot.
      case "]":
      case "++":
      case "--":
      case ".":
        return true;
      default:
        return wordStart.test(token) && !this.#isBeforeValue(token);
    }
  }

  /** `token` comes next. What has the name of a keyword behind a dot is a property. */
  #isBeforeValue(token: string): boolean {
    if (this.#before === ".") return false;
    if (token === "of") return this.#open.at(-1) === "head";
    return wordsBeforeValues.has(token) || wordsBeforeStatements.has(token);
  }

  #isHeadBehind(): boolean {
    if (this.#before === "await") return this.#beforeThat === "for";
    return wordsBeforeHeads.has(this.#before) && this.#beforeThat !== ".";
  }

  #isObjectHere(): boolean {
    if (this.#isValue || marksBeforeBlocks.has(this.#before) || wordsBeforeStatements.has(this.#before)) return false;
    // Behind a label or a case stands a block.
    return this.#before !== ":" || (this.#open.at(-1) ?? "block") !== "block";
  }

  #closeParenthesis(): Opening | undefined {
    const last = this.#open.at(-1);
    return last === "head" || last === "parenthesis" ? this.#open.pop() : undefined;
  }

  /** A parenthesis within it that has no end gives way. */
  #closeBrace(): Opening | undefined {
    while (this.#closeParenthesis() !== undefined);
    return this.#open.pop();
  }
}

/** A text without an end takes the rest. */
export function endOfText(code: string, beginning: string, at: number): number {
  if (beginning === "//") return endAt(code, code.indexOf("\n", at));
  if (beginning === "/*") return endAt(code, code.indexOf("*/", at), 2);
  return beginning === "`" ? endOfTemplate(code, at) : endInLine(code, beginning, at);
}

/** The text of a template ends also where code begins in it. */
function endOfTemplate(code: string, at: number): number {
  for (let end = at; end < code.length; end++) {
    if (code[end] === "`") return end + 1;
    if (code.startsWith("${", end)) return end + 2;
    if (code[end] === "\\") end += 1;
  }
  return code.length;
}

/** A string or a regular expression that has no end takes the rest of its line. */
function endInLine(code: string, closing: string, at: number): number {
  let isInClass = false;
  for (let end = at; end < code.length; end++) {
    const character = code[end];
    if (character === "\n") return end;
    if (character === closing && !isInClass) return end + 1;
    if (closing === "/" && (character === "[" || character === "]")) isInClass = character === "[";
    if (character === "\\") end += 1;
  }
  return code.length;
}

function endAt(code: string, found: number, length = 0): number {
  return found === -1 ? code.length : found + length;
}
