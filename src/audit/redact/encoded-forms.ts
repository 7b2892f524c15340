/**
 * What a text looks like where a program has encoded it: in a URL, in JSON inside another text, in HTML, as hex digits, in
 * base64. An agent's messages hold such forms: an address that was called, the header of a request, a file that was read.
 */

/** Fewer bytes give forms so short that they stand in other texts by chance. */
const bytesMin = 8;
/** A longer text is nothing that anybody encodes. */
const encodedUnitsMax = 4096;
/** A longer text is looked for as JSON and URLs usually encode it: all forms of it would take long. */
const allFormsUnitsMax = 256;

export interface EncodedForm {
  /** It has the flag `g`. */
  readonly pattern: RegExp;
  /** In fewer characters it stands nowhere. Most names, ids and numbers of a session have fewer. */
  readonly unitsMin: number;
}

/** They are many and short: the engine has no room for all forms of a long text in one. */
export function encodedForms(texts: Iterable<string>): EncodedForm[] {
  return [...texts].filter(isShort).flatMap((text) => {
    const composed = new Set([text, text.normalize("NFC"), text.normalize("NFD")]);
    const forms = [...composed].filter(isShort).flatMap((each) => [inPlace(each), ...whole(utf8.encode(each))]);
    const unitsMin = Math.min(...[...composed].map(({ length }) => length));
    return [...forms, ...whole(utf16(text))].map((form) => ({ pattern: new RegExp(form, "gu"), unitsMin }));
  });
}

function isShort({ length }: string): boolean {
  return length <= encodedUnitsMax;
}

const utf8 = new TextEncoder();

/** PowerShell takes commands in base64 of this form. */
function utf16(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length * 2 }, (_, index) => text.charCodeAt(index >> 1) >> ((index & 1) * 8));
}

function whole(bytes: Uint8Array): string[] {
  return bytes.length < bytesMin ? [] : [inHexDigits(bytes), ...inBase64(bytes)];
}

/** Programs print digits in lines, which JSON around them may have escaped, and dumps have spaces between them. */
const between = "(?:[ \\t\\r\\n]|\\\\+[rnt])*";
/** With more such places in a pattern, the engine may have no room for it. */
const betweenMax = 2048;

function inLines(parts: readonly string[]): string {
  return parts.join(parts.length > betweenMax ? "" : between);
}

function inHexDigits(bytes: Uint8Array): string {
  return inLines([...bytes].map((byte) => inHex([byte])));
}

/** Each character as it is or encoded: programs differ in which they encode. */
function inPlace(text: string): string {
  const formsOf = text.length > allFormsUnitsMax ? usualForms : allForms;
  return [...text].map((character) => `(?:${formsOf(character).join("|")})`).join("");
}

function allForms(character: string): string[] {
  return [...inJson(character), ...inUrl(character, "%(?:25){0,3}"), ...inHtml(character)];
}

function usualForms(character: string): string[] {
  const plain = character in shortEscapes ? inJson(character) : [literal(character)];
  return [...plain, ...inUrl(character, "%")];
}

/** Bytes behind percent signs, which may be encoded themselves. */
function inUrl(character: string, sign: string): string[] {
  const bytes = [...utf8.encode(character)].map((byte) => `${sign}${inHex([byte])}`).join("");
  return character === " " ? [bytes, "\\+"] : [bytes];
}

const shortEscapes: Readonly<Record<string, string>> = {
  "\n": "n",
  "\r": "r",
  "\t": "t",
  "\b": "b",
  "\f": "f",
  '"': '"',
  "/": "\\/",
  "\\": "\\\\",
};

/** JSON may lie in JSON, and each layer puts backslashes before backslashes: of three layers there are seven. */
function inJson(character: string): string[] {
  const units = Array.from({ length: character.length }, (_, index) => {
    const code = character.charCodeAt(index);
    return `\\\\{1,7}u${inHex([code >> 8, code & 255])}`;
  });
  const short = shortEscapes[character];
  return [units.join(""), ...(short === undefined ? [] : [`\\\\{1,7}${short}`]), literal(character)];
}

const entities: Readonly<Record<string, string>> = { '"': "quot", "&": "amp", "'": "apos", "<": "lt", ">": "gt" };

function inHtml(character: string): string[] {
  const code = character.codePointAt(0) ?? 0;
  const name = entities[character];
  const digits = eitherCase(code.toString(16));
  return [`&#0*${code};`, `&#[xX]0*${digits};`, ...(name === undefined ? [] : [`&${name};`])];
}

function inHex(bytes: Iterable<number>): string {
  return eitherCase([...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
}

function eitherCase(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

const digit = "[A-Za-z0-9+/_\\-]";

/** Three bytes are so many digits of base64. A line ends behind such a group, as MIME, PEM and `base64` print it. */
const groupDigits = 4;

/**
 * The text may begin at each of three places in a group of three bytes. Each form has the digits that are the text's alone, and stands
 * between the ones that it shares.
 */
function inBase64(bytes: Uint8Array): string[] {
  return [0, 1, 2].map((before) => {
    const all = btoa("\0".repeat(before) + String.fromCharCode(...bytes)).replace(/=+$/, "");
    const isShared = (before + bytes.length) % 3 !== 0;
    const first = before === 0 ? 0 : before + 1;
    const own = all.slice(first, isShared ? -1 : undefined);
    const groups = [own.slice(0, groupDigits - first), ...(own.slice(groupDigits - first).match(/.{1,4}/g) ?? [])];
    const either = inLines(groups.map((group) => group.replaceAll("+", "[+\\-]").replaceAll("/", "[/_]")));
    return `${before === 0 ? "" : `${digit}?`}${either}${isShared ? `${digit}?` : ""}={0,2}`;
  });
}

function literal(character: string): string {
  return /[\^$\\.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
