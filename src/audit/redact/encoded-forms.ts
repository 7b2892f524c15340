/**
 * What a text looks like where a program has encoded it: in a URL, as hex digits, in base64. An agent's messages hold such
 * forms: an address that was called, the header of a request, a file that was read.
 */

/** Fewer bytes give forms so short that they stand in other texts by chance. */
const bytesMin = 8;
/** A longer text is nothing that anybody encodes. */
const charactersMax = 4096;

/** Patterns with the flag `g`, one for each text. */
export function encodedForms(texts: Iterable<string>): RegExp[] {
  return [...texts].flatMap((text) => {
    if (text.length > charactersMax) return [];
    const bytes = new TextEncoder().encode(text);
    const forms = bytes.length < bytesMin ? [] : [inHex(bytes), ...inBase64(bytes)];
    return [new RegExp([inUrl(text), ...forms].join("|"), "gu")];
  });
}

/** Each character as it is or as bytes behind percent signs: programs differ in which they encode. */
function inUrl(text: string): string {
  return [...text]
    .map((character) => {
      const bytes = [...new TextEncoder().encode(character)].map((byte) => `%${inHex([byte])}`).join("");
      return `(?:${literal(character)}|${bytes}${character === " " ? "|\\+" : ""})`;
    })
    .join("");
}

function inHex(bytes: Iterable<number>): string {
  return [...bytes]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

const digit = "[A-Za-z0-9+/_\\-]";

/** For each place in a group of three bytes where the text may begin: the digits that are the text's alone, and those around. */
function inBase64(bytes: Uint8Array): string[] {
  return [0, 1, 2].map((before) => {
    const all = btoa("\0".repeat(before) + String.fromCharCode(...bytes)).replace(/=+$/, "");
    const isShared = (before + bytes.length) % 3 !== 0;
    const own = all.slice(before === 0 ? 0 : before + 1, isShared ? -1 : undefined);
    const either = own.replaceAll("+", "[+\\-]").replaceAll("/", "[/_]");
    return `${before === 0 ? "" : `${digit}?`}${either}${isShared ? `${digit}?` : ""}={0,2}`;
  });
}

function literal(character: string): string {
  return /[\^$\\.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}
