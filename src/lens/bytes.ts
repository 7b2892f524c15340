/** Looking at a line without parsing it: the bytes of keys are looked for, and the strings behind them. */

const quote = 0x22;
const backslash = 0x5c;

/** A name that stands in a line as it is. */
export const plainName = /^[\w.-]{1,64}$/;

/** A key as clients print it, with the quote that begins its string. */
export function key(name: string): Buffer {
  return Buffer.from(`"${name}":"`);
}

/** The result is where the string ends whose first byte is at `from`. It is -1 if it does not end. */
export function stringEnd(bytes: Buffer, from: number): number {
  for (let end = bytes.indexOf(quote, from); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let slashes = 0;
    while (bytes[end - 1 - slashes] === backslash && end - 1 - slashes >= from) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}

/** The result is the first string under the key from `from` on. It is undefined if there is none. */
export function stringAfter(bytes: Buffer, needle: Buffer, from = 0): string | undefined {
  const at = bytes.indexOf(needle, from);
  return at === -1 ? undefined : stringAt(bytes, at + needle.length);
}

/** The result is the string whose first byte is at `start`. */
export function stringAt(bytes: Buffer, start: number): string | undefined {
  const end = stringEnd(bytes, start);
  if (end === -1) return undefined;
  const raw = bytes.toString("utf8", start, end);
  if (!raw.includes("\\")) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return undefined;
  }
}

/** The result has every string under the key. */
export function* stringsAfter(bytes: Buffer, needle: Buffer, from = 0): Generator<string> {
  for (let at = bytes.indexOf(needle, from); at !== -1; at = bytes.indexOf(needle, at + needle.length)) {
    const string = stringAt(bytes, at + needle.length);
    if (string !== undefined) yield string;
  }
}

/** White space behind the first colon: not printed as the clients print, so that no needle can be trusted. */
export function isPrettyPrinted(bytes: Buffer): boolean {
  const colon = bytes.indexOf(0x3a);
  const behind = colon === -1 ? undefined : bytes[colon + 1];
  return bytes[0] !== 0x7b || bytes[1] !== quote || behind === 0x20 || behind === 0x09;
}
